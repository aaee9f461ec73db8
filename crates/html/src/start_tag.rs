//! A start tag that matters to the scanner, with the few attributes it uses.

use crate::attributes::{Attributes, TagPart};

/// The attributes of a start tag. If an attribute is written twice, the first counts.
#[derive(Debug, Default)]
pub(crate) struct StartTag<'a> {
    pub(crate) href: Option<&'a [u8]>,
    pub(crate) rel: Option<&'a [u8]>,
    pub(crate) download: bool,
    pub(crate) self_closing: bool,
    /// Has `color`, `face` or `size`: with one of them a `font` is HTML even inside svg.
    pub(crate) font_style: bool,
    /// The `encoding` attribute: decides whether a MathML `annotation-xml` holds HTML.
    pub(crate) encoding: Option<&'a [u8]>,
}

impl<'a> StartTag<'a> {
    /// Reads the tag to its end; `None` if the page ends first.
    pub(crate) fn read(attributes: &mut Attributes<'a>) -> Option<Self> {
        let mut tag = Self::default();
        loop {
            match attributes.next_part() {
                TagPart::Attribute { name, value } => tag.record(name, value),
                TagPart::Closed { self_closing } => {
                    tag.self_closing = self_closing;
                    return Some(tag);
                }
                TagPart::Unclosed => return None,
            }
        }
    }

    fn record(&mut self, name: &[u8], value: &'a [u8]) {
        let is = |wanted: &[u8]| name.eq_ignore_ascii_case(wanted);
        match name.len() {
            3 if is(b"rel") => _ = self.rel.get_or_insert(value),
            4 if is(b"href") => _ = self.href.get_or_insert(value),
            4 if is(b"face") || is(b"size") => self.font_style = true,
            5 if is(b"color") => self.font_style = true,
            8 if is(b"download") => self.download = true,
            8 if is(b"encoding") => _ = self.encoding.get_or_insert(value),
            _ => {}
        }
    }
}
