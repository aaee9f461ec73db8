//! Tracks whether the scanner is inside SVG or MathML ("foreign content" in the HTML standard), and whether it
//! can be certain of it.
//!
//! Inside foreign content a tag can mean something else: `title` and `style` hold markup, `base` and
//! `template` are nothing special, and CDATA exists. So from an `svg` or `math` tag on, and only there, the
//! open elements are tracked; an empty stack means plain HTML.
//!
//! This is the standard's stack of open elements without the tree. Three things are invisible to it:
//!
//! * What is open around the svg. An end tag that matches nothing inside (`</div>`) either closes the svg or
//!   does nothing, depending on that. From there on the page may be *out* of the svg.
//! * Formatting left open earlier (`<p><b></p>`). It is reopened in the first text of a `title`, a `desc` or
//!   an `mi`, and then their end tag closes nothing: what follows is HTML, to the end of the svg and beyond.
//!   From the first such element on the page may be *stuck* in it.
//! * HTML inside SVG and MathML.
//!
//! None of this is guessed. A tag that reads the same in every possible state is read; any other is reported
//! with `certain: false`, and the scanner consults the real tree. Being out or stuck ends with the svg, except
//! for the few end tags that could bring a stuck page back into it: those of the names that were open
//! ([`ForeignContent::may_reenter`]).
//!
//! The stack is capped: deeper elements are only counted. That bounds memory, and the time that a long run of
//! unmatched end tags can cost. If the tree was cut short and cannot decide either, the reading returned with
//! `certain: false` is used.

use memchr::memchr;

use crate::element::ElementName;
use crate::raw_text::is_end_tag;
use crate::scanner_tag::ScannerTag;
use crate::start_tag::StartTag;

/// Maximum number of open elements tracked; real drawings stay well below.
const MAX_DEPTH: usize = 128;

/// How the content of an open element is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContentKind {
    Svg,
    Math,
    /// An integration point: its content is HTML. Always the innermost element, because HTML inside it is left
    /// to the tree.
    IntegrationPoint,
    /// `annotation-xml`: its content is MathML except for `svg`.
    AnnotationXml,
}

/// An open element inside SVG or MathML.
#[derive(Debug, Clone, Copy)]
struct OpenElement {
    name: ElementName,
    kind: ContentKind,
}

/// How a tag is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TagReading {
    /// Read it as HTML; otherwise as SVG or MathML.
    pub(crate) html: bool,
    /// Whether that reading is the only possible one.
    pub(crate) certain: bool,
}

impl TagReading {
    pub(crate) const HTML: Self = Self {
        html: true,
        certain: true,
    };
}

/// The open elements, from the outermost svg or math inward.
#[derive(Debug, Default)]
pub(crate) struct ForeignContent {
    open: Vec<OpenElement>,
    /// Number of open elements beyond [`MAX_DEPTH`].
    beyond_max: usize,
    /// An end tag may have closed all of them.
    may_be_out: bool,
    /// The page may be stuck in an element of this svg.
    may_be_stuck: bool,
    /// The formatting that made it stuck may be closed again: end tags may apply to the svg.
    formatting_closed: bool,
    /// The page may be stuck in an element of an earlier svg.
    stuck_in_earlier: bool,
    /// Names of the elements in which the page may be stuck, and of their ancestors.
    stuck_names: Vec<ElementName>,
    /// How many of the open elements, from the outermost, are recorded in `stuck_names`.
    recorded: usize,
}

impl ForeignContent {
    /// Whether the scanner is in plain HTML and nothing earlier makes the next tags uncertain.
    pub(crate) fn is_plain_html(&self) -> bool {
        self.open.is_empty() && !self.stuck_in_earlier
    }

    /// Whether a CDATA section is one: only inside SVG and MathML.
    pub(crate) fn cdata(&self) -> TagReading {
        TagReading {
            html: self.open.is_empty(),
            certain: !self.is_doubtful() && !self.stuck_in_earlier,
        }
    }

    /// Processes a start tag; `after` is the page after it.
    pub(crate) fn start(
        &mut self,
        name: &ElementName,
        tag: ScannerTag,
        start: &StartTag<'_>,
        after: &[u8],
    ) -> TagReading {
        let Some(current) = self.open.last().copied() else {
            let kept = self.enter(name, tag, start);
            let certain = kept && !(self.stuck_in_earlier && name.is_glyph());
            return TagReading {
                html: true,
                certain,
            };
        };
        if current.kind == ContentKind::IntegrationPoint {
            self.enter(name, tag, start);
            let html = !name.is_glyph();
            return TagReading {
                html,
                certain: false,
            };
        }
        if name.breaks_out() || (name.as_bytes() == b"font" && start.font_style) {
            self.leave();
            return TagReading::HTML;
        }
        let mut certain =
            name.is_exact() && !(self.is_doubtful() && reads_differently(name, tag, after));
        if current.kind == ContentKind::AnnotationXml && tag == ScannerTag::Svg {
            certain = false;
        }
        // A reopened link is closed when another link starts.
        self.formatting_closed |= self.may_be_stuck && tag == ScannerTag::Anchor;
        if !start.self_closing {
            let kind = if current.kind == ContentKind::Svg {
                svg_kind(name)
            } else {
                math_kind(name)
            };
            let holds_html =
                kind == ContentKind::AnnotationXml && start.encoding.is_some_and(may_hold_html);
            certain &= self.push(*name, kind) && !holds_html;
        }
        TagReading {
            html: false,
            certain,
        }
    }

