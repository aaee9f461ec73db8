//! The closing numbers of one file.

use super::SitemapKind;

/// What reading a sitemap came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SitemapSummary {
    /// What the file was.
    pub kind: SitemapKind,
    /// Locations reported.
    pub items: usize,
    /// A limit stopped the reading; what came before was reported.
    pub cut: bool,
    /// The file is damaged or ends too early; what could be read was reported.
    pub malformed: bool,
}
