//! The formats by name, and the one door to their sinks.

use model::{LinkFilter, Sink};
use weburl::{CrawlUrl, KeyPolicy};

use crate::Target;
use crate::csv::CsvSink;
use crate::edges::EdgesSink;
use crate::html_report::{HtmlSink, ReportAbout};
use crate::json::JsonSink;
use crate::map::MapSink;
use crate::ndjson::NdjsonSink;
use crate::text::TextSink;
use crate::tree::TreeSink;

/// How a crawl is printed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Format {
    /// Each visited page and its links, for people.
    #[default]
    Text,
    /// Pages with their links indented.
    Tree,
    /// One line a link.
    Edges,
    /// One array.
    Json,
    /// One object a line.
    Ndjson,
    /// A row an edge.
    Csv,
    /// One self-contained page to look at.
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

    /// The word of the command line.
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

    /// The format of that word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == word)
    }
}

/// How a map is printed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum MapFormat {
    /// One URL a line.
    #[default]
    Text,
    /// One array.
    Json,
    /// One object a line.
    Ndjson,
    /// A row a URL.
    Csv,
    /// A sitemap.xml, or an index of several.
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

    /// The word of the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Csv => "csv",
            Self::Sitemap => "sitemap",
        }
    }

    /// The format of that word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == word)
    }
}

/// The sink of a crawl. `about` is the head of the `html` report; the others do not look at it, and it does
/// not look at `filter`: it counts links and prints none.
#[expect(
    clippy::needless_pass_by_value,
    reason = "a sink owns what it is made from, and may keep it one day"
)]
pub fn sink(
    format: Format,
    target: Target,
    filter: LinkFilter,
    about: ReportAbout,
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

/// The sink of a map. `keys` is the crawl's own policy: it says which spellings are one page. The seed's
/// origin is where the parts of a split sitemap will be served from.
pub fn map_sink(
    format: MapFormat,
    target: Target,
    keys: KeyPolicy,
    seed: &CrawlUrl,
) -> Box<dyn Sink> {
    Box::new(MapSink::new(format, target, keys, seed))
}
