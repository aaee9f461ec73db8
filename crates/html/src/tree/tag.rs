//! HTML elements as an enum, for matching instead of comparing names.
//!
//! Every element that browsers support is included, obsolete ones too, because pages are older than the standard.
//! Any other name is [`Tag::Other`], and [`crate::Tree::name`] returns its spelling.

macro_rules! tags {
    ($($variant:ident $name:literal,)*) => {
        /// An HTML element, or [`Tag::Other`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Tag {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
            /// Any other element: custom, unknown, or in SVG or MathML.
            Other,
        }

        impl Tag {
            /// The tag with that name, which must be in lower case.
            pub fn from_name(name: &str) -> Self {
                match name {
                    $($name => Self::$variant,)*
                    _ => Self::Other,
                }
            }

            /// The name of the tag in lower case; empty for [`Tag::Other`].
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Other => "",
                }
            }
        }

        #[cfg(test)]
        const ALL: &[Tag] = &[$(Tag::$variant,)*];
    };
}

tags! {
    A "a", Abbr "abbr", Acronym "acronym", Address "address", Applet "applet", Area "area",
    Article "article", Aside "aside", Audio "audio", B "b", Base "base", Basefont "basefont",
    Bdi "bdi", Bdo "bdo", Bgsound "bgsound", Big "big", Blink "blink", Blockquote "blockquote",
    Body "body", Br "br", Button "button", Canvas "canvas", Caption "caption", Center "center",
    Cite "cite", Code "code", Col "col", Colgroup "colgroup", Data "data", Datalist "datalist",
    Dd "dd", Del "del", Details "details", Dfn "dfn", Dialog "dialog", Dir "dir", Div "div",
    Dl "dl", Dt "dt", Em "em", Embed "embed", Fieldset "fieldset", Figcaption "figcaption",
    Figure "figure", Font "font", Footer "footer", Form "form", Frame "frame",
    Frameset "frameset", H1 "h1", H2 "h2", H3 "h3", H4 "h4", H5 "h5", H6 "h6", Head "head",
    Header "header", Hgroup "hgroup", Hr "hr", Html "html", I "i", Iframe "iframe", Img "img",
    Input "input", Ins "ins", Kbd "kbd", Keygen "keygen", Label "label", Legend "legend",
    Li "li", Link "link", Listing "listing", Main "main", Map "map", Mark "mark",
    Marquee "marquee", Math "math", Menu "menu", Menuitem "menuitem", Meta "meta",
    Meter "meter", Nav "nav", Nobr "nobr", Noembed "noembed", Noframes "noframes",
    Noscript "noscript", Object "object", Ol "ol", Optgroup "optgroup", Option "option",
    Output "output", P "p", Param "param", Picture "picture", Plaintext "plaintext", Pre "pre",
    Progress "progress", Q "q", Rb "rb", Rp "rp", Rt "rt", Rtc "rtc", Ruby "ruby", S "s",
    Samp "samp", Script "script", Search "search", Section "section", Select "select",
    Selectedcontent "selectedcontent", Slot "slot", Small "small", Source "source", Span "span",
    Strike "strike", Strong "strong", Style "style", Sub "sub", Summary "summary", Sup "sup",
    Svg "svg", Table "table", Tbody "tbody", Td "td", Template "template", Textarea "textarea",
    Tfoot "tfoot", Th "th", Thead "thead", Time "time", Title "title", Tr "tr", Track "track",
    Tt "tt", U "u", Ul "ul", Var "var", Video "video", Wbr "wbr", Xmp "xmp",
}

impl Tag {
    /// Whether the element has no content and no end tag.
    #[rustfmt::skip]
    pub fn is_void(self) -> bool {
        matches!(self,
            Self::Area | Self::Base | Self::Basefont | Self::Bgsound | Self::Br | Self::Col
            | Self::Embed | Self::Frame | Self::Hr | Self::Img | Self::Input | Self::Keygen
            | Self::Link | Self::Meta | Self::Param | Self::Source | Self::Track | Self::Wbr)
    }

    /// Whether a browser starts a new line for the element: blocks, list items and parts of tables.
    #[rustfmt::skip]
    pub fn is_block(self) -> bool {
        matches!(self,
            Self::Address | Self::Article | Self::Aside | Self::Blockquote | Self::Body
            | Self::Caption | Self::Center | Self::Col | Self::Colgroup | Self::Dd | Self::Details
            | Self::Dialog | Self::Dir | Self::Div | Self::Dl | Self::Dt | Self::Fieldset
            | Self::Figcaption | Self::Figure | Self::Footer | Self::Form | Self::Frameset
            | Self::H1 | Self::H2 | Self::H3 | Self::H4 | Self::H5 | Self::H6 | Self::Header
            | Self::Hgroup | Self::Hr | Self::Html | Self::Legend | Self::Li | Self::Listing
            | Self::Main | Self::Menu | Self::Nav | Self::Noframes | Self::Ol | Self::Optgroup
            | Self::Option | Self::P | Self::Plaintext | Self::Pre | Self::Search | Self::Section
            | Self::Summary | Self::Table | Self::Tbody | Self::Td | Self::Tfoot | Self::Th
            | Self::Thead | Self::Tr | Self::Ul | Self::Xmp)
    }

    /// The level of a heading, `h1` to `h6`.
    pub fn heading_level(self) -> Option<u8> {
        match self {
            Self::H1 => Some(1),
            Self::H2 => Some(2),
            Self::H3 => Some(3),
            Self::H4 => Some(4),
            Self::H5 => Some(5),
            Self::H6 => Some(6),
            _ => None,
        }
    }

    /// Whether white space inside is kept as written: `pre` and its obsolete forms.
    pub fn is_preformatted(self) -> bool {
        matches!(
            self,
            Self::Pre | Self::Listing | Self::Plaintext | Self::Textarea | Self::Xmp
        )
    }

    /// Whether the standard calls the element *formatting*: left open, it is reopened in the next block.
    #[rustfmt::skip]
    pub(super) fn is_formatting(self) -> bool {
        matches!(self,
            Self::A | Self::B | Self::Big | Self::Code | Self::Em | Self::Font | Self::I
            | Self::Nobr | Self::S | Self::Small | Self::Strike | Self::Strong | Self::Tt
            | Self::U)
    }

    /// Whether the content is text to the tokenizer; nothing is ever nested inside.
    #[rustfmt::skip]
    pub(super) fn is_raw_text(self) -> bool {
        matches!(self,
            Self::Iframe | Self::Noembed | Self::Noframes | Self::Plaintext | Self::Script
            | Self::Style | Self::Textarea | Self::Title | Self::Xmp)
    }

    /// Whether the count of open formatting elements restarts inside the element.
    pub(super) fn is_formatting_boundary(self) -> bool {
        matches!(
            self,
            Self::Applet
                | Self::Caption
                | Self::Marquee
                | Self::Object
                | Self::Td
                | Self::Template
                | Self::Th
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, Tag};

    #[test]
    fn names_and_tags_are_one_to_one() {
        for &tag in ALL {
            assert_eq!(Tag::from_name(tag.name()), tag);
        }
        for name in ["", "A", "x-a", "image", "tabl"] {
            assert_eq!(Tag::from_name(name), Tag::Other);
        }
        assert_eq!(Tag::Other.name(), "");
    }
}
