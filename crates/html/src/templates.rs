//! The open templates: what is in one is inert, unless it gets out.
//!
//! A link left open in a template is forgotten with it, by a mark the tree rules set where the
//! template begins. But `object` and its like, and the cells of tables, set such marks too; one of
//! those left open behind the link, its mark is taken for the template's, and the link is opened
//! again behind the template. And a `col` makes the template ignore all that follows, raw text
//! included. Both are rare and told in time, and the scanner asks the real tree.

use crate::element::ElementName;
use crate::tag::Tag;

/// As many elements an end tag of a link reaches through for sure.
const REACH: u32 = 6;
/// Nothing closes a link any more but the end of the outermost template.
const HELD: u32 = u32::MAX;

/// How many templates are open, and whether a link may be open in them.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    depth: usize,
    /// a link may be open, and that many elements were opened since
    loose: Option<u32>,
}

impl Templates {
    /// Whether the scanner is in no template.
    pub(crate) fn is_empty(&self) -> bool {
        self.depth == 0
    }

    /// Takes in a start tag; false when what it means cannot be told.
    pub(crate) fn start(&mut self, name: &ElementName, tag: Tag, links: bool) -> bool {
        if self.depth == 0 {
            self.depth += usize::from(tag == Tag::Template);
            return true;
        }
        if let Some(since) = &mut self.loose {
            *since = since.saturating_add(1);
        }
        match (tag, name.as_bytes()) {
            // it closes the one before, but for one that is held
            (Tag::Anchor, _) if links && self.loose != Some(HELD) => self.loose = Some(0),
            (Tag::Template, _) => {
                self.depth += 1;
                self.hold();
            }
            (_, b"col") => return false,
            (_, b"table" | b"select") => self.hold(),
            (_, b"applet" | b"caption" | b"marquee" | b"object" | b"td" | b"th") => {
                return self.loose.is_none();
            }
            _ => {}
        }
        true
    }

    /// Takes in the end tag of a link, in plain HTML.
    pub(crate) fn end_link(&mut self) {
        if self.loose.is_some_and(|since| since <= REACH) {
            self.loose = None;
        }
    }

    /// Takes in the end tag of a template; false when none is open.
    pub(crate) fn end(&mut self) -> bool {
        if self.depth == 0 {
            return false;
        }
        self.depth -= 1;
        if self.depth == 0 {
            self.loose = None;
        }
        true
    }

    fn hold(&mut self) {
        if let Some(since) = &mut self.loose {
            *since = HELD;
        }
    }
}
