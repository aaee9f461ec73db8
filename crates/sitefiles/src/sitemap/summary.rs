//! The result of reading one file.

use super::SitemapKind;

/// The result of reading a sitemap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SitemapSummary {
    /// The format of the file.
    pub kind: SitemapKind,
    /// Locations reported.
    pub locations: usize,
    /// A limit stopped the reading; the locations before it were reported.
    pub cut: bool,
    /// The file is damaged or ends too early; what could be read was reported.
    pub malformed: bool,
}
