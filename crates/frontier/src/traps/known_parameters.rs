//! Parameters and pages of widely used programs that lead to nothing new: what they mean is known, so no page is fetched to find out.

use crawler_weburl::UrlRef;

use super::place::page_of;

/// The values for which a parameter is known.
enum Values {
    Any,
    Number,
    /// Letters and digits, as in an id.
    Random,
    OneOf(&'static [&'static str]),
}

use Values::{Any, Number, OneOf, Random};

/// Session ids: the same page under a new URL on every visit. Names that start like this.
const SESSIONS: [(&str, Values); 7] = [
    ("jsessionid", Any),   // Java servlets
    ("phpsessid", Any),    // PHP
    ("aspsessionid", Any), // ASP, which adds letters
    ("cfid", Any),         // ColdFusion
    ("cftoken", Any),
    ("oscsid", Any), // osCommerce
    ("zenid", Any),  // Zen Cart
];
/// The same under names that may mean something else.
const LIKELY_SESSIONS: [(&str, Values); 5] = [
    ("sid", Random), // phpBB
    ("sessionid", Random),
    ("session_id", Random),
    ("sess", Random),
    ("session", Random),
];

const LOOKS: &[&str] = &[
    "grid",
    "list",
    "gallery",
    "table",
    "tiles",
    "thumbnails",
    "compact",
    "print",
];
/// Another look of the same page.
const VIEWS: [(&str, Values); 3] = [
    ("view", OneOf(LOOKS)),
    ("display", OneOf(LOOKS)),
    ("layout", OneOf(LOOKS)),
];
const DIRECTIONS: Values = OneOf(&["asc", "desc", "ascending", "descending"]);

/// Actions on a page, and other ways to show it: its entries, in another order or number. Not `sort`: a list may show only the first
/// entries of each order.
const COPIES: [(&str, Values); 32] = [
    // WordPress: the form to answer a comment
    ("replytocom", Number),
    // Jetpack: redirects to a service, or counts
    (
        "share",
        OneOf(&[
            "email",
            "facebook",
            "linkedin",
            "mastodon",
            "pinterest",
            "pocket",
            "reddit",
            "telegram",
            "tumblr",
            "twitter",
            "whatsapp",
            "x",
        ]),
    ),
    ("like_comment", Number),
    // WooCommerce, its extensions and other shops
    ("add-to-cart", Any),
    ("add_to_cart", Any),
    ("add-to-wishlist", Any),
    ("add_to_wishlist", Any),
    ("add-to-compare", Any),
    ("add_to_compare", Any),
    ("remove_item", Any),
    (
        "orderby",
        OneOf(&[
            "menu_order",
            "popularity",
            "rating",
            "date",
            "price",
            "price-desc",
        ]),
    ),
    // Magento
    ("product_list_order", Any),
    ("product_list_dir", Any),
    ("product_list_mode", Any),
    ("product_list_limit", Number),
    // phpBB: the order of topics, and marked words
    ("sk", OneOf(&["a", "r", "s", "t", "v"])),
    ("sd", OneOf(&["a", "d"])),
    ("hilit", Any),
    // MediaWiki and many others
    ("printable", OneOf(&["yes"])),
    ("print", OneOf(&["1", "y", "yes", "true"])),
    // Apache: the columns of a folder
    (
        "C",
        OneOf(&[
            "N;O=A", "N;O=D", "M;O=A", "M;O=D", "S;O=A", "S;O=D", "D;O=A", "D;O=D",
        ]),
    ),
    // Many programs
    ("order", DIRECTIONS),
    ("dir", DIRECTIONS),
    ("direction", DIRECTIONS),
    ("sort_order", DIRECTIONS),
    ("sort_dir", DIRECTIONS),
    ("sortdir", DIRECTIONS),
    ("perpage", Number),
    ("per_page", Number),
    ("per-page", Number),
    ("pagesize", Number),
    ("page_size", Number),
];

/// Parameters of certain scripts that make a form, or a copy of a page under an address of its own.
const FORMS: [(&str, &str, Values); 7] = [
    ("posting.php", "mode", Any),      // phpBB: to write, quote, answer
    ("viewtopic.php", "p", Number),    // phpBB: the page of a topic that has this post
    ("showthread.php", "p", Number),   // vBulletin
    ("showthread.php", "pid", Number), // MyBB
    ("newreply.php", "do", Any),
    ("newreply.php", "tid", Number),         // MyBB
    ("index.php", "redlink", OneOf(&["1"])), // MediaWiki: a page that does not exist
];
/// MediaWiki: pages about other pages.
const SPECIAL_PAGES: [&str; 5] = [
    "Special:WhatLinksHere",
    "Special:RecentChangesLinked",
    "Special:Random",
    "Special:UserLogin",
    "Special:CreateAccount",
];

