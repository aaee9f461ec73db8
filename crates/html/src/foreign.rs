//! Whether the scanner stands in svg or math.
//!
//! There a tag can mean something else: `title` and `style` hold markup, `base` and `template` are
//! nothing special, CDATA exists. So from an `svg` or `math` on, and only there, the open elements
//! are kept, those of HTML inside `foreignObject` and its like included; an empty stack means
//! plain HTML.
//!
//! This is the standard's bookkeeping without its tree, and so not all of it: elements reopened by
//! the "active formatting" rules are not seen, table rules are reduced to "no table parts without
//! a table", and what is open around the svg is not known: an end tag such as `</div>` that
//! matches nothing inside is taken to close something outside. A wrong guess matters only until
//! the next `</svg>` or HTML tag, and only to the constructs above.
//!
//! The stack is capped: deeper elements are only counted. That bounds memory, and the time a long
//! row of end tags that match nothing can cost.

use crate::element::ElementName;
use crate::start_tag::StartTag;
use crate::tag::Tag;

/// Open elements kept; real drawings stay well below.
const DEEPEST: usize = 128;

/// An open element, by how its content is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Html,
    Svg,
    /// svg whose content is HTML
    SvgPoint,
    Math,
    /// math whose content is HTML
    MathPoint,
    /// math whose content is HTML but for two tags
    MathText,
    /// math whose content is math but for `svg`
    Annotation,
}

impl Kind {
    /// Elements at which a search through the open elements ends.
    fn stops(self) -> bool {
        matches!(
            self,
            Kind::SvgPoint | Kind::MathPoint | Kind::MathText | Kind::Annotation
        )
    }

    /// Elements at which breaking out of svg or math ends.
    fn catches(self) -> bool {
        matches!(
            self,
            Kind::Html | Kind::SvgPoint | Kind::MathPoint | Kind::MathText
        )
    }
}

#[derive(Debug, Clone, Copy)]
struct Open {
    name: ElementName,
    kind: Kind,
}

/// The open elements from the outermost svg or math inwards.
#[derive(Debug, Default)]
pub(crate) struct Foreign {
    open: Vec<Open>,
    /// open elements below the deepest kept
    deeper: usize,
}

impl Foreign {
    /// Whether the scanner is in plain HTML.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether the current element is one of svg or math: CDATA counts there.
    pub(crate) fn is_current(&self) -> bool {
        self.open.last().is_some_and(|open| open.kind != Kind::Html)
    }

    /// Takes in a start tag; true when it is to be read as HTML.
    pub(crate) fn start(&mut self, name: &ElementName, tag: Tag, start: &StartTag<'_>) -> bool {
        let Some(current) = self.open.last() else {
            self.start_html(name, tag, start);
            return true;
        };
        let html = match current.kind {
            Kind::Html | Kind::SvgPoint | Kind::MathPoint => true,
            Kind::MathText => !matches!(name.as_bytes(), b"mglyph" | b"malignmark"),
            Kind::Annotation => tag == Tag::Svg,
            Kind::Svg | Kind::Math => false,
        };
        if html {
            self.start_html(name, tag, start);
            return true;
        }
        if name.breaks_out() || (name.as_bytes() == b"font" && start.font_style) {
            self.break_out();
            self.start_html(name, tag, start);
            return true;
        }
        if !start.self_closing {
            let kind = match current.kind {
                Kind::Svg => svg_kind(name),
                _ => math_kind(name, start),
            };
            self.push(*name, kind);
        }
        false
    }

    /// Takes in an end tag; true when it is to be read as HTML.
    pub(crate) fn end(&mut self, name: &ElementName) -> bool {
        if self.deeper > 0 {
            self.deeper -= 1;
            return name.as_bytes() == b"template";
        }
        if self.is_current() {
            if matches!(name.as_bytes(), b"p" | b"br") {
                self.break_out();
            } else {
                let open = self.open.iter().enumerate().rev();
                let found = open
                    .take_while(|(_, open)| open.kind != Kind::Html)
                    .find(|(_, open)| open.name == *name);
                if let Some((index, _)) = found {
                    self.open.truncate(index);
                    return false;
                }
            }
        }
        self.end_html(name);
        true
    }

    /// Closes the innermost template: everything, when it is around the outermost svg.
    pub(crate) fn end_template(&mut self) {
        let template = self
            .open
            .iter()
            .rposition(|open| open.kind == Kind::Html && open.name.as_bytes() == b"template");
        self.open.truncate(template.unwrap_or(0));
        self.deeper = 0;
    }

