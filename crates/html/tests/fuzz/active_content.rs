//! Elements and attributes that inert HTML must not contain.

use crawler_html::Tag;

/// Whether the element can run, load or send something.
pub(crate) fn is_active_element(tag: Option<Tag>) -> bool {
    matches!(
        tag,
        Some(
            Tag::Script
                | Tag::Style
                | Tag::Svg
                | Tag::Math
                | Tag::Iframe
                | Tag::Object
                | Tag::Embed
                | Tag::Form
                | Tag::Input
                | Tag::Button
                | Tag::Meta
                | Tag::Base
                | Tag::Link
                | Tag::Template
        )
    )
}

/// Whether the attribute runs, styles or identifies something.
pub(crate) fn is_active_attribute(name: &str) -> bool {
    name.starts_with("on") || matches!(name, "style" | "srcdoc" | "action" | "id")
}
