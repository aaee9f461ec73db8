//! Writes a page as inert HTML: text, structure, links and images, nothing that runs.
//!
//! Tags and attributes come from allow-lists ([`allow`]) and addresses only have schemes that do not execute,
//! so nothing from the page can run where the output is displayed. An element that is not on the list loses its
//! tag and keeps its text; what is not displayed is left out.
//!
//! Invariant: parsing the output produces the tree it was written from. Leaving out tags can put an element
//! where a parser would move it (a block in a `p`, a link in a link), so every tag is checked against the open
//! ones and dropped or replaced if it would not stay there.

mod allow;

use crate::tree::{NodeId, Tag, Tree};
use crate::writing::code::{is_gutter, language};
use crate::writing::display_attributes::{
    DisplayAttributes, is_closed_dialog, is_copy_control, is_dropped,
};
use crate::writing::formula::Formula;
use crate::writing::image::{image_source, is_tracking_pixel, media_source, shows_missing_image};
use crate::writing::selection::{HiddenBlocks, Selection, Step, Steps};
use crate::writing::target::{link_target, media_target};
use allow::{ends_paragraph, is_allowed, is_heading, is_table_part, kept_attribute};

/// Writes the selected part of a page as HTML without anything that runs.
///
/// `resolve` makes an address absolute; if it returns `None`, only the text of the link is written.
pub fn to_inert_html(
    tree: &Tree,
    selection: &Selection,
    resolve: &dyn Fn(&str) -> Option<String>,
) -> String {
    let mut writer = Writer {
        tree,
        resolve,
        out: String::new(),
        open: Vec::new(),
        pre_start: 0,
        split: split_paragraphs(tree, selection),
        hidden_blocks: selection.hidden_blocks(),
    };
    let mut steps = selection.steps(tree);
    while let Some(step) = steps.next() {
        match step {
            Step::Enter(id) => writer.enter(id, &mut steps),
            Step::Leave(id) => writer.leave(id),
        }
    }
    let kept = writer.out.trim_end().len();
    writer.out.truncate(kept);
    if !writer.out.is_empty() {
        writer.out.push('\n');
    }
    writer.out
}

/// Paragraphs that contain a block, which only malformed or old pages have. A parser would split them, so they
/// are written as `div`.
fn split_paragraphs(tree: &Tree, selection: &Selection) -> Vec<NodeId> {
    let mut split = Vec::new();
    let mut open: Vec<NodeId> = Vec::new();
    for step in selection.steps(tree) {
        match step {
            Step::Enter(id) => match tree.tag(id) {
                Some(Tag::P) => {
                    if let Some(&around) = open.last() {
                        split.push(around);
                    }
                    open.push(id);
                }
                Some(tag) if ends_paragraph(tag) => split.extend(open.last()),
                _ => {}
            },
            Step::Leave(id) => {
                if open.last() == Some(&id) {
                    open.pop();
                }
            }
        }
    }
    split.sort_unstable();
    split.dedup();
    split
}

/// A tag that was written and is not closed yet, with the state a parser would have.
#[derive(Debug, Clone, Copy)]
struct OpenTag {
    id: NodeId,
    tag: Tag,
    in_link: bool,
    in_entry: bool,
    in_term: bool,
    in_pre: bool,
    /// Whether a `code` has been written directly inside; only set for `pre`.
    has_code: bool,
}

/// The state of writing one page.
struct Writer<'a> {
    tree: &'a Tree,
    resolve: &'a dyn Fn(&str) -> Option<String>,
    out: String,
    open: Vec<OpenTag>,
    split: Vec<NodeId>,
    /// Start of the content of the last `pre`; at first, of the page.
    pre_start: usize,
    hidden_blocks: HiddenBlocks,
}

