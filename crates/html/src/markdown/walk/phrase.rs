//! Inline elements: emphasis, code, links, superscripts and subscripts.

use crate::tree::{NodeId, Tag, Tree};
use crate::writing::code::code_text;
use crate::writing::display_attributes::DisplayAttributes;
use crate::writing::target::link_target;

use super::Leave;
use super::page_writer::{FlowContext, PageWriter};
use crate::markdown::inline::TextFormat;
use crate::markdown::run::{CODE, EMPHASIS, STRIKE, STRONG};
use crate::markdown::superscript::script;

/// Longer titles are texts of their own. Leaving them out also bounds how much a link around many blocks can repeat.
const MAX_TITLE: usize = 512;

impl PageWriter<'_> {
    pub(super) fn enter_phrase(
        &mut self,
        id: NodeId,
        tag: Tag,
        display: &DisplayAttributes<'_>,
    ) -> Option<Leave> {
        match tag {
            Tag::B | Tag::Strong
                if display.declares("font-weight", "normal")
                    || display.declares("font-weight", "400") =>
            {
                Some(Leave::Nothing)
            }
            Tag::B | Tag::Strong => Some(self.mark(STRONG)),
            Tag::I | Tag::Em | Tag::Cite | Tag::Dfn | Tag::Var => Some(self.mark(EMPHASIS)),
            Tag::Del | Tag::S | Tag::Strike => Some(self.mark(STRIKE)),
            Tag::Code if self.is_code_block(id) => {
                let code = code_text(self.tree, id);
                self.write_code_block(id, &code);
                None
            }
            Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt => Some(self.mark(CODE)),
            Tag::Sup | Tag::Sub => self.enter_script(id, tag == Tag::Sup),
            Tag::Q => {
                self.run.push_text("“", self.style);
                Some(Leave::Text("”"))
            }
            Tag::Rt => {
                self.run.push_text("(", self.style);
                Some(Leave::Text(")"))
            }
            _ => Some(Leave::Nothing),
        }
    }

    /// Styles a span according to its inline style.
    pub(super) fn enter_span(&mut self, display: &DisplayAttributes<'_>) -> Leave {
        if display.style.is_empty() {
            return Leave::Nothing;
        }
        let mut marks = 0;
        if ["bold", "600", "700", "800", "900"]
            .iter()
            .any(|weight| display.declares("font-weight", weight))
        {
            marks |= STRONG;
        }
        if display.declares("font-style", "italic") {
            marks |= EMPHASIS;
        }
        if display.declares("text-decoration", "line-through") {
            marks |= STRIKE;
        }
        if marks == 0 {
            return Leave::Nothing;
        }
        self.mark(marks)
    }

    fn mark(&mut self, marks: u8) -> Leave {
        let before = self.style;
        let adds = if before.marks & CODE != 0 {
            0
        } else if self.format == TextFormat::Text {
            marks & CODE
        } else {
            marks
        };
        self.style.marks |= adds;
        Leave::Style(before)
    }

    /// Whether a `code` outside any `pre` has several lines.
    fn is_code_block(&self, id: NodeId) -> bool {
        self.context == FlowContext::Flow
            && self
                .tree
                .children(id)
                .take(32)
                .any(|child| self.tree.tag(child) == Some(Tag::Br))
    }

    /// Writes plain text as superscript or subscript; any other content is written unchanged.
    fn enter_script(&mut self, id: NodeId, raised: bool) -> Option<Leave> {
        let only = sole_text(self.tree, id);
        match only.and_then(|text| script(text, raised)) {
            Some(text) => {
                self.run.push_text(&text, self.style);
                None
            }
            None => Some(Leave::Nothing),
        }
    }

    pub(super) fn enter_link(
        &mut self,
        id: NodeId,
        display: &DisplayAttributes<'_>,
    ) -> Option<Leave> {
        let before = self.style;
        let Some(href) = self.tree.attr(id, "href") else {
            return Some(Leave::Nothing);
        };
        if let Some(note) = self.survey.note(href) {
            let note = match self.format {
                TextFormat::Markdown => format!("[^{note}]"),
                TextFormat::Text => format!("[{note}]"),
            };
            self.run.push_verbatim(&note, before);
            return None;
        }
        if self.context == FlowContext::Heading && is_permalink(self.tree, id, href, display) {
            return None;
        }
        // A link in a heading to its own page points to the heading itself.
        let is_self = self.context == FlowContext::Heading && href.starts_with('#');
        if before.link == 0
            && !is_self
            && self.format == TextFormat::Markdown
            && let Some(target) = link_target(self.resolve, href)
        {
            let title = title(self.tree, id);
            self.style.link = self.add_target(target, title);
            self.linked_blocks = 0;
        }
        Some(Leave::Style(before))
    }
}

/// The title of a link on one line; empty if it only repeats the text of the link.
fn title(tree: &Tree, id: NodeId) -> String {
    let Some(title) = tree.attr(id, "title") else {
        return String::new();
    };
    let words = || title.split_whitespace();
    let texts = || tree.subtree(id).filter_map(|inner| tree.text(inner));
    let repeats = words().eq(texts().flat_map(str::split_whitespace));
    if repeats || title.len() > MAX_TITLE {
        return String::new();
    }
    words()
        .flat_map(|word| [" ", word])
        .skip(1)
        .collect::<String>()
}

/// The text of an element that contains nothing else.
fn sole_text(tree: &Tree, id: NodeId) -> Option<&str> {
    let child = tree.first_child(id)?;
    tree.text(child)
        .filter(|_| tree.next_sibling(child).is_none())
}

/// Whether a link is the symbol beside a heading that links to the heading itself.
fn is_permalink(tree: &Tree, id: NodeId, href: &str, display: &DisplayAttributes<'_>) -> bool {
    let text = sole_text(tree, id).map(str::trim);
    let is_named = || {
        display.any_class(|class| {
            matches!(
                class,
                "headerlink"
                    | "anchor"
                    | "permalink"
                    | "hash-link"
                    | "anchor-link"
                    | "heading-anchor"
            )
        })
    };
    let is_sign = || text.is_some_and(|text| matches!(text, "#" | "¶" | "§" | "🔗" | "\u{200b}"));
    href.contains('#')
        && text.is_none_or(|text| text.chars().nth(2).is_none())
        && tree.children(id).nth(1).is_none()
        && (is_named() || is_sign())
}
