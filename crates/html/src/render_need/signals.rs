//! Walks over the tags of a page and counts the signals.

use memchr::memchr;

use super::phrases::{asks_for_scripts, is_loading_message, mentions_scripts};
use super::roots::{OpenRoot, Roots, is_skeleton};
use super::scripts::{Script, is_redirect};
use crate::attributes::{Attributes, TagPart, is_space};
use crate::markup::{bogus_end, declaration_end};
use crate::raw_text::{raw_text_end, script_end};

/// Bytes of text kept for recognizing notices, which are short and come early.
const MAX_KEPT_TEXT: usize = 600;

/// Counts and flags that indicate how much a page shows without a browser.
#[derive(Debug, Default)]
pub(super) struct PageSignals {
    /// Bytes of visible text that are not white space.
    pub(super) text: usize,
    /// The part of `text` that is inside links.
    pub(super) link_text: usize,
    /// The longest run of text between two tags.
    pub(super) longest: usize,
    /// Bytes of text in `noscript`.
    pub(super) noscript_text: usize,
    /// Links that lead to another page.
    pub(super) links: usize,
    pub(super) images: usize,
    pub(super) frames: usize,
    pub(super) canvases: usize,
    /// Form fields and buttons.
    pub(super) controls: usize,
    /// The hidden ones among `controls`.
    pub(super) hidden_controls: usize,
    /// Script files whose names suggest an application.
    pub(super) bundles: usize,
    /// Script files that are neither that nor analytics.
    pub(super) files: usize,
    /// Analytics scripts, inline or not.
    pub(super) analytics: usize,
    /// Bytes of inline code.
    pub(super) inline_scripts: usize,
    /// Bytes of inline JSON that scripts read.
    pub(super) state: usize,
    /// A script or the body's `onload` redirects to another page.
    pub(super) redirects: bool,
    /// `{{ }}` placeholders in the text.
    pub(super) mustaches: usize,
    /// Elements that are placeholders for content to be loaded.
    pub(super) skeletons: usize,
    /// There is a framework's root element with nothing in it.
    pub(super) empty_root: bool,
    /// Without scripts, a `meta refresh` redirects to another page.
    noscript_refresh: bool,
    shown: Vec<u8>,
    noscript_words: Vec<u8>,
}

impl PageSignals {
    /// Reads a page until `enough` text has been seen.
    pub(super) fn of(bytes: &[u8], enough: usize) -> Self {
        let mut walk = SignalWalk {
            bytes,
            signals: Self::default(),
            roots: Roots::default(),
            templates: 0,
            noscript: false,
            in_link: false,
        };
        walk.run(enough);
        let mut signals = walk.signals;
        if let Some(open) = walk.roots.close_all() {
            signals.close_root(&open);
        }
        signals
    }

    /// Whether any script runs.
    pub(super) fn has_scripts(&self) -> bool {
        self.bundles + self.files + self.analytics + self.inline_scripts > 0 || self.redirects
    }

    /// Number of visible form fields and buttons.
    pub(super) fn shown_controls(&self) -> usize {
        self.controls - self.hidden_controls
    }

    /// Whether the page says that it needs JavaScript.
    pub(super) fn has_notice(&self) -> bool {
        self.noscript_refresh
            || mentions_scripts(&self.noscript_words)
            || asks_for_scripts(&self.shown)
    }

    /// Whether the page says that it is loading.
    pub(super) fn is_loading(&self) -> bool {
        is_loading_message(&self.shown)
    }

    /// Records a root that is empty or shows only a loading message.
    fn close_root(&mut self, open: &OpenRoot) {
        let text = self.text - open.text;
        let bare = self.links == open.links && self.controls <= open.controls + 1;
        let shown = &self.shown[open.shown.min(self.shown.len())..];
        let waiting = text <= super::MAX_LOADING_TEXT && is_loading_message(shown);
        self.empty_root |= bare && (text == 0 || waiting);
    }
}