impl Writer<'_> {
    fn enter(&mut self, id: NodeId, steps: &mut Steps<'_>) {
        let tree = self.tree;
        let Some(tag) = tree.tag(id) else {
            if let Some(text) = tree.text(id) {
                self.write_text(text);
            }
            return;
        };
        let display = DisplayAttributes::of(tree, id);
        let hidden = display.is_invisible(tag, self.hidden_blocks)
            || (is_dropped(tag) && !matches!(tag, Tag::Rp | Tag::Col | Tag::Colgroup))
            || is_gutter(&display)
            || (tag == Tag::Button && is_copy_control(tree, id, &display))
            || (tag == Tag::Dialog && is_closed_dialog(tree, id, self.hidden_blocks))
            || (tag == Tag::Noscript && !shows_missing_image(tree, id))
            || matches!(tag, Tag::Noframes | Tag::Noembed | Tag::Frameset);
        if hidden {
            steps.skip_children();
            self.enter_hidden(id, tag);
            return;
        }
        match tag {
            Tag::Img => self.write_image(id),
            Tag::Iframe | Tag::Video | Tag::Audio | Tag::Embed | Tag::Object => {
                let written = self.write_media(id, tag);
                // The content is a fallback for browsers that cannot show the object itself.
                if written || tag != Tag::Object {
                    steps.skip_children();
                }
            }
            Tag::Math => {
                if let Some(formula) = Formula::of_math(tree, id) {
                    self.write_text(&formula.text);
                }
                steps.skip_children();
            }
            Tag::Br | Tag::Hr | Tag::Wbr | Tag::Col => {
                if tag != Tag::Col || self.top() == Some(Tag::Colgroup) {
                    self.start_tag(id, tag);
                }
            }
            _ => self.open(id, tag),
        }
    }

    /// Handles the few elements without text of their own that still mean something.
    fn enter_hidden(&mut self, id: NodeId, tag: Tag) {
        match tag {
            // Text between the cells of a table would be moved out of it when the HTML is parsed again.
            Tag::Script if !self.is_between_cells() => {
                if let Some(formula) = Formula::of_script(self.tree, id) {
                    self.write_text(&formula.text);
                }
            }
            Tag::Input if self.tree.attr(id, "type") == Some("checkbox") => {
                let is_checked = self.tree.attr(id, "checked").is_some();
                self.out.push_str(if is_checked { "☑ " } else { "☐ " });
            }
            _ => {}
        }
    }

    fn leave(&mut self, id: NodeId) {
        if let Some(open) = self.open.last().copied()
            && open.id == id
        {
            self.open.pop();
            self.out.push_str("</");
            self.out.push_str(open.tag.name());
            self.out.push('>');
        }
    }

    fn is_between_cells(&self) -> bool {
        use Tag::{Colgroup, Table, Tbody, Tfoot, Thead, Tr};
        let top = self.top();
        top.is_some_and(|tag| matches!(tag, Table | Tbody | Thead | Tfoot | Tr | Colgroup))
    }

    fn top(&self) -> Option<Tag> {
        self.open.last().map(|open| open.tag)
    }

    /// Writes a start tag if it is allowed here.
    fn open(&mut self, id: NodeId, tag: Tag) {
        let tag = match tag {
            Tag::P if self.split.binary_search(&id).is_ok() => Tag::Div,
            Tag::Center | Tag::Form | Tag::Fieldset | Tag::Dialog | Tag::Search => Tag::Div,
            Tag::Listing | Tag::Xmp | Tag::Plaintext => Tag::Pre,
            Tag::Strike => Tag::S,
            Tag::Tt => Tag::Code,
            Tag::Dir | Tag::Menu => Tag::Ul,
            tag => tag,
        };
        let around = self.open.last().copied();
        let fits = match tag {
            Tag::A => {
                !around.is_some_and(|open| open.in_link) && self.tree.attr(id, "href").is_some()
            }
            Tag::Li => !around.is_some_and(|open| open.in_entry),
            Tag::Dt | Tag::Dd => !around.is_some_and(|open| open.in_term),
            Tag::Rt | Tag::Rp => self.top() == Some(Tag::Ruby),
            Tag::Pre => !around.is_some_and(|open| open.in_pre),
            tag if is_heading(tag) => !self.top().is_some_and(is_heading),
            tag if is_table_part(tag) => allow::fits_in(tag, self.top()),
            // Inside table, row group and row, a parser keeps nothing but parts of the table.
            tag => is_allowed(tag) && !self.top().is_some_and(allow::holds_parts_only),
        };
        if !fits {
            // A block that loses its tag still starts a new line.
            if tag.is_block() || tag == Tag::Button {
                self.start_new_line();
            }
            return;
        }
        if tag == Tag::A && !self.link_tag(id) {
            return;
        }
        if tag != Tag::A {
            self.start_tag(id, tag);
        }
        let is_list = matches!(tag, Tag::Ul | Tag::Ol);
        let is_cell = matches!(tag, Tag::Td | Tag::Th | Tag::Caption);
        // The elements through which a parser looks for an open list item.
        let is_seen_through = matches!(tag, Tag::Div | Tag::P) || !tag.is_block();
        let inherits = |was: fn(&OpenTag) -> bool| around.as_ref().is_some_and(was);
        self.open.push(OpenTag {
            id,
            tag,
            in_link: tag == Tag::A || (inherits(|open| open.in_link) && !is_cell),
            in_entry: tag == Tag::Li
                || (inherits(|open| open.in_entry) && is_seen_through && !is_list),
            in_term: matches!(tag, Tag::Dt | Tag::Dd)
                || (inherits(|open| open.in_term) && is_seen_through),
            in_pre: tag == Tag::Pre || inherits(|open| open.in_pre),
            has_code: false,
        });
        if tag == Tag::Pre {
            self.pre_start = self.out.len();
        }
    }

    fn start_new_line(&mut self) {
        let at_start = self.out.len() == self.pre_start;
        if !at_start && !self.out.ends_with(char::is_whitespace) {
            self.out.push('\n');
        }
    }

    fn start_tag(&mut self, id: NodeId, tag: Tag) {
        self.out.push('<');
        self.out.push_str(tag.name());
        for (name, value) in self.tree.attrs(id) {
            if let Some(value) = kept_attribute(tag, name, value) {
                self.attribute(name, &value);
            }
        }
        // When read back, the language is taken from the first `code` of a `pre`.
        if tag == Tag::Code
            && let Some(pre) = self.open.last_mut().filter(|open| open.tag == Tag::Pre)
            && !std::mem::replace(&mut pre.has_code, true)
            && let Some(language) = language(self.tree, pre.id)
        {
            self.attribute("class", &format!("language-{language}"));
        }
        self.out.push('>');
    }

    fn link_tag(&mut self, id: NodeId) -> bool {
        let target = self
            .tree
            .attr(id, "href")
            .and_then(|href| link_target(self.resolve, href));
        let Some(target) = target else { return false };
        self.out.push_str("<a");
        self.attribute("href", &target);
        if let Some(title) = self.tree.attr(id, "title") {
            self.attribute("title", title);
        }
        self.out.push('>');
        true
    }

    fn write_image(&mut self, id: NodeId) {
        if is_tracking_pixel(self.tree, id) {
            return;
        }
        let alt = self.tree.attr(id, "alt").unwrap_or_default();
        let target = image_source(self.tree, id).and_then(|src| media_target(self.resolve, src));
        let Some(target) = target else {
            self.write_text(alt);
            return;
        };
        self.out.push_str("<img");
        self.attribute("src", &target);
        self.attribute("alt", alt);
        for name in ["width", "height"] {
            let value = self.tree.attr(id, name).unwrap_or_default();
            if !value.is_empty()
                && value.len() < 6
                && value.bytes().all(|byte| byte.is_ascii_digit())
            {
                self.attribute(name, value);
            }
        }
        self.out.push('>');
    }

    /// Writes a video, audio or embedded page as a link to it.
    fn write_media(&mut self, id: NodeId, tag: Tag) -> bool {
        let target = media_source(self.tree, id).and_then(|src| link_target(self.resolve, src));
        let Some(target) = target else { return false };
        self.start_new_line();
        let label = ["title", "aria-label"]
            .iter()
            .find_map(|name| self.tree.attr(id, name))
            .filter(|label| !label.trim().is_empty())
            .unwrap_or(match tag {
                Tag::Video => "video",
                Tag::Audio => "audio",
                _ => "embedded page",
            });
        if self.open.last().is_some_and(|open| open.in_link) {
            self.write_text(label);
            return true;
        }
        self.out.push_str("<a");
        self.attribute("href", &target);
        self.out.push('>');
        self.write_text(label);
        self.out.push_str("</a>");
        true
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        let mut written = 0;
        for (at, byte) in value.bytes().enumerate() {
            let replacement = match byte {
                b'"' => "&quot;",
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                _ => continue,
            };
            self.out.push_str(&value[written..at]);
            self.out.push_str(replacement);
            written = at + 1;
        }
        self.out.push_str(&value[written..]);
        self.out.push('"');
    }

    fn write_text(&mut self, text: &str) {
        let in_pre = self.open.last().is_some_and(|open| open.in_pre);
        let text = if !in_pre && (self.out.is_empty() || self.out.ends_with([' ', '\n'])) {
            text.trim_ascii_start()
        } else {
            text
        };
        if in_pre && self.out.len() == self.pre_start && text.starts_with('\n') {
            // A parser drops the first line feed of a `pre`, so one is added.
            self.out.push('\n');
        }
        let mut written = 0;
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let (replacement, width) = match byte {
                b'&' => ("&amp;", 1),
                b'<' => ("&lt;", 1),
                b'>' => ("&gt;", 1),
                0xc2 if bytes.get(at + 1) == Some(&0xa0) => ("&nbsp;", 2),
                b' ' | b'\t' | b'\n' | b'\r' | 0x0c if !in_pre => {
                    let white = bytes[at..]
                        .iter()
                        .take_while(|byte| byte.is_ascii_whitespace())
                        .count();
                    if white == 1 && matches!(byte, b' ' | b'\n') {
                        at += 1;
                        continue;
                    }
                    let breaks = bytes[at..at + white].contains(&b'\n');
                    (if breaks { "\n" } else { " " }, white)
                }
                _ => {
                    at += 1;
                    continue;
                }
            };
            self.out.push_str(&text[written..at]);
            self.out.push_str(replacement);
            at += width;
            written = at;
        }
        self.out.push_str(&text[written..]);
    }
}
