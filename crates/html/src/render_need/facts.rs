//! The walk over a page's tags, and what it counts.

use memchr::memchr;

use super::roots::{OpenRoot, Roots, is_skeleton};
use super::scripts::{Script, moves_reader};
use super::words::{asks_for_scripts, names_scripts, says_wait};
use crate::attributes::{Attributes, Step, is_space};
use crate::markup::{bogus_end, declaration_end};
use crate::raw_text::{raw_text_end, script_end};

/// How much of the text is kept to be read: notices are short and come early.
const KEPT: usize = 600;

/// What a page has.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Bytes of visible text that are not white space.
    pub(super) text: usize,
    /// What of it is the text of links.
    pub(super) link_text: usize,
    /// Its longest run between two tags.
    pub(super) longest: usize,
    /// Bytes of text in `noscript`.
    pub(super) noscript_text: usize,
    /// Links that lead somewhere.
    pub(super) links: usize,
    pub(super) images: usize,
    pub(super) frames: usize,
    pub(super) canvases: usize,
    /// Fields and buttons …
    pub(super) controls: usize,
    /// … and those of them that are hidden.
    pub(super) hidden_controls: usize,
    /// Script files whose names tell of an application.
    pub(super) bundles: usize,
    /// Script files that are neither that nor counting visitors.
    pub(super) files: usize,
    /// Scripts that count visitors, wherever they are.
    pub(super) counters: usize,
    /// Bytes of code in the page.
    pub(super) inline_scripts: usize,
    /// Bytes of JSON in the page that scripts read.
    pub(super) state: usize,
    /// A script or the body's `onload` sends the reader elsewhere.
    pub(super) moves: bool,
    /// `{{ }}` in the text.
    pub(super) mustaches: usize,
    /// Elements that hold a place for what is to come.
    pub(super) skeletons: usize,
    /// The root of a framework is there and nothing is in it.
    pub(super) empty_root: bool,
    /// Without scripts the page sends the reader elsewhere.
    noscript_refresh: bool,
    shown: Vec<u8>,
    unscripted: Vec<u8>,
}

impl Facts {
    /// Reads a page until `enough` text was met.
    pub(super) fn of(bytes: &[u8], enough: usize) -> Self {
        let mut walk = Walk {
            bytes,
            facts: Self::default(),
            roots: Roots::default(),
            templates: 0,
            noscript: false,
            in_link: false,
        };
        walk.run(enough);
        let mut facts = walk.facts;
        if let Some(open) = walk.roots.close_all() {
            facts.take_root(&open);
        }
        facts
    }

    /// Whether any script runs.
    pub(super) fn has_scripts(&self) -> bool {
        self.bundles + self.files + self.counters + self.inline_scripts > 0 || self.moves
    }

    /// Fields and buttons a reader sees.
    pub(super) fn shown_controls(&self) -> usize {
        self.controls - self.hidden_controls
    }

    /// Whether the page says that it needs JavaScript.
    pub(super) fn notice(&self) -> bool {
        self.noscript_refresh || names_scripts(&self.unscripted) || asks_for_scripts(&self.shown)
    }

    /// Whether the page says that it is loading.
    pub(super) fn waits(&self) -> bool {
        says_wait(&self.shown)
    }

    /// An empty root, or one that only says "wait".
    fn take_root(&mut self, open: &OpenRoot) {
        let text = self.text - open.text;
        let bare = self.links == open.links && self.controls <= open.controls + 1;
        let shown = &self.shown[open.shown.min(self.shown.len())..];
        let waiting = text <= super::WAITING && says_wait(shown);
        self.empty_root |= bare && (text == 0 || waiting);
    }
}

struct Walk<'a> {
    bytes: &'a [u8],
    facts: Facts,
    roots: Roots,
    templates: usize,
    noscript: bool,
    in_link: bool,
}

