//! Measures how much a page shows, before and after rendering.

use super::readable;
use super::signals::PageSignals;

/// How much readable content a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageWeight {
    /// Bytes of visible text that are not white space.
    pub text: usize,
    /// Links that lead to another page.
    pub links: usize,
}

/// Less text than this is not a gain: a year in a footer, a consent banner.
const MIN_TEXT_GAIN: usize = 60;
/// Fewer links than this are not a gain either.
const MIN_LINK_GAIN: usize = 3;

impl PageWeight {
    /// Measures a page with the given content type.
    pub fn of(body: &[u8], content_type: Option<&str>) -> Self {
        let signals = PageSignals::of(&readable(body, content_type), usize::MAX);
        Self {
            text: signals.text,
            links: signals.links,
        }
    }

    /// Whether this is substantially more than before: by at least a quarter.
    pub fn is_gain_over(self, before: Self) -> bool {
        let more =
            |now: usize, then: usize, least: usize| now.saturating_sub(then) >= least.max(then / 4);
        more(self.text, before.text, MIN_TEXT_GAIN) || more(self.links, before.links, MIN_LINK_GAIN)
    }
}

/// Whether rendering produced substantially more content than the HTTP response. The rendered page is UTF-8.
pub fn rendering_helped(body: &[u8], content_type: Option<&str>, rendered: &[u8]) -> bool {
    PageWeight::of(rendered, None).is_gain_over(PageWeight::of(body, content_type))
}