/// Whether a `name=value` is a session id.
pub(super) fn is_session(pair: &str) -> bool {
    let Some((name, value)) = pair.split_once('=') else {
        return false;
    };
    let starts = |known: &str| {
        let start = name.get(..known.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(known))
    };
    SESSIONS.iter().any(|(known, _)| starts(known)) || is_in(&LIKELY_SESSIONS, name, value)
}

/// The URL without parameters that act on the page or show it in another way, or `None` when it has none.
pub(super) fn without_copies(
    url: UrlRef<'_>,
    keeps_views: impl FnOnce() -> bool,
) -> Option<String> {
    let query = url.query().filter(|query| query.contains('='))?;
    let is_known = |list: &[(&str, Values)], pair: &str| {
        let pair = pair.split_once('=');
        pair.is_some_and(|(name, value)| is_in(list, name, value))
    };
    let has_view = query.split('&').any(|pair| is_known(&VIEWS, pair)) && !keeps_views();
    let is_copy = |pair: &&str| is_known(&COPIES, pair) || (has_view && is_known(&VIEWS, pair));
    query.split('&').find(is_copy)?;
    let mut text = page_of(url).to_owned();
    for (at, pair) in query.split('&').filter(|pair| !is_copy(pair)).enumerate() {
        text.push(if at == 0 { '?' } else { '&' });
        text.push_str(pair);
    }
    Some(text)
}

/// Whether a URL is that of a form or of a copy that nobody would miss.
pub(super) fn is_form(url: UrlRef<'_>) -> bool {
    let path = url.path();
    let starts = |text: &str| SPECIAL_PAGES.iter().any(|page| text.starts_with(page));
    if path.contains(':') && path.split('/').any(starts) {
        return true;
    }
    let Some(query) = url.query() else {
        return false;
    };
    let script = path.rsplit('/').next().unwrap_or_default();
    let pairs = || query.split('&').filter_map(|pair| pair.split_once('='));
    let is_page = pairs().any(|(name, _)| name == "title");
    pairs().any(|(name, value)| {
        let mut forms = FORMS.iter();
        forms.any(|(of, known, values)| *of == script && *known == name && values.contain(value))
            || (is_page && matches!((name, value), ("action" | "veaction", "edit")))
            || (name == "title" && starts(value))
    })
}

fn is_in(list: &[(&str, Values)], name: &str, value: &str) -> bool {
    let mut known = list.iter();
    known.any(|(known, values)| name.eq_ignore_ascii_case(known) && values.contain(value))
}

impl Values {
    fn contain(&self, value: &str) -> bool {
        let has_digit = || value.bytes().any(|byte| byte.is_ascii_digit());
        match self {
            Any => true,
            Number => has_digit() && value.bytes().all(|byte| byte.is_ascii_digit()),
            Random => {
                let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
                value.len() >= 8 && has_letter && has_digit()
            }
            OneOf(known) => known.iter().any(|known| value.eq_ignore_ascii_case(known)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Option<String> {
        without_copies(UrlRef::split(text).unwrap(), || false)
    }

    #[test]
    fn known_parameters_are_left_out() {
        for (url, without) in [
            ("http://a/p?replytocom=12", "http://a/p"),
            ("http://a/p?x=1&add-to-cart=7", "http://a/p?x=1"),
            (
                "http://a/l?sort=price&order=desc&view=grid&per_page=48&page=3",
                "http://a/l?sort=price&page=3",
            ),
            ("http://a/pub/?C=M;O=D", "http://a/pub/"),
            ("http://a/f.php?f=2&sk=t&sd=d", "http://a/f.php?f=2"),
        ] {
            assert_eq!(plain(url).as_deref(), Some(without), "{url}");
        }
        for url in [
            "http://a/p",
            "http://a/p?share=BMW",
            "http://a/p?view=article&id=5",
            "http://a/p?order=1742",
            "http://a/p?sort=price",
            "http://a/p?print",
            "http://a/product?pid=5",
        ] {
            assert_eq!(plain(url), None, "{url}");
        }
    }

    #[test]
    fn forms_are_known() {
        let is_form = |text: &str| is_form(UrlRef::split(text).unwrap());
        for url in [
            "http://a/f/posting.php?mode=quote&f=1&p=2",
            "http://a/viewtopic.php?f=1&p=2",
            "http://a/index.php?title=X&action=edit&section=2",
            "http://a/wiki/Special:WhatLinksHere/X",
            "http://a/w?title=Special:Random",
        ] {
            assert!(is_form(url), "{url}");
        }
        for url in [
            "http://a/viewtopic.php?f=1&t=2",
            "http://a/view?p=2",
            "http://a/wiki/Talk:X",
            "http://a/menu?action=edit",
            "http://a/index.php?title=X&action=history",
        ] {
            assert!(!is_form(url), "{url}");
        }
    }
}
