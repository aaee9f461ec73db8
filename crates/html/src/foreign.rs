//! Whether the scanner stands in svg or math, and whether it can know.
//!
//! There a tag can mean something else: `title` and `style` hold markup, `base` and `template` are
//! nothing special, CDATA exists. So from an `svg` or `math` on, and only there, the open elements
//! are kept; an empty stack means plain HTML.
//!
//! This is the standard's bookkeeping without its tree. Three things it cannot see:
//!
//! * What is open around the svg. An end tag that matches nothing in it (`</div>`) closes the svg
//!   or does nothing, depending on that. From there on we may be *out*.
//! * Formatting left open somewhere before (`<p><b></p>`). It is opened again in the first text of
//!   a `title`, a `desc` or an `mi`, and then their end tag closes nothing: what follows is HTML,
//!   to the end of the svg and behind it. From the first such element on we may be *stuck* in it.
//! * HTML inside svg and math.
//!
//! None of this is guessed. A tag that reads alike in every state that is possible is read; one
//! that does not is answered with `sure: false`, and the scanner asks the real tree. Being out or
//! stuck ends with the svg, but for the few end tags that could bring one stuck back into it: those
//! of the names that were open ([`Foreign::haunts`]).
//!
//! The stack is capped: deeper elements are only counted. That bounds memory, and the time a long
//! row of end tags that match nothing can cost. Where the tree cannot answer either, because the
//! page is absurd, the answer given with `sure: false` stands.

use memchr::memchr;

use crate::element::ElementName;
use crate::raw_text::closes;
use crate::start_tag::StartTag;
use crate::tag::Tag;

/// Open elements kept; real drawings stay well below.
const DEEPEST: usize = 128;

/// An open element, by how its content is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Svg,
    Math,
    /// an element whose content is HTML; it is always the innermost, HTML in it being left to the tree
    Point,
    /// math whose content is math but for `svg`
    Annotation,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    name: ElementName,
    kind: Kind,
}

/// How a tag is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// As HTML, or as svg or math.
    pub(crate) html: bool,
    /// Whether that is known.
    pub(crate) sure: bool,
}

impl Verdict {
    pub(crate) const HTML: Self = Self {
        html: true,
        sure: true,
    };
}

/// The open elements from the outermost svg or math inwards.
#[derive(Debug, Default)]
pub(crate) struct Foreign {
    open: Vec<Open>,
    /// open elements below the deepest kept
    deeper: usize,
    /// an end tag may have closed all of them
    out: bool,
    /// the page may be stuck in an element of this svg …
    stuck: bool,
    /// … and what was opened again in it may be closed: end tags count for svg again
    bare: bool,
    /// the page may be stuck in an element of an svg before
    stuck_before: bool,
    /// names of the elements in which the page may be stuck, and of those around them
    ghosts: Vec<ElementName>,
    /// how many of the open elements, from the outermost, are among them
    haunted: usize,
}

impl Foreign {
    /// Whether the scanner is in plain HTML, and no tag has to be looked at for what happened before.
    pub(crate) fn is_quiet(&self) -> bool {
        self.open.is_empty() && !self.stuck_before
    }

    /// Whether CDATA counts: in elements of svg and math.
    pub(crate) fn cdata(&self) -> Verdict {
        Verdict {
            html: self.open.is_empty(),
            sure: !self.is_doubtful() && !self.stuck_before,
        }
    }

    /// Takes in a start tag; `behind` is the page from its end on.
    pub(crate) fn start(
        &mut self,
        name: &ElementName,
        tag: Tag,
        start: &StartTag<'_>,
        behind: &[u8],
    ) -> Verdict {
        let Some(current) = self.open.last().copied() else {
            let kept = self.enter(name, tag, start);
            let sure = kept && !(self.stuck_before && name.is_glyph());
            return Verdict { html: true, sure };
        };
        if current.kind == Kind::Point {
            self.enter(name, tag, start);
            let html = !name.is_glyph();
            return Verdict { html, sure: false };
        }
        if name.breaks_out() || (name.as_bytes() == b"font" && start.font_style) {
            self.leave();
            return Verdict::HTML;
        }
        let mut sure = name.is_exact() && !(self.is_doubtful() && differs(name, tag, behind));
        if current.kind == Kind::Annotation && tag == Tag::Svg {
            sure = false;
        }
        // opened again and now met by another, a link is closed
        self.bare |= self.stuck && tag == Tag::Anchor;
        if !start.self_closing {
            let kind = if current.kind == Kind::Svg {
                svg_kind(name)
            } else {
                math_kind(name)
            };
            let holds_html = kind == Kind::Annotation && start.encoding.is_some_and(may_hold_html);
            sure &= self.push(*name, kind) && !holds_html;
        }
        Verdict { html: false, sure }
    }

