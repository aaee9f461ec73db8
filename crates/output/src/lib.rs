//! The output formats: one sink per format.
//!
//! A sink gets each page as it finishes and writes it immediately to its [`Target`]: memory does not grow
//! with the number of pages. What has to be sorted ([`UniqueLinks`], every map format) goes through an
//! external sort that holds a fixed amount and spills the rest to temporary files.
//!
//! Text from the web is escaped for its format here and nowhere else. The formats are
//! written by hand: a crawl prints far more links than it fetches pages, so this is a hot path.

mod continued;
mod csv;
mod csv_cell;
mod edges;
mod format;
mod html_report;
mod json;
mod json_text;
mod map;
mod ndjson;
mod page_object;
mod plain_line;
mod printed_links;
mod sorted_lines;
mod target;
mod tee;
mod text;
mod tree;
mod unique_links;

pub use continued::Written;
pub use format::{Format, MapFormat, map_sink, sink};
pub use html_report::ReportHeader;
pub use target::{Memory, Target};
pub use tee::Tee;
pub use unique_links::UniqueLinks;
