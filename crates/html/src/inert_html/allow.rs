//! Which tags and attributes may be written, and where a parser would keep them.

use std::borrow::Cow;

use crate::tree::Tag;

/// Attributes with longer values are dropped.
const MAX_VALUE: usize = 1024;

/// Elements that only structure or mark up text.
#[rustfmt::skip]
pub(super) fn is_allowed(tag: Tag) -> bool {
    matches!(tag,
        Tag::A | Tag::Abbr | Tag::Address | Tag::Article | Tag::Aside | Tag::B | Tag::Bdi | Tag::Bdo
        | Tag::Blockquote | Tag::Cite | Tag::Code | Tag::Data | Tag::Del | Tag::Details | Tag::Dfn
        | Tag::Div | Tag::Dl | Tag::Em | Tag::Figcaption | Tag::Figure | Tag::Footer | Tag::Header
        | Tag::Hgroup | Tag::I | Tag::Ins | Tag::Kbd | Tag::Main | Tag::Mark | Tag::Nav | Tag::Ol
        | Tag::P | Tag::Pre | Tag::Q | Tag::Ruby | Tag::S | Tag::Samp | Tag::Section | Tag::Small
        | Tag::Strong | Tag::Sub | Tag::Summary | Tag::Sup | Tag::Table | Tag::Time | Tag::U
        | Tag::Ul | Tag::Var)
}

pub(super) fn is_heading(tag: Tag) -> bool {
    tag.heading_level().is_some()
}

pub(super) fn is_table_part(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Caption
            | Tag::Colgroup
            | Tag::Tbody
            | Tag::Thead
            | Tag::Tfoot
            | Tag::Tr
            | Tag::Td
            | Tag::Th
    )
}

/// Whether a parser keeps only parts of a table directly inside.
pub(super) fn holds_parts_only(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Table | Tag::Colgroup | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr
    )
}

/// Whether a parser keeps this part of a table inside `around`.
pub(super) fn fits_in(part: Tag, around: Option<Tag>) -> bool {
    match part {
        Tag::Tr => matches!(around, Some(Tag::Tbody | Tag::Thead | Tag::Tfoot)),
        Tag::Td | Tag::Th => around == Some(Tag::Tr),
        _ => around == Some(Tag::Table),
    }
}

/// Whether the start tag, as written, ends a paragraph.
pub(super) fn ends_paragraph(tag: Tag) -> bool {
    tag.is_block() && !is_table_part(tag)
}

/// The value to write for an attribute, or `None` if it may not be written.
pub(super) fn kept_attribute<'v>(tag: Tag, name: &str, value: &'v str) -> Option<Cow<'v, str>> {
    if value.len() > MAX_VALUE {
        return None;
    }
    let number = || {
        let value = value.trim();
        value.parse::<i32>().ok().map(|_| Cow::Borrowed(value))
    };
    let span = || {
        let spanned = value.trim().parse::<u32>().ok()?.min(100);
        Some(Cow::Owned(spanned.to_string()))
    };
    let flag = || Some(Cow::Borrowed(""));
    match (tag, name) {
        (Tag::Td | Tag::Th, "colspan" | "rowspan") | (Tag::Col | Tag::Colgroup, "span") => span(),
        (Tag::Ol, "start") | (Tag::Li, "value") => number(),
        (Tag::Ol, "reversed") | (Tag::Details, "open") => flag(),
        (Tag::Ol, "type") if matches!(value, "1" | "a" | "A" | "i" | "I") => {
            Some(Cow::Borrowed(value))
        }
        (Tag::Th, "scope") if matches!(value, "row" | "col" | "rowgroup" | "colgroup") => {
            Some(Cow::Borrowed(value))
        }
        (Tag::Time | Tag::Del | Tag::Ins, "datetime")
        | (Tag::Abbr | Tag::Dfn, "title")
        | (Tag::Data, "value") => Some(Cow::Borrowed(value)),
        (_, "dir") if matches!(value, "ltr" | "rtl" | "auto") => Some(Cow::Borrowed(value)),
        (_, "lang")
            if !value.is_empty()
                && value.len() < 36
                && value
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') =>
        {
            Some(Cow::Borrowed(value))
        }
        _ => None,
    }
}
