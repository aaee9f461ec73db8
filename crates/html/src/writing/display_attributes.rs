//! The attributes of an element that affect how it is displayed: hidden, decorative, bold.
//!
//! Style sheets are not read; inline declarations are used as written.

use crate::tree::{NodeId, Tag, Tree};
use crate::writing::selection::HiddenBlocks;

/// The attributes the writers need repeatedly, found in one pass.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DisplayAttributes<'t> {
    pub(crate) class: &'t str,
    pub(crate) style: &'t str,
    pub(crate) role: &'t str,
    pub(crate) hidden: bool,
    pub(crate) aria_hidden: bool,
}

impl<'t> DisplayAttributes<'t> {
    pub(crate) fn of(tree: &'t Tree, id: NodeId) -> Self {
        let mut display = Self::default();
        for (name, value) in tree.attrs(id) {
            match name {
                "class" => display.class = value,
                "style" => display.style = value,
                "role" => display.role = value.trim(),
                "hidden" => display.hidden = !value.eq_ignore_ascii_case("until-found"),
                "aria-hidden" => display.aria_hidden = value.eq_ignore_ascii_case("true"),
                _ => {}
            }
        }
        display
    }

    /// Whether the element and everything under it is not written. `aria-hidden` is respected on inline
    /// elements only: on a large block it usually means that a dialog was open. For hidden blocks the
    /// selection decides; hidden inline elements are never written.
    pub(crate) fn is_invisible(&self, tag: Tag, hidden_blocks: HiddenBlocks) -> bool {
        if hidden_blocks == HiddenBlocks::Include && !is_phrase(tag) {
            return false;
        }
        self.hidden
            || (self.aria_hidden && is_phrase(tag))
            || self.declares("display", "none")
            || self.declares("visibility", "hidden")
    }

    /// Whether the style attribute gives a property a value with this prefix.
    pub(crate) fn declares(&self, property: &str, value: &str) -> bool {
        !self.style.is_empty()
            && self.style.split(';').any(|declaration| {
                declaration.split_once(':').is_some_and(|(name, given)| {
                    name.trim().eq_ignore_ascii_case(property)
                        && given
                            .trim()
                            .get(..value.len())
                            .is_some_and(|start| start.eq_ignore_ascii_case(value))
                })
            })
    }

    /// Whether any of the classes satisfies the predicate.
    pub(crate) fn any_class(&self, predicate: impl Fn(&str) -> bool) -> bool {
        !self.class.is_empty() && self.class.split_ascii_whitespace().any(predicate)
    }
}

/// Whether an element is a closed dialog and hidden blocks are not wanted.
pub(crate) fn is_closed_dialog(tree: &Tree, id: NodeId, hidden_blocks: HiddenBlocks) -> bool {
    hidden_blocks == HiddenBlocks::Omit && tree.attr(id, "open").is_none()
}

/// Elements whose content is never shown as text.
#[rustfmt::skip]
pub(crate) fn is_dropped(tag: Tag) -> bool {
    matches!(tag,
        Tag::Script | Tag::Style | Tag::Template | Tag::Svg | Tag::Head | Tag::Title | Tag::Meta
        | Tag::Link | Tag::Base | Tag::Select | Tag::Option | Tag::Optgroup | Tag::Datalist
        | Tag::Textarea | Tag::Input | Tag::Canvas | Tag::Area | Tag::Param | Tag::Source
        | Tag::Track | Tag::Col | Tag::Colgroup | Tag::Rp | Tag::Progress | Tag::Meter)
}

/// Inline elements.
#[rustfmt::skip]
fn is_phrase(tag: Tag) -> bool {
    matches!(tag,
        Tag::A | Tag::Span | Tag::I | Tag::B | Tag::Em | Tag::Strong | Tag::Img | Tag::Button
        | Tag::Small | Tag::Sup | Tag::Sub | Tag::Code | Tag::Iframe | Tag::Br | Tag::Svg
        | Tag::Math | Tag::Picture | Tag::Video | Tag::Hr | Tag::Other)
}

/// Whether a button or link belongs to a code block's copy control rather than to the code.
pub(crate) fn is_copy_control(tree: &Tree, id: NodeId, display: &DisplayAttributes<'_>) -> bool {
    let starts_with_copy = |text: &str| {
        text.trim()
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case("copy"))
    };
    display
        .class
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|word| starts_with_copy(word) || word == "clipboard")
        || tree.attr(id, "aria-label").is_some_and(starts_with_copy)
        || tree
            .first_child(id)
            .and_then(|child| tree.text(child))
            .is_some_and(|text| text.len() < 40 && starts_with_copy(text))
}
