//! The formats of a sitemap.

/// The format of a sitemap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitemapKind {
    /// XML with a `urlset` root: pages.
    UrlSet,
    /// XML with a `sitemapindex` root: more sitemaps.
    Index,
    /// Text with one URL per line.
    Text,
    /// RSS of any version: the links of its items.
    Rss,
    /// Atom: the alternate links of its entries.
    Atom,
}

impl SitemapKind {
    /// By the root element's name without its prefix; RSS 1.0 is RDF.
    pub(super) fn of_root(name: &str) -> Option<SitemapKind> {
        match name {
            "urlset" => Some(SitemapKind::UrlSet),
            "sitemapindex" => Some(SitemapKind::Index),
            "rss" | "RDF" => Some(SitemapKind::Rss),
            "feed" => Some(SitemapKind::Atom),
            _ => None,
        }
    }
}