impl Walk<'_> {
    fn run(&mut self, enough: usize) {
        let bytes = self.bytes;
        let mut at = 0;
        while self.facts.text < enough {
            let Some(length) = memchr(b'<', &bytes[at..]) else {
                self.text(&bytes[at..]);
                return;
            };
            let open = at + length;
            self.text(&bytes[at..open]);
            at = match bytes.get(open + 1) {
                Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(open + 1),
                Some(b'/') => self.end_tag(open + 2),
                Some(b'!') => declaration_end(bytes, open, false),
                Some(b'?') => bogus_end(bytes, open + 2),
                _ => open + 1,
            };
        }
    }

    fn text(&mut self, text: &[u8]) {
        if text.is_empty() || self.templates > 0 {
            return;
        }
        let (count, kept) = if self.noscript {
            (&mut self.facts.noscript_text, &mut self.facts.unscripted)
        } else {
            (&mut self.facts.text, &mut self.facts.shown)
        };
        let trimmed = text.trim_ascii();
        if trimmed.is_empty() {
            return;
        }
        if trimmed.starts_with(b"{{") && trimmed.ends_with(b"}}") {
            self.facts.mustaches += 1;
            return;
        }
        let bytes = readable_bytes(trimmed);
        *count += bytes;
        let room = KEPT.saturating_sub(kept.len());
        if room > 0 {
            kept.extend(trimmed.iter().take(room).map(u8::to_ascii_lowercase));
            kept.push(b' ');
        }
        if self.in_link && !self.noscript {
            self.facts.link_text += bytes;
        }
        if !self.noscript || self.facts.noscript_text >= super::FALLBACK {
            self.facts.longest = self.facts.longest.max(bytes);
        }
    }

    /// Reads the start tag whose name starts at `at`, and the raw text behind it. Returns where to go on.
    fn start_tag(&mut self, at: usize) -> usize {
        let bytes = self.bytes;
        let name = &bytes[at..name_end(bytes, at)];
        let mut attributes = Attributes::new(bytes, at + name.len());
        let mut tag = TagFacts::default();
        loop {
            match attributes.step() {
                Step::Attribute { name, value } => tag.take(name, value),
                Step::Closed { self_closing } => {
                    tag.self_closing = self_closing;
                    break;
                }
                Step::Unclosed => return bytes.len(),
            }
        }
        let behind = attributes.position();
        if self.templates == 0 {
            self.element(name, &tag);
        }
        self.content(name, &tag, behind)
    }

    /// Counts an element.
    fn element(&mut self, name: &[u8], tag: &TagFacts<'_>) {
        let facts = &mut self.facts;
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        if self.noscript {
            facts.noscript_refresh |= is("meta") && tag.refreshes;
            // What stands there for readers without scripts is there to be read.
            facts.links += usize::from(is("a") && tag.leads);
            return;
        }
        match name.len() {
            1 if is("a") => {
                facts.links += usize::from(tag.leads);
                self.in_link = tag.leads;
            }
            4 if is("link") => facts.bundles += usize::from(tag.preloads),
            3 if is("img") => facts.images += 1,
            4 if is("body") => facts.moves |= tag.moves,
            5 if is("input") => {
                facts.controls += 1;
                facts.hidden_controls += usize::from(tag.hidden_field);
            }
            5 if is("video") || is("audio") || is("embed") || is("image") => facts.images += 1,
            5 if is("frame") => facts.frames += 1,
            6 if is("button") || is("select") => facts.controls += 1,
            6 if is("iframe") => facts.frames += 1,
            6 if is("canvas") => facts.canvases += 1,
            6 if is("object") => facts.images += 1,
            8 if is("textarea") => facts.controls += 1,
            _ => {}
        }
        facts.skeletons += usize::from(is_skeleton(tag.class));
        let here = OpenRoot {
            text: facts.text,
            links: facts.links,
            controls: facts.controls,
            shown: facts.shown.len(),
            depth: 1,
        };
        self.roots
            .start(name, tag.root || super::roots::is_root_name(name), here);
    }

    /// What follows a start tag, where that is no markup. Returns where to go on.
    fn content(&mut self, name: &[u8], tag: &TagFacts<'_>, behind: usize) -> usize {
        let bytes = self.bytes;
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        // In svg, where these occur as well, such a tag is whole; elsewhere nobody writes it.
        if tag.self_closing {
            if is("script") && self.templates == 0 {
                self.script(tag, &[]);
            }
            if !is("script") {
                return behind;
            }
        }
        match name.len() {
            6 if is("script") => {
                let end = script_end(bytes, behind);
                if self.templates == 0 {
                    self.script(tag, &bytes[behind..end]);
                }
                end
            }
            3 if is("xmp") => raw_text_end(bytes, behind, name),
            5 if is("style") || is("title") => raw_text_end(bytes, behind, name),
            6 if is("iframe") => raw_text_end(bytes, behind, name),
            7 if is("noembed") => raw_text_end(bytes, behind, name),
            8 if is("textarea") || is("noframes") => raw_text_end(bytes, behind, name),
            8 if is("template") => {
                self.templates += 1;
                behind
            }
            8 if is("noscript") && self.templates == 0 => {
                self.noscript = true;
                behind
            }
            _ => behind,
        }
    }

    fn script(&mut self, tag: &TagFacts<'_>, code: &[u8]) {
        if self.noscript {
            return;
        }
        let facts = &mut self.facts;
        match Script::of(tag.kind, tag.source, code) {
            Script::Bundle => facts.bundles += 1,
            Script::File => facts.files += 1,
            Script::Counter => facts.counters += 1,
            Script::State => facts.state += code.len(),
            Script::Inline => {
                facts.inline_scripts += code.len();
                facts.moves |= moves_reader(code);
            }
            Script::Inert => {}
        }
    }

    /// Reads what follows a `</` that ends before `at`.
    fn end_tag(&mut self, at: usize) -> usize {
        let bytes = self.bytes;
        match bytes.get(at) {
            Some(byte) if byte.is_ascii_alphabetic() => {}
            Some(_) => return bogus_end(bytes, at),
            None => return at,
        }
        let name = &bytes[at..name_end(bytes, at)];
        let mut attributes = Attributes::new(bytes, at + name.len());
        if !attributes.skip() {
            return bytes.len();
        }
        if name.eq_ignore_ascii_case(b"template") {
            self.templates = self.templates.saturating_sub(1);
        } else if self.templates == 0 {
            if name.eq_ignore_ascii_case(b"a") {
                self.in_link = false;
            }
            if name.eq_ignore_ascii_case(b"noscript") {
                self.noscript = false;
            }
            if let Some(open) = self.roots.end(name) {
                self.facts.take_root(&open);
            }
        }
        attributes.position()
    }
}