/// The state of the walk over one page.
struct SignalWalk<'a> {
    bytes: &'a [u8],
    signals: PageSignals,
    roots: Roots,
    templates: usize,
    noscript: bool,
    in_link: bool,
}

impl SignalWalk<'_> {
    /// Reads the page until `enough` text was seen. For the repeated dispatch see [`crate::scanner`].
    fn run(&mut self, enough: usize) {
        let bytes = self.bytes;
        let mut at = 0;
        while self.signals.text < enough {
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
            (
                &mut self.signals.noscript_text,
                &mut self.signals.noscript_words,
            )
        } else {
            (&mut self.signals.text, &mut self.signals.shown)
        };
        let trimmed = text.trim_ascii();
        if trimmed.is_empty() {
            return;
        }
        if trimmed.starts_with(b"{{") && trimmed.ends_with(b"}}") {
            self.signals.mustaches += 1;
            return;
        }
        let bytes = readable_bytes(trimmed);
        *count += bytes;
        let space = MAX_KEPT_TEXT.saturating_sub(kept.len());
        if space > 0 {
            kept.extend(trimmed.iter().take(space).map(u8::to_ascii_lowercase));
            kept.push(b' ');
        }
        if self.in_link && !self.noscript {
            self.signals.link_text += bytes;
        }
        if !self.noscript || self.signals.noscript_text >= super::MIN_FALLBACK_TEXT {
            self.signals.longest = self.signals.longest.max(bytes);
        }
    }

    /// Reads the start tag whose name starts at `at`, and the raw text after it. Returns where to continue.
    fn start_tag(&mut self, at: usize) -> usize {
        let bytes = self.bytes;
        let name = &bytes[at..name_end(bytes, at)];
        let mut attributes = Attributes::new(bytes, at + name.len());
        let mut tag = TagAttributes::default();
        loop {
            match attributes.next_part() {
                TagPart::Attribute { name, value } => tag.take(name, value),
                TagPart::Closed { self_closing } => {
                    tag.self_closing = self_closing;
                    break;
                }
                TagPart::Unclosed => return bytes.len(),
            }
        }
        let after = attributes.position();
        if self.templates == 0 {
            self.element(name, &tag);
        }
        self.content(name, &tag, after)
    }

    /// Counts an element.
    fn element(&mut self, name: &[u8], tag: &TagAttributes<'_>) {
        let signals = &mut self.signals;
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        if self.noscript {
            signals.noscript_refresh |= is("meta") && tag.refreshes;
            // Links for readers without scripts are real links.
            signals.links += usize::from(is("a") && tag.leads_to_page);
            return;
        }
        match name.len() {
            1 if is("a") => {
                signals.links += usize::from(tag.leads_to_page);
                self.in_link = tag.leads_to_page;
            }
            4 if is("link") => signals.bundles += usize::from(tag.preloads),
            3 if is("img") => signals.images += 1,
            4 if is("body") => signals.redirects |= tag.redirects,
            5 if is("input") => {
                signals.controls += 1;
                signals.hidden_controls += usize::from(tag.hidden_field);
            }
            5 if is("video") || is("audio") || is("embed") || is("image") => signals.images += 1,
            5 if is("frame") => signals.frames += 1,
            6 if is("button") || is("select") => signals.controls += 1,
            6 if is("iframe") => signals.frames += 1,
            6 if is("canvas") => signals.canvases += 1,
            6 if is("object") => signals.images += 1,
            8 if is("textarea") => signals.controls += 1,
            _ => {}
        }
        signals.skeletons += usize::from(is_skeleton(tag.class));
        let here = OpenRoot {
            text: signals.text,
            links: signals.links,
            controls: signals.controls,
            shown: signals.shown.len(),
            depth: 1,
        };
        self.roots
            .start(name, tag.root || super::roots::is_root_name(name), here);
    }

    /// Skips the content of a start tag if it is not markup. Returns where to continue.
    fn content(&mut self, name: &[u8], tag: &TagAttributes<'_>, after: usize) -> usize {
        let bytes = self.bytes;
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        // In SVG, where these elements occur too, a self-closing tag has no content; elsewhere it is hardly
        // ever written.
        if tag.self_closing {
            if is("script") && self.templates == 0 {
                self.script(tag, &[]);
            }
            if !is("script") {
                return after;
            }
        }
        match name.len() {
            6 if is("script") => {
                let end = script_end(bytes, after);
                if self.templates == 0 {
                    self.script(tag, &bytes[after..end]);
                }
                end
            }
            3 if is("xmp") => raw_text_end(bytes, after, name),
            5 if is("style") || is("title") => raw_text_end(bytes, after, name),
            6 if is("iframe") => raw_text_end(bytes, after, name),
            7 if is("noembed") => raw_text_end(bytes, after, name),
            8 if is("textarea") || is("noframes") => raw_text_end(bytes, after, name),
            8 if is("template") => {
                self.templates += 1;
                after
            }
            8 if is("noscript") && self.templates == 0 => {
                self.noscript = true;
                after
            }
            _ => after,
        }
    }

    fn script(&mut self, tag: &TagAttributes<'_>, code: &[u8]) {
        if self.noscript {
            return;
        }
        let signals = &mut self.signals;
        match Script::of(tag.kind, tag.source, code) {
            Script::Bundle => signals.bundles += 1,
            Script::File => signals.files += 1,
            Script::Analytics => signals.analytics += 1,
            Script::State => signals.state += code.len(),
            Script::Inline => {
                signals.inline_scripts += code.len();
                signals.redirects |= is_redirect(code);
            }
            Script::Inert => {}
        }
    }

    /// Reads what follows a `</`; `at` is the position after it. The opening lines equal those of the link
    /// scanner's `end_tag`, which tracks other state and is kept separate for speed.
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
                self.signals.close_root(&open);
            }
        }
        attributes.position()
    }
}

