//! Tracks open templates: their content is inert, unless it escapes.
//!
//! A link left open inside a template is forgotten when the template ends, because tree construction puts a
//! marker into the list of active formatting elements where the template begins. But `object` and similar
//! elements, and table cells, insert such markers too. If one of those is left open after the link, its marker
//! is taken for the template's, and the link is reopened after the template. And a `col` makes the template
//! ignore everything that follows, including raw text. Both are rare and noticed in time, and the scanner
//! consults the real tree.

use crate::element::ElementName;
use crate::scanner_tag::ScannerTag;

/// The end tag of a link reliably reaches through this many elements.
const END_TAG_REACH: u32 = 6;
/// The link can only be closed by the end of the outermost template.
const HELD_OPEN: u32 = u32::MAX;

/// How many templates are open, and whether a link may be open inside.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    depth: usize,
    /// A link may be open; the number of elements opened since.
    open_link: Option<u32>,
}

impl Templates {
    /// Whether the scanner is outside any template.
    pub(crate) fn is_empty(&self) -> bool {
        self.depth == 0
    }

    /// Processes a start tag; returns false if its meaning is uncertain.
    pub(crate) fn start(&mut self, name: &ElementName, tag: ScannerTag, links: bool) -> bool {
        if self.depth == 0 {
            self.depth += usize::from(tag == ScannerTag::Template);
            return true;
        }
        if let Some(since) = &mut self.open_link {
            *since = since.saturating_add(1);
        }
        match (tag, name.as_bytes()) {
            // A link closes an earlier one unless that one is held open.
            (ScannerTag::Anchor, _) if links && self.open_link != Some(HELD_OPEN) => {
                self.open_link = Some(0);
            }
            (ScannerTag::Template, _) => {
                self.depth += 1;
                self.hold();
            }
            (_, b"col") => return false,
            (_, b"table" | b"select") => self.hold(),
            (_, b"applet" | b"caption" | b"marquee" | b"object" | b"td" | b"th") => {
                return self.open_link.is_none();
            }
            _ => {}
        }
        true
    }

    /// Processes the end tag of a link, in plain HTML.
    pub(crate) fn end_link(&mut self) {
        if self.open_link.is_some_and(|since| since <= END_TAG_REACH) {
            self.open_link = None;
        }
    }

    /// Processes the end tag of a template; returns false if none is open.
    pub(crate) fn end(&mut self) -> bool {
        if self.depth == 0 {
            return false;
        }
        self.depth -= 1;
        if self.depth == 0 {
            self.open_link = None;
        }
        true
    }

    fn hold(&mut self) {
        if let Some(since) = &mut self.open_link {
            *since = HELD_OPEN;
        }
    }
}
