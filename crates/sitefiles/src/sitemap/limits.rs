//! How much of one file is read.

/// Limits for one sitemap file; the defaults are those of the sitemap protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SitemapLimits {
    /// Locations reported before reading stops.
    pub max_urls: usize,
    /// Bytes read, counted after decompression.
    pub max_bytes: usize,
}

impl Default for SitemapLimits {
    fn default() -> Self {
        SitemapLimits {
            max_urls: 50_000,
            max_bytes: 50 * 1024 * 1024,
        }
    }
}