/// The attributes of a tag that matter here.
#[derive(Default)]
struct TagAttributes<'a> {
    class: &'a [u8],
    kind: Option<&'a [u8]>,
    source: Option<&'a [u8]>,
    leads_to_page: bool,
    redirects: bool,
    refreshes: bool,
    hidden_field: bool,
    preloads: bool,
    root: bool,
    self_closing: bool,
}

impl<'a> TagAttributes<'a> {
    fn take(&mut self, name: &'a [u8], value: &'a [u8]) {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        match name.len() {
            2 if is("id") => self.root |= super::roots::is_root_id(value),
            3 if is("rel") => self.preloads = value.eq_ignore_ascii_case(b"modulepreload"),
            3 if is("src") => self.source = Some(value),
            4 if is("href") => self.leads_to_page = leads_to_page(value),
            4 if is("type") => {
                self.kind = Some(value);
                self.hidden_field = value.eq_ignore_ascii_case(b"hidden");
            }
            5 if is("class") => {
                self.class = value;
                self.root |= super::roots::is_root_class(value);
            }
            6 if is("onload") => self.redirects = is_redirect(value),
            10 if is("http-equiv") => self.refreshes = value.eq_ignore_ascii_case(b"refresh"),
            _ => self.root |= super::roots::is_root_attribute(name),
        }
    }
}

/// Whether a link leads to another page.
fn leads_to_page(href: &[u8]) -> bool {
    let href = href.trim_ascii();
    let script = href
        .get(..11)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"javascript:"));
    !href.is_empty() && href[0] != b'#' && !script
}

/// The number of bytes that are not white space; a character reference counts as one, a no-break space as
/// none.
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

/// The end of the tag name that starts at `at`.
fn name_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b'>' | b'/') || is_space(*byte);
    let length = bytes[at..].iter().position(ends);
    length.map_or(bytes.len(), |length| at + length)
}
