//! Sitemaps: every location a file names, one at a time.
//!
//! The format is detected from the content, never from a name or a header: gzip by its magic bytes, then
//! XML (`urlset`, `sitemapindex`, RSS, Atom) by its root element, else text with one URL per line.
//! The bytes are streamed in small chunks: body, gunzip under a cap, UTF-8, tokens, callback. No step
//! buffers more than one token, so neither a large file nor a bomb costs memory.
//!
//! A location is reported as written, decoded and trimmed. Whether it is a URL, in scope, or a
//! sitemap that lists itself is for the caller to decide.

mod body;
mod charset;
mod entity;
mod error;
mod kind;
mod limits;
mod location_sender;
mod summary;
mod tag;
mod text;
mod token;
mod utf8;
mod xml;

pub use error::SitemapError;
pub use kind::SitemapKind;
pub use limits::SitemapLimits;
pub use location_sender::SitemapLocation;
pub use summary::SitemapSummary;

use body::Body;
use location_sender::LocationSender;
use utf8::Utf8;

/// Calls `each` for every location in `body`, within `limits`.
///
/// A file that is truncated or exceeds a limit is not an error: the locations up to there are reported,
/// and the summary says so.
pub fn read_sitemap(
    body: &[u8],
    limits: SitemapLimits,
    each: impl FnMut(SitemapLocation<'_>),
) -> Result<SitemapSummary, SitemapError> {
    let mut source = Utf8::new(Body::new(body, limits.max_bytes));
    let sender = LocationSender::new(limits.max_urls, each);
    if source.begins_with_markup() {
        xml::read(source, sender)
    } else {
        text::read(source, sender)
    }
}