    fn start_html(&mut self, name: &ElementName, tag: Tag, start: &StartTag<'_>) {
        match tag {
            Tag::Svg | Tag::Math if start.self_closing => return,
            Tag::Svg => return self.push(*name, Kind::Svg),
            Tag::Math => return self.push(*name, Kind::Math),
            // their end tag is found by the text that precedes it
            Tag::Script | Tag::RawText | Tag::Plaintext => return,
            Tag::Anchor | Tag::Base | Tag::Template | Tag::Other => {}
        }
        if self.is_empty() || name.is_page_frame() {
            return;
        }
        if name.closes_paragraph() {
            self.close_in_scope(&ElementName::new(b"p"));
        }
        match name.as_bytes() {
            b"li" => self.close_entry(&[b"li"]),
            b"dd" | b"dt" => self.close_entry(&[b"dd", b"dt"]),
            b"a" => self.end_html(name),
            _ => {}
        }
        let stray = name.is_table_part() && !self.has_table();
        if !name.is_void() && !stray {
            self.push(*name, Kind::Html);
        }
    }

    /// An end tag by the rules of HTML.
    fn end_html(&mut self, name: &ElementName) {
        if name.as_bytes() == b"template" {
            return;
        }
        let in_scope = name.is_special() || name.is_formatting();
        if in_scope && self.close_in_scope(name) {
            return;
        }
        for (index, open) in self.open.iter().enumerate().rev() {
            if open.kind.stops() {
                return;
            }
            if open.kind == Kind::Html {
                if !in_scope && open.name == *name {
                    self.open.truncate(index);
                    return;
                }
                if in_scope && open.name.is_scope() || !in_scope && open.name.is_special() {
                    return;
                }
            }
        }
        if name.closes_around() {
            self.open.clear();
        }
    }

    /// Closes the innermost HTML element of that name, with all inside it; a formatting element
    /// leaves the blocks inside it open. False when none is in scope.
    fn close_in_scope(&mut self, name: &ElementName) -> bool {
        let own_scope = name.is_scope() || name.is_table_part();
        for (index, open) in self.open.iter().enumerate().rev() {
            if open.kind.stops() {
                return false;
            }
            if open.kind != Kind::Html {
                continue;
            }
            if open.name == *name {
                let blocks = self.open[index + 1..]
                    .iter()
                    .any(|inner| inner.name.is_special());
                if blocks && name.is_formatting() {
                    self.open.remove(index);
                } else {
                    self.open.truncate(index);
                }
                return true;
            }
            let ends = if own_scope {
                matches!(open.name.as_bytes(), b"table" | b"template")
            } else {
                open.name.is_scope()
            };
            if ends {
                return false;
            }
        }
        false
    }

    /// Closes the list entry a new entry follows.
    fn close_entry(&mut self, names: &[&[u8]]) {
        for (index, open) in self.open.iter().enumerate().rev() {
            if open.kind != Kind::Html {
                return;
            }
            let name = open.name.as_bytes();
            if names.contains(&name) {
                self.open.truncate(index);
                return;
            }
            if open.name.is_special() && !matches!(name, b"address" | b"div" | b"p") {
                return;
            }
        }
    }

    fn has_table(&self) -> bool {
        let html = self.open.iter().rev().take_while(|open| !open.kind.stops());
        html.into_iter()
            .any(|open| open.name.as_bytes() == b"table")
    }

    /// Leaves svg or math for the HTML around it.
    fn break_out(&mut self) {
        let kept = self.open.iter().rposition(|open| open.kind.catches());
        self.open.truncate(kept.map_or(0, |index| index + 1));
        self.deeper = 0;
    }

    fn push(&mut self, name: ElementName, kind: Kind) {
        if self.open.len() < DEEPEST {
            self.open.push(Open { name, kind });
        } else {
            self.deeper += 1;
        }
    }
}

fn svg_kind(name: &ElementName) -> Kind {
    match name.as_bytes() {
        b"foreignobject" | b"desc" | b"title" => Kind::SvgPoint,
        _ => Kind::Svg,
    }
}

fn math_kind(name: &ElementName, start: &StartTag<'_>) -> Kind {
    let holds_html = |encoding: &[u8]| {
        encoding.eq_ignore_ascii_case(b"text/html")
            || encoding.eq_ignore_ascii_case(b"application/xhtml+xml")
    };
    match name.as_bytes() {
        b"mi" | b"mo" | b"mn" | b"ms" | b"mtext" => Kind::MathText,
        b"annotation-xml" if start.encoding.is_some_and(holds_html) => Kind::MathPoint,
        b"annotation-xml" => Kind::Annotation,
        _ => Kind::Math,
    }
}
