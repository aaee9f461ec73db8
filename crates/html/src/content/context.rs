//! Which named regions of a page surround a node.

use super::role::Role;

/// The regions around a node, from its ancestors' tags and attributes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Context(pub u32);

macro_rules! regions {
    ($($name:ident = $bit:literal),* $(,)?) => {
        impl Context {
            $(pub(crate) const $name: u32 = 1 << $bit;)*
        }
        /// Names and bits of the regions.
        pub(crate) const REGIONS: &[(&str, u32)] = &[$((stringify!($name), 1 << $bit)),*];
    };
}

regions! {
    MAIN = 0,
    ARTICLE = 1,
    NAV = 2,
    HEADER = 3,
    FOOTER = 4,
    ASIDE = 5,
    FORM = 6,
    DIALOG = 7,
    FIGURE = 8,
    TABLE = 9,
    LIST = 10,
    LINK = 11,
    HEADING = 12,
    CODE = 13,
    QUOTE = 14,
    NOSCRIPT = 15,
    HIDDEN = 16,
    BUTTON = 17,
    DETAILS = 18,
    LABEL = 19,
    ARIA_HIDDEN = 20,
    SITE_HEADER = 21,
    SITE_FOOTER = 22,
    BODY_PROPERTY = 23,
    PRODUCT_THING = 24,
    REVIEW_THING = 25,
    TAB = 26,
    TIME = 27,
    SECTION = 28,
    COMMENT_THING = 29,
    POST_THING = 30,
    NON_TEXT = 31,
}

impl Context {
    /// Whether any of these regions surrounds the node.
    pub(crate) fn has(self, regions: u32) -> bool {
        self.0 & regions != 0
    }

    /// Whether nothing here is ever shown as text.
    pub(crate) fn is_non_text(self) -> bool {
        self.has(Self::NON_TEXT)
    }

    /// The context inside an element with this role.
    pub(crate) fn inside(self, role: Role) -> Self {
        let inner = self.has(Self::MAIN | Self::ARTICLE);
        Self(
            self.0
                | match role {
                    Role::Main => Self::MAIN,
                    Role::Article => Self::ARTICLE,
                    Role::Nav => Self::NAV,
                    Role::Header if inner => Self::HEADER,
                    Role::Header => Self::HEADER | Self::SITE_HEADER,
                    Role::Footer if inner => Self::FOOTER,
                    Role::Footer => Self::FOOTER | Self::SITE_FOOTER,
                    Role::Aside => Self::ASIDE,
                    Role::Form => Self::FORM,
                    Role::Dialog => Self::DIALOG,
                    Role::Figure => Self::FIGURE,
                    Role::Table => Self::TABLE,
                    Role::List => Self::LIST,
                    Role::Link => Self::LINK,
                    Role::Heading1 | Role::Heading2 | Role::Heading3 | Role::Heading4 => {
                        Self::HEADING
                    }
                    Role::Code => Self::CODE,
                    Role::Quote => Self::QUOTE,
                    Role::Noscript => Self::NOSCRIPT,
                    Role::Button => Self::BUTTON,
                    Role::Details => Self::DETAILS,
                    Role::Label => Self::LABEL,
                    Role::Time => Self::TIME,
                    Role::Section => Self::SECTION,
                    Role::NonText => Self::NON_TEXT,
                    _ => 0,
                },
        )
    }

    /// The context of an element with this attribute.
    pub(crate) fn with_attribute(self, key: &str, value: &str) -> Self {
        let inner = self.has(Self::MAIN | Self::ARTICLE);
        let found = match key {
            "role" => match value {
                "main" => Self::MAIN,
                "article" => Self::ARTICLE,
                "navigation" | "menu" | "menubar" | "menuitem" => Self::NAV,
                "banner" if !inner => Self::HEADER | Self::SITE_HEADER,
                "contentinfo" if !inner => Self::FOOTER | Self::SITE_FOOTER,
                "complementary" => Self::ASIDE,
                "search" => Self::FORM,
                "dialog" | "alertdialog" | "alert" => Self::DIALOG,
                "button" => Self::BUTTON,
                "tabpanel" | "tab" | "tablist" => Self::TAB,
                _ => 0,
            },
            "hidden" => Self::HIDDEN,
            "aria-hidden" if value == "true" => Self::ARIA_HIDDEN,
            "aria-modal" if value == "true" => Self::DIALOG,
            "style" if hides(value) => Self::HIDDEN,
            "itemprop" => match value {
                "articleBody" | "text" | "description" | "reviewBody" => Self::BODY_PROPERTY,
                "comment" => Self::COMMENT_THING,
                "review" => Self::REVIEW_THING,
                _ => 0,
            },
            "itemtype" => schema_region(value),
            "property" | "typeof" => match value {
                "content:encoded" | "articleBody" | "schema:articleBody" => Self::BODY_PROPERTY,
                _ => 0,
            },
            _ => 0,
        };
        Self(self.0 | found)
    }
}

/// The region of a schema.org type.
fn schema_region(value: &str) -> u32 {
    let name = value.rsplit(['/', '#']).next().unwrap_or_default();
    match name {
        "Product" | "Offer" | "IndividualProduct" => Context::PRODUCT_THING,
        "Review" | "AggregateRating" => Context::REVIEW_THING,
        "Comment" | "UserComments" | "Answer" => Context::COMMENT_THING,
        "DiscussionForumPosting" | "Question" | "BlogPosting" | "Article" | "NewsArticle" => {
            Context::POST_THING
        }
        "WPFooter" => Context::FOOTER | Context::SITE_FOOTER,
        "WPHeader" => Context::HEADER | Context::SITE_HEADER,
        "SiteNavigationElement" | "BreadcrumbList" => Context::NAV,
        "WPSideBar" => Context::ASIDE,
        _ => 0,
    }
}

/// Whether an inline style hides the element.
fn hides(style: &str) -> bool {
    let mut parts = style.split(';');
    parts.any(|part| {
        let Some((key, value)) = part.split_once(':') else {
            return false;
        };
        let (key, value) = (key.trim(), value.trim());
        (key.eq_ignore_ascii_case("display") && starts_with(value, "none"))
            || (key.eq_ignore_ascii_case("visibility") && starts_with(value, "hidden"))
    })
}

fn starts_with(value: &str, prefix: &str) -> bool {
    value
        .get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use super::{Context, Role};

    #[test]
    fn a_header_inside_the_article_is_not_the_sites() {
        let article = Context::default().inside(Role::Article);
        assert!(!article.inside(Role::Header).has(Context::SITE_HEADER));
        assert!(
            Context::default()
                .inside(Role::Header)
                .has(Context::SITE_HEADER)
        );
    }

    #[test]
    fn attributes_set_regions() {
        let table = [
            ("role", "navigation", Context::NAV),
            (
                "style",
                "color:red; DISPLAY : none !important",
                Context::HIDDEN,
            ),
            ("style", "display:block", 0),
            (
                "itemtype",
                "https://schema.org/Product",
                Context::PRODUCT_THING,
            ),
            ("aria-hidden", "false", 0),
        ];
        for (key, value, expected) in table {
            assert_eq!(
                Context::default().with_attribute(key, value).0,
                expected,
                "{key}={value}"
            );
        }
    }
}
