//! Why a sitemap could not be read.

use std::error::Error;
use std::fmt;

/// Why a body cannot be read as a sitemap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitemapError {
    /// Neither a known root element nor a single line with a URL; an HTML page, for example.
    NotASitemap,
    /// A DTD declares entities. No sitemap needs any, and expanding them can make a small file huge.
    EntityBomb,
    /// A limit was reached before it was clear what the file is.
    TooLarge,
}

impl fmt::Display for SitemapError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            SitemapError::NotASitemap => {
                "not a sitemap: no known root element and no line with a URL"
            }
            SitemapError::EntityBomb => "sitemap refused: its DTD declares entities",
            SitemapError::TooLarge => "sitemap refused: size limit reached before any content",
        })
    }
}

impl Error for SitemapError {}