/// What of a tag's attributes counts.
#[derive(Default)]
struct TagFacts<'a> {
    class: &'a [u8],
    kind: Option<&'a [u8]>,
    source: Option<&'a [u8]>,
    leads: bool,
    moves: bool,
    refreshes: bool,
    hidden_field: bool,
    preloads: bool,
    root: bool,
    self_closing: bool,
}

impl<'a> TagFacts<'a> {
    fn take(&mut self, name: &'a [u8], value: &'a [u8]) {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        match name.len() {
            2 if is("id") => self.root |= super::roots::is_root_id(value),
            3 if is("rel") => self.preloads = value.eq_ignore_ascii_case(b"modulepreload"),
            3 if is("src") => self.source = Some(value),
            4 if is("href") => self.leads = leads(value),
            4 if is("type") => {
                self.kind = Some(value);
                self.hidden_field = value.eq_ignore_ascii_case(b"hidden");
            }
            5 if is("class") => {
                self.class = value;
                self.root |= super::roots::is_root_class(value);
            }
            6 if is("onload") => self.moves = moves_reader(value),
            10 if is("http-equiv") => self.refreshes = value.eq_ignore_ascii_case(b"refresh"),
            _ => self.root |= super::roots::is_root_attribute(name),
        }
    }
}

/// Whether a link leads anywhere but to where its reader is.
fn leads(href: &[u8]) -> bool {
    let href = href.trim_ascii();
    let script = href
        .get(..11)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"javascript:"));
    !href.is_empty() && href[0] != b'#' && !script
}

/// Bytes that are not white space; a character reference counts as one, and a space that does not break as none.
fn readable_bytes(text: &[u8]) -> usize {
    let mut count = 0;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        if *byte == b'&' {
            let window = &text[at..text.len().min(at + 12)];
            if let Some(end) = memchr(b';', window) {
                count += usize::from(!matches!(&window[1..end], b"nbsp" | b"#160" | b"#xa0"));
                at += end + 1;
                continue;
            }
        }
        count += usize::from(!is_space(*byte));
        at += 1;
    }
    count
}

/// Where the tag name that starts at `at` ends.
fn name_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b'>' | b'/') || is_space(*byte);
    let length = bytes[at..].iter().position(ends);
    length.map_or(bytes.len(), |length| at + length)
}
