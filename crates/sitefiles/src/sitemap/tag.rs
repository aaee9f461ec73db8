//! The elements that matter, by their names without prefix.

use super::SitemapKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// The root element: not `Other`, so that a stray closing tag does not close it.
    Root,
    Url,
    Sitemap,
    Loc,
    Item,
    Entry,
    Link,
    Other,
}

impl Tag {
    pub(super) fn of(name: &str) -> Tag {
        match name {
            _ if SitemapKind::of_root(name).is_some() => Tag::Root,
            "url" => Tag::Url,
            "sitemap" => Tag::Sitemap,
            "loc" => Tag::Loc,
            "item" => Tag::Item,
            "entry" => Tag::Entry,
            "link" => Tag::Link,
            _ => Tag::Other,
        }
    }

    /// Whether the element's text is a location, in the right context.
    pub(super) fn holds_location(self) -> bool {
        matches!(self, Tag::Loc | Tag::Link)
    }
}