    /// Takes in an end tag.
    pub(crate) fn end(&mut self, name: &ElementName) -> Verdict {
        if self.deeper > 0 {
            self.deeper -= 1;
            let html = name.as_bytes() == b"template";
            return Verdict { html, sure: false };
        }
        let Some(current) = self.open.last() else {
            let sure = !self.haunts(name);
            return Verdict { html: true, sure };
        };
        self.bare |= self.stuck && name.is_formatting();
        if matches!(name.as_bytes(), b"p" | b"br") {
            if current.kind != Kind::Point {
                self.leave();
            }
            return Verdict::HTML;
        }
        let found = self.open.iter().rposition(|open| open.name == *name);
        let ambiguous = name.as_bytes() == b"template" && self.is_doubtful();
        let sure = name.is_exact() && !ambiguous && !(self.bare && self.haunts(name));
        match found {
            Some(0) => self.leave(),
            Some(index) => {
                self.open.truncate(index);
                self.haunted = self.haunted.min(index);
            }
            None => self.out = true,
        }
        let html = found.is_none();
        Verdict { html, sure }
    }

    /// Leaves svg or math for the HTML around it.
    pub(crate) fn leave(&mut self) {
        self.open.clear();
        self.haunted = 0;
        self.deeper = 0;
        self.stuck_before |= self.stuck;
        self.stuck = false;
        self.bare = false;
        self.out = false;
    }

    /// Whether the page may stand elsewhere than the open elements say.
    fn is_doubtful(&self) -> bool {
        self.out || self.stuck
    }

    /// Whether the page, stuck, would be brought back into svg or math by an end tag of that name.
    fn haunts(&self, name: &ElementName) -> bool {
        self.ghosts.contains(name)
    }

    /// Opens svg or math in HTML; false when that is too deep.
    fn enter(&mut self, name: &ElementName, tag: Tag, start: &StartTag<'_>) -> bool {
        match tag {
            Tag::Svg if !start.self_closing => self.push(*name, Kind::Svg),
            Tag::Math if !start.self_closing => self.push(*name, Kind::Math),
            _ => true,
        }
    }

    /// False when that is too deep to be kept, or too much to be remembered.
    fn push(&mut self, name: ElementName, kind: Kind) -> bool {
        if self.open.len() >= DEEPEST {
            self.deeper += 1;
            return false;
        }
        self.open.push(Open { name, kind });
        if kind == Kind::Point {
            self.stuck = true;
            for open in &self.open[self.haunted..] {
                if !self.ghosts.contains(&open.name) {
                    self.ghosts.push(open.name);
                }
            }
            self.ghosts.truncate(DEEPEST);
            self.haunted = self.open.len();
        }
        self.ghosts.len() < DEEPEST
    }
}

/// Whether the start tag means one thing in HTML and another in svg and math. Elements of text mean
/// the same where there is nothing but text in them.
fn differs(name: &ElementName, tag: Tag, behind: &[u8]) -> bool {
    match tag {
        Tag::Svg | Tag::Math | Tag::Base | Tag::Template | Tag::Frameset | Tag::Plaintext => true,
        Tag::Script | Tag::RawText => {
            memchr(b'<', behind).is_some_and(|open| !closes(&behind[open + 1..], name.as_bytes()))
        }
        Tag::Anchor | Tag::Body | Tag::Other => name.is_glyph(),
    }
}

fn svg_kind(name: &ElementName) -> Kind {
    match name.as_bytes() {
        b"foreignobject" | b"desc" | b"title" => Kind::Point,
        _ => Kind::Svg,
    }
}

fn math_kind(name: &ElementName) -> Kind {
    match name.as_bytes() {
        b"mi" | b"mo" | b"mn" | b"ms" | b"mtext" => Kind::Point,
        b"annotation-xml" => Kind::Annotation,
        _ => Kind::Math,
    }
}

/// Whether an `annotation-xml` of that encoding, as written, may hold HTML.
fn may_hold_html(encoding: &[u8]) -> bool {
    encoding.contains(&b'&')
        || encoding.eq_ignore_ascii_case(b"text/html")
        || encoding.eq_ignore_ascii_case(b"application/xhtml+xml")
}
