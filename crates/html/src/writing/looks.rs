//! What an element's attributes say about its looks: hidden, for show only, bold by style.
//!
//! No style sheet is read. What the element says itself is believed.

use crate::tree::{NodeId, Tag, Tree};
use crate::writing::selection::Folded;

/// The attributes the writers ask about again and again, found in one pass over them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Looks<'t> {
    pub(crate) class: &'t str,
    pub(crate) style: &'t str,
    pub(crate) role: &'t str,
    pub(crate) hidden: bool,
    pub(crate) aria_hidden: bool,
}

impl<'t> Looks<'t> {
    pub(crate) fn of(tree: &'t Tree, id: NodeId) -> Self {
        let mut looks = Self::default();
        for (name, value) in tree.attrs(id) {
            match name {
                "class" => looks.class = value,
                "style" => looks.style = value,
                "role" => looks.role = value.trim(),
                "hidden" => looks.hidden = !value.eq_ignore_ascii_case("until-found"),
                "aria-hidden" => looks.aria_hidden = value.eq_ignore_ascii_case("true"),
                _ => {}
            }
        }
        looks
    }

    /// Whether the element and all under it is not to be written. `aria-hidden` is believed of small
    /// things only: on a large block it mostly means that a dialog was open. Of folded blocks the
    /// selection says whether they are wanted; what is hidden inside a line never is.
    pub(crate) fn is_invisible(&self, tag: Tag, folded: Folded) -> bool {
        if folded == Folded::Written && !is_phrase(tag) {
            return false;
        }
        self.hidden
            || (self.aria_hidden && is_phrase(tag))
            || self.declares("display", "none")
            || self.declares("visibility", "hidden")
    }

    /// Whether the style attribute gives a property a value that starts like this.
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

    /// Whether one of the classes is one of those asked for.
    pub(crate) fn any_class(&self, is_asked_for: impl Fn(&str) -> bool) -> bool {
        !self.class.is_empty() && self.class.split_ascii_whitespace().any(is_asked_for)
    }
}

/// Whether an element is a dialog nobody has opened, and not wanted anyway.
pub(crate) fn is_closed(tree: &Tree, id: NodeId, folded: Folded) -> bool {
    folded == Folded::LeftOut && tree.attr(id, "open").is_none()
}

/// Elements whose content is never shown as text of the page.
#[rustfmt::skip]
pub(crate) fn is_dropped(tag: Tag) -> bool {
    matches!(tag,
        Tag::Script | Tag::Style | Tag::Template | Tag::Svg | Tag::Head | Tag::Title | Tag::Meta
        | Tag::Link | Tag::Base | Tag::Select | Tag::Option | Tag::Optgroup | Tag::Datalist
        | Tag::Textarea | Tag::Input | Tag::Canvas | Tag::Area | Tag::Param | Tag::Source
        | Tag::Track | Tag::Col | Tag::Colgroup | Tag::Rp | Tag::Progress | Tag::Meter)
}

/// Elements that are part of a line.
#[rustfmt::skip]
fn is_phrase(tag: Tag) -> bool {
    matches!(tag,
        Tag::A | Tag::Span | Tag::I | Tag::B | Tag::Em | Tag::Strong | Tag::Img | Tag::Button
        | Tag::Small | Tag::Sup | Tag::Sub | Tag::Code | Tag::Iframe | Tag::Br | Tag::Svg
        | Tag::Math | Tag::Picture | Tag::Video | Tag::Hr | Tag::Other)
}

/// Whether a button or link is one of a code block's own: it copies, it is not part of the code.
pub(crate) fn copies(tree: &Tree, id: NodeId, looks: &Looks<'_>) -> bool {
    let says = |text: &str| {
        text.trim()
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case("copy"))
    };
    looks
        .class
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|word| says(word) || word == "clipboard")
        || tree.attr(id, "aria-label").is_some_and(says)
        || tree
            .first_child(id)
            .and_then(|child| tree.text(child))
            .is_some_and(|text| text.len() < 40 && says(text))
}
