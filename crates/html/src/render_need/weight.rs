//! What a page weighs, before and after rendering.

use super::facts::Facts;
use super::readable;

/// How much a reader, or a crawl, finds on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageWeight {
    /// Bytes of visible text that are not white space.
    pub text: usize,
    /// Links that lead somewhere.
    pub links: usize,
}

/// Less than this is no gain: a year in a footer, a banner that asks for consent.
const LEAST_TEXT: usize = 60;
/// A menu's toggle is no gain either.
const LEAST_LINKS: usize = 3;

impl PageWeight {
    /// Of a page and its content type.
    pub fn of(body: &[u8], content_type: Option<&str>) -> Self {
        let facts = Facts::of(&readable(body, content_type), usize::MAX);
        Self {
            text: facts.text,
            links: facts.links,
        }
    }

    /// Whether this is substantially more than what there was before: by a quarter at least.
    pub fn is_gain_over(self, before: Self) -> bool {
        let more =
            |now: usize, then: usize, least: usize| now.saturating_sub(then) >= least.max(then / 4);
        more(self.text, before.text, LEAST_TEXT) || more(self.links, before.links, LEAST_LINKS)
    }
}

/// Whether rendering brought substantially more than HTTP did. The rendered page is UTF-8.
pub fn rendering_helped(body: &[u8], content_type: Option<&str>, rendered: &[u8]) -> bool {
    PageWeight::of(rendered, None).is_gain_over(PageWeight::of(body, content_type))
}