    /// Processes an end tag.
    pub(crate) fn end(&mut self, name: &ElementName) -> TagReading {
        if self.beyond_max > 0 {
            self.beyond_max -= 1;
            let html = name.as_bytes() == b"template";
            return TagReading {
                html,
                certain: false,
            };
        }
        let Some(current) = self.open.last() else {
            let certain = !self.may_reenter(name);
            return TagReading {
                html: true,
                certain,
            };
        };
        self.formatting_closed |= self.may_be_stuck && name.is_formatting();
        if matches!(name.as_bytes(), b"p" | b"br") {
            if current.kind != ContentKind::IntegrationPoint {
                self.leave();
            }
            return TagReading::HTML;
        }
        let found = self.open.iter().rposition(|open| open.name == *name);
        let ambiguous = name.as_bytes() == b"template" && self.is_doubtful();
        let certain =
            name.is_exact() && !ambiguous && !(self.formatting_closed && self.may_reenter(name));
        match found {
            Some(0) => self.leave(),
            Some(index) => {
                self.open.truncate(index);
                self.recorded = self.recorded.min(index);
            }
            None => self.may_be_out = true,
        }
        let html = found.is_none();
        TagReading { html, certain }
    }

    /// Leaves SVG or MathML for the surrounding HTML.
    pub(crate) fn leave(&mut self) {
        self.open.clear();
        self.recorded = 0;
        self.beyond_max = 0;
        self.stuck_in_earlier |= self.may_be_stuck;
        self.may_be_stuck = false;
        self.formatting_closed = false;
        self.may_be_out = false;
    }

    /// Whether the actual position may differ from the open elements.
    fn is_doubtful(&self) -> bool {
        self.may_be_out || self.may_be_stuck
    }

    /// Whether an end tag of that name could bring a stuck page back into SVG or MathML.
    fn may_reenter(&self, name: &ElementName) -> bool {
        self.stuck_names.contains(name)
    }

    /// Opens SVG or MathML from HTML; returns false if it is nested too deeply.
    fn enter(&mut self, name: &ElementName, tag: ScannerTag, start: &StartTag<'_>) -> bool {
        match tag {
            ScannerTag::Svg if !start.self_closing => self.push(*name, ContentKind::Svg),
            ScannerTag::Math if !start.self_closing => self.push(*name, ContentKind::Math),
            _ => true,
        }
    }

    /// Returns false if the element is too deep to be tracked or there are too many names to record.
    fn push(&mut self, name: ElementName, kind: ContentKind) -> bool {
        if self.open.len() >= MAX_DEPTH {
            self.beyond_max += 1;
            return false;
        }
        self.open.push(OpenElement { name, kind });
        if kind == ContentKind::IntegrationPoint {
            self.may_be_stuck = true;
            for open in &self.open[self.recorded..] {
                if !self.stuck_names.contains(&open.name) {
                    self.stuck_names.push(open.name);
                }
            }
            self.stuck_names.truncate(MAX_DEPTH);
            self.recorded = self.open.len();
        }
        self.stuck_names.len() < MAX_DEPTH
    }
}

/// Whether the start tag reads differently in HTML than in SVG and MathML. A raw-text element reads the same
/// if it holds nothing but text.
fn reads_differently(name: &ElementName, tag: ScannerTag, after: &[u8]) -> bool {
    match tag {
        ScannerTag::Svg
        | ScannerTag::Math
        | ScannerTag::Base
        | ScannerTag::Template
        | ScannerTag::Frameset
        | ScannerTag::Plaintext => true,
        ScannerTag::Script | ScannerTag::RawText => {
            memchr(b'<', after).is_some_and(|open| !is_end_tag(&after[open + 1..], name.as_bytes()))
        }
        ScannerTag::Anchor | ScannerTag::Body | ScannerTag::Other => name.is_glyph(),
    }
}

fn svg_kind(name: &ElementName) -> ContentKind {
    match name.as_bytes() {
        b"foreignobject" | b"desc" | b"title" => ContentKind::IntegrationPoint,
        _ => ContentKind::Svg,
    }
}

fn math_kind(name: &ElementName) -> ContentKind {
    match name.as_bytes() {
        b"mi" | b"mo" | b"mn" | b"ms" | b"mtext" => ContentKind::IntegrationPoint,
        b"annotation-xml" => ContentKind::AnnotationXml,
        _ => ContentKind::Math,
    }
}

/// Whether an `annotation-xml` with this `encoding` attribute, as written, may hold HTML.
fn may_hold_html(encoding: &[u8]) -> bool {
    encoding.contains(&b'&')
        || encoding.eq_ignore_ascii_case(b"text/html")
        || encoding.eq_ignore_ascii_case(b"application/xhtml+xml")
}
