//! The formats by name, and their sinks.

use crawler_model::{LinkFilter, Sink};
use crawler_weburl::{CrawlUrl, KeyPolicy};

use crate::Target;
use crate::csv::CsvSink;
use crate::edges::EdgesSink;
use crate::html_report::{HtmlSink, ReportHeader};
use crate::json::JsonSink;
use crate::map::MapSink;
use crate::ndjson::NdjsonSink;
use crate::text::TextSink;
use crate::tree::TreeSink;

/// Output format of a crawl.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Format {
    /// Each visited page and its links.
    #[default]
    Text,
    /// Pages with their links indented.
    Tree,
    /// One line per link.
    Edges,
    /// One JSON array.
    Json,
    /// One JSON object per line.
    Ndjson,
    /// One row per link.
    Csv,
    /// A self-contained HTML report.
    Html,
}

impl Format {
    /// Every format, in the order they are shown.
    pub const ALL: [Self; 7] = [
        Self::Text,
        Self::Tree,
        Self::Edges,
        Self::Json,
        Self::Ndjson,
        Self::Csv,
        Self::Html,
    ];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Tree => "tree",
            Self::Edges => "edges",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Csv => "csv",
            Self::Html => "html",
        }
    }

    /// The format with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }
}

/// Output format of a map.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum MapFormat {
    /// One URL per line.
    #[default]
    Text,
    /// One JSON array.
    Json,
    /// One JSON object per line.
    Ndjson,
    /// One row per URL.
    Csv,
    /// An XML sitemap, or an index of several.
    Sitemap,
}

impl MapFormat {
    /// Every format, in the order they are shown.
    pub const ALL: [Self; 5] = [
        Self::Text,
        Self::Json,
        Self::Ndjson,
        Self::Csv,
        Self::Sitemap,
    ];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Csv => "csv",
            Self::Sitemap => "sitemap",
        }
    }

    /// The format with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }
}

/// Creates the sink of a crawl. Only the `html` report uses `about`; it ignores `filter`, since it counts links but prints none.
#[expect(
    clippy::needless_pass_by_value,
    reason = "sinks take ownership of their inputs"
)]
pub fn sink(
    format: Format,
    target: Target,
    filter: LinkFilter,
    about: ReportHeader,
) -> Box<dyn Sink> {
    match format {
        Format::Text => Box::new(TextSink { target, filter }),
        Format::Tree => Box::new(TreeSink { target, filter }),
        Format::Edges => Box::new(EdgesSink { target, filter }),
        Format::Json => Box::new(JsonSink::new(target, filter)),
        Format::Ndjson => Box::new(NdjsonSink { target, filter }),
        Format::Csv => Box::new(CsvSink::new(target, filter)),
        Format::Html => Box::new(HtmlSink::new(target, &about)),
    }
}

/// Creates the sink of a map. `keys` decides which spellings of a URL are the same page. The parts of a split sitemap are
/// assumed to be served from the seed's origin.
pub fn map_sink(
    format: MapFormat,
    target: Target,
    keys: KeyPolicy,
    seed: &CrawlUrl,
) -> Box<dyn Sink> {
    Box::new(MapSink::new(format, target, keys, seed))
}
