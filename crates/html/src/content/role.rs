//! The role of an element, as far as content extraction distinguishes tag names.
//!
//! Names are compared once, when the page is divided into blocks; everything later works on a byte.

/// The role an element plays on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Role {
    /// Flows within a line of text.
    Inline,
    /// A link: inline, and its words count as link words.
    Link,
    /// A block without a specific meaning.
    Plain,
    Section,
    Paragraph,
    Heading1,
    Heading2,
    Heading3,
    Heading4,
    ListItem,
    List,
    Term,
    Definition,
    Cell,
    HeadCell,
    Table,
    Quote,
    Code,
    Caption,
    Figure,
    Label,
    Button,
    Details,
    Summary,
    Main,
    Article,
    Nav,
    Header,
    Footer,
    Aside,
    Form,
    Dialog,
    Address,
    Noscript,
    Body,
    Break,
    Image,
    Time,
    /// A custom element, with a hyphen in its name.
    Custom,
    /// Nothing inside is ever shown as text.
    NonText,
}

impl Role {
    /// The role of an element, given its name in lower case.
    pub(crate) fn of(name: &str) -> Self {
        match name {
            "a" => Self::Link,
            "p" => Self::Paragraph,
            "h1" => Self::Heading1,
            "h2" => Self::Heading2,
            "h3" => Self::Heading3,
            "h4" | "h5" | "h6" => Self::Heading4,
            "li" => Self::ListItem,
            "ul" | "ol" | "dl" | "menu" | "dir" => Self::List,
            "dt" => Self::Term,
            "dd" => Self::Definition,
            "td" => Self::Cell,
            "th" => Self::HeadCell,
            "table" | "tbody" | "thead" | "tfoot" | "tr" | "caption" | "colgroup" => Self::Table,
            "blockquote" => Self::Quote,
            "pre" | "listing" | "xmp" | "plaintext" => Self::Code,
            "figcaption" => Self::Caption,
            "figure" => Self::Figure,
            "label" | "legend" => Self::Label,
            "button" => Self::Button,
            "details" => Self::Details,
            "summary" => Self::Summary,
            "section" => Self::Section,
            "main" => Self::Main,
            "article" => Self::Article,
            "nav" => Self::Nav,
            "header" => Self::Header,
            "footer" => Self::Footer,
            "aside" => Self::Aside,
            "form" | "fieldset" | "search" => Self::Form,
            "dialog" => Self::Dialog,
            "address" => Self::Address,
            "noscript" => Self::Noscript,
            "body" | "html" => Self::Body,
            "br" => Self::Break,
            "img" | "picture" | "video" | "audio" | "embed" | "image" => Self::Image,
            "time" => Self::Time,
            "div" | "center" | "hgroup" | "hr" | "output" | "slot" | "frameset" => Self::Plain,
            "script" | "style" | "template" | "head" | "title" | "meta" | "link" | "base"
            | "svg" | "select" | "option" | "optgroup" | "datalist" | "textarea" | "input"
            | "iframe" | "object" | "canvas" | "noframes" | "noembed" | "map" | "area" => {
                Self::NonText
            }
            _ if name.contains('-') => Self::Custom,
            _ => Self::Inline,
        }
    }

    /// Whether the start and end of the element separate runs of text.
    pub(crate) fn is_block(self) -> bool {
        !matches!(
            self,
            Self::Inline | Self::Link | Self::Break | Self::Image | Self::Time | Self::NonText
        )
    }

    /// Whether the element is a heading of any level.
    pub(crate) fn is_heading(self) -> bool {
        matches!(
            self,
            Self::Heading1 | Self::Heading2 | Self::Heading3 | Self::Heading4
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Role;

    #[test]
    fn roles_by_name() {
        let table = [
            ("a", Role::Link, false),
            ("div", Role::Plain, true),
            ("h5", Role::Heading4, true),
            ("em", Role::Inline, false),
            ("my-card", Role::Custom, true),
            ("script", Role::NonText, false),
            ("article", Role::Article, true),
        ];
        for (name, role, block) in table {
            assert_eq!(Role::of(name), role, "{name}");
            assert_eq!(role.is_block(), block, "{name}");
        }
    }
}
