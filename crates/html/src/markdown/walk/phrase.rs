//! Elements that are part of a line: emphasis, code, links, raised and lowered text.

use crate::tree::{NodeId, Tag, Tree};
use crate::writing::code::code_text;
use crate::writing::looks::Looks;
use crate::writing::target::link_target;

use super::Leave;
use super::page::{Context, Page};
use crate::markdown::inline::Flavour;
use crate::markdown::run::{CODE, EMPHASIS, STRIKE, STRONG};
use crate::markdown::scripts::script;

impl Page<'_> {
    pub(super) fn enter_phrase(
        &mut self,
        id: NodeId,
        tag: Tag,
        looks: &Looks<'_>,
    ) -> Option<Leave> {
        match tag {
            Tag::B | Tag::Strong
                if looks.declares("font-weight", "normal")
                    || looks.declares("font-weight", "400") =>
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

    /// A span is what its style says.
    pub(super) fn enter_span(&mut self, looks: &Looks<'_>) -> Leave {
        if looks.style.is_empty() {
            return Leave::Nothing;
        }
        let mut marks = 0;
        if ["bold", "600", "700", "800", "900"]
            .iter()
            .any(|weight| looks.declares("font-weight", weight))
        {
            marks |= STRONG;
        }
        if looks.declares("font-style", "italic") {
            marks |= EMPHASIS;
        }
        if looks.declares("text-decoration", "line-through") {
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
        } else if self.flavour == Flavour::Text {
            marks & CODE
        } else {
            marks
        };
        self.style.marks |= adds;
        Leave::Style(before)
    }

    /// Whether a `code` outside any `pre` shows lines.
    fn is_code_block(&self, id: NodeId) -> bool {
        self.context == Context::Flow
            && self
                .tree
                .children(id)
                .take(32)
                .any(|child| self.tree.tag(child) == Some(Tag::Br))
    }

    /// Text alone is raised or lowered; anything else stands as it is.
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

    pub(super) fn enter_link(&mut self, id: NodeId, looks: &Looks<'_>) -> Option<Leave> {
        let before = self.style;
        let Some(href) = self.tree.attr(id, "href") else {
            return Some(Leave::Nothing);
        };
        if let Some(note) = self.survey.note(href) {
            let note = match self.flavour {
                Flavour::Markdown => format!("[^{note}]"),
                Flavour::Text => format!("[{note}]"),
            };
            self.run.push_verbatim(&note, before);
            return None;
        }
        if self.context == Context::Heading && is_permalink(self.tree, id, href, looks) {
            return None;
        }
        // A heading that links into its own page links to itself.
        let is_self = self.context == Context::Heading && href.starts_with('#');
        if before.link == 0
            && !is_self
            && self.flavour == Flavour::Markdown
            && let Some(target) = link_target(self.resolve, href)
        {
            self.style.link = self.add_target(target);
            self.linked_blocks = 0;
        }
        Some(Leave::Style(before))
    }
}

/// The text of an element that holds nothing else.
fn sole_text(tree: &Tree, id: NodeId) -> Option<&str> {
    let child = tree.first_child(id)?;
    tree.text(child)
        .filter(|_| tree.next_sibling(child).is_none())
}

/// The sign beside a heading that links to the heading itself.
fn is_permalink(tree: &Tree, id: NodeId, href: &str, looks: &Looks<'_>) -> bool {
    let text = sole_text(tree, id).map(str::trim);
    let is_named = || {
        looks.any_class(|class| {
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
