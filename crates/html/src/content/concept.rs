//! Maps the words of class and id attributes to a few dozen concepts.
//!
//! The table holds words that different sites use for the same thing; it names no site.

use super::vocabulary::Vocabulary;

/// Every concept with the words that stand for it. At most 64, so that a set fits in a `u64`.
#[rustfmt::skip]
const TABLE: &[(&str, &[&str])] = &[
    ("content", &["content", "contents", "contentbody", "maincontent", "bodycontent"]),
    ("article", &["article", "articles", "story", "articlebody", "blog", "essay"]),
    ("post", &["post", "posts", "entry", "postbody", "hentry"]),
    ("body", &["body", "text", "copy", "rte", "prose", "richtext", "rich", "wysiwyg", "markdown", "cooked", "paragraph"]),
    ("main", &["main", "primary", "central"]),
    ("comment", &["comment", "comments", "reply", "replies", "respond", "disqus", "discussion"]),
    ("nav", &["nav", "menu", "navigation", "navbar", "megamenu", "submenu", "menus", "navs", "sitenav", "subnav", "dropdown"]),
    ("footer", &["footer", "foot", "bottom", "colophon", "footnav"]),
    ("header", &["header", "head", "masthead", "topbar", "top", "heading"]),
    ("sidebar", &["sidebar", "aside", "rail", "secondary", "side", "sidenav", "complementary"]),
    ("share", &["share", "sharing", "social", "sharedaddy", "follow", "facebook", "twitter", "addthis"]),
    ("related", &["related", "recommend", "recommended", "recommendations", "recommendation", "similar", "also", "upsell", "upsells", "crosssell"]),
    ("more", &["more", "latest", "recent", "recently", "trending", "popular", "next", "previous", "prev", "newer", "older", "viewed"]),
    ("promo", &["promo", "promotion", "promotional", "ad", "ads", "advert", "advertisement", "sponsor", "sponsored", "adslot", "outbrain", "taboola", "teaser", "marketing"]),
    ("cookie", &["cookie", "cookies", "consent", "gdpr", "onetrust", "privacy", "ccpa"]),
    ("breadcrumb", &["breadcrumb", "breadcrumbs", "crumb", "crumbs"]),
    ("author", &["author", "authors", "byline", "bio", "contributor", "writer"]),
    ("meta", &["meta", "info", "date", "timestamp", "published", "dateline", "time", "metadata", "postmeta"]),
    ("tag", &["tag", "tags", "category", "categories", "topics", "keywords", "labels", "taxonomy"]),
    ("newsletter", &["newsletter", "subscribe", "subscription", "signup", "email", "mailing", "optin", "mailchimp", "klaviyo", "mc"]),
    ("modal", &["modal", "popup", "overlay", "dialog", "drawer", "offcanvas", "lightbox", "flyout", "popover", "minicart"]),
    ("search", &["search", "autocomplete", "typeahead", "suggest", "suggestions"]),
    ("pager", &["pagination", "pager", "paging", "pages", "paginate", "page-numbers", "loadmore"]),
    ("widget", &["widget", "widgets", "module", "gadget"]),
    ("product", &["product", "products", "pdp", "prod", "sku"]),
    ("price", &["price", "prices", "pricing", "amount", "money", "cost", "sale"]),
    ("review", &["review", "reviews", "rating", "ratings", "stars", "testimonial", "testimonials", "yotpo", "bazaarvoice"]),
    ("description", &["description", "desc", "summary", "excerpt", "synopsis", "abstract", "blurb", "dek", "standfirst"]),
    ("details", &["details", "detail", "spec", "specs", "specification", "specifications", "features", "feature", "attributes", "ingredients"]),
    ("gallery", &["gallery", "carousel", "slider", "slick", "swiper", "slide", "slides", "slideshow", "splide", "thumbnails", "thumbs"]),
    ("card", &["card", "cards", "tile", "tiles", "teasers"]),
    ("grid", &["grid", "collection", "collections", "catalog", "listing", "listings", "results", "result", "plp"]),
    ("item", &["item", "items", "row", "li", "listitem"]),
    ("tab", &["tab", "tabs", "tabpanel", "tabpane", "pane", "panel"]),
    ("accordion", &["accordion", "collapse", "collapsible", "toggle", "expand", "expandable", "disclosure"]),
    ("faq", &["faq", "faqs", "qa", "qanda"]),
    ("cart", &["cart", "checkout", "basket", "bag", "shipping", "delivery", "buy", "purchase", "addtocart", "atc", "wishlist", "stock"]),
    ("filter", &["filter", "filters", "facet", "facets", "sort", "sorting", "refine", "refinement", "sortby"]),
    ("toc", &["toc", "contentsnav", "onthispage", "tableofcontents", "jumplinks", "anchors"]),
    ("account", &["login", "account", "signin", "register", "registration", "auth", "logout"]),
    ("user", &["user", "users", "profile", "avatar", "username", "poster", "member", "members", "userinfo", "postprofile"]),
    ("button", &["button", "buttons", "btn", "btns", "cta", "ctas"]),
    ("hero", &["hero", "jumbotron", "banner", "splash", "billboard"]),
    ("intro", &["intro", "lead", "lede", "introduction", "subtitle", "tagline", "subheading"]),
    ("title", &["title", "headline", "titles", "hed", "pagetitle"]),
    ("hidden", &["hidden", "hide", "sr", "visually", "screen", "invisible", "assistive", "offscreen", "visuallyhidden", "a11y", "skip"]),
    ("caption", &["caption", "credit", "figcaption", "captions", "attribution"]),
    ("toolbar", &["toolbar", "actions", "action", "tools", "controls", "control", "options", "option", "vote", "votes", "voting", "like", "likes"]),
    ("message", &["message", "messages", "thread", "topic", "forum", "postcontent", "messagetext", "threads"]),
    ("signature", &["signature", "sig", "quoted", "quote", "blockquote", "quotes"]),
    ("question", &["question", "questions", "answer", "answers"]),
    ("code", &["code", "highlight", "pre", "snippet", "sourcecode", "literal"]),
    ("video", &["video", "player", "audio", "podcast", "embed", "media"]),
    ("legal", &["legal", "copyright", "disclaimer", "disclosure", "terms", "policy", "affiliate"]),
    ("locale", &["language", "languages", "lang", "country", "locale", "region", "currency", "localization", "translate"]),
    ("alert", &["alert", "notice", "notification", "notifications", "warning", "announcement", "toast", "message-bar", "error"]),
    ("tooltip", &["tooltip", "tooltips", "popper", "hint"]),
    ("feedback", &["feedback", "survey", "helpful", "poll"]),
    ("form", &["form", "field", "fieldset", "input", "contact", "inquiry", "captcha"]),
    ("location", &["location", "locations", "address", "map", "directions", "store", "stores", "hours"]),
    ("team", &["team", "staff", "people", "person", "bio-card", "partners", "partner", "clients", "logos", "logo", "brands", "brand"]),
    ("print", &["print", "noprint", "mobile", "desktop", "tablet", "responsive", "app", "download"]),
    ("section", &["section", "block", "component", "region-content", "container"]),
    ("stat", &["stat", "stats", "count", "counter", "number", "views", "badge", "badges", "label", "status"]),
];

/// The number of concepts.
pub(crate) const CONCEPTS: usize = TABLE.len();

// A set of concepts is a `u64`.
const _: () = assert!(CONCEPTS <= 64);

/// The names of the concepts, in the order of their bits.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(name, _)| *name)
}

/// A set of concepts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Concepts(pub u64);

impl Concepts {
    /// Whether the concept with that number is in the set.
    pub(crate) fn has(self, number: usize) -> bool {
        self.0 >> number & 1 == 1
    }
}

/// The words of the table, indexed by hash, and the learned vocabulary.
#[derive(Debug)]
pub(crate) struct Lexicon {
    pub vocabulary: Vocabulary,
    /// Open addressing: a word's hash and its concept; a zero hash marks a free slot.
    slots: Vec<(u32, u8)>,
}

const TABLE_SIZE: usize = 2048;

impl Lexicon {
    pub(crate) fn new(vocabulary: Vocabulary) -> Self {
        let mut slots = vec![(0, 0); TABLE_SIZE];
        for (number, (_, words)) in TABLE.iter().enumerate() {
            for word in *words {
                let hash = word_hash(word.as_bytes());
                let mut slot = hash as usize % TABLE_SIZE;
                while slots[slot].0 != 0 && slots[slot].0 != hash {
                    slot = (slot + 1) % TABLE_SIZE;
                }
                slots[slot] = (hash, u8::try_from(number).unwrap_or(0));
            }
        }
        Self { vocabulary, slots }
    }

    /// The concept of the word with this hash.
    pub(crate) fn concept(&self, hash: u32) -> Option<u8> {
        let mut slot = hash as usize % TABLE_SIZE;
        loop {
            let (found, concept) = self.slots[slot];
            if found == hash {
                return Some(concept);
            }
            if found == 0 {
                return None;
            }
            slot = (slot + 1) % TABLE_SIZE;
        }
    }
}

/// Case-insensitive hash of a word, never zero.
pub(crate) fn word_hash(word: &[u8]) -> u32 {
    word.iter()
        .fold(0x811c_9dc5_u32, |hash, byte| {
            (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193)
        })
        .max(1)
}

/// Calls `each` with the words of a class or id: runs of letters, also split where an upper-case letter
/// follows a lower-case one. Words of one letter or more than 24, and all after
/// the first 24 words, are skipped.
pub(crate) fn words_of(value: &str, mut each: impl FnMut(&[u8])) {
    let bytes = value.as_bytes();
    let mut start = 0;
    let mut found = 0;
    for at in 0..=bytes.len() {
        let inside = bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
        let is_case_boundary = inside
            && at > start
            && bytes[at].is_ascii_uppercase()
            && bytes[at - 1].is_ascii_lowercase();
        if inside && !is_case_boundary {
            continue;
        }
        if at >= start + 2 && at - start <= 24 {
            each(&bytes[start..at]);
            found += 1;
            if found == 24 {
                return;
            }
        }
        start = if is_case_boundary { at } else { at + 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::{Lexicon, TABLE, word_hash, words_of};

    #[test]
    fn every_word_of_the_table_is_found() {
        let lexicon = Lexicon::new(super::Vocabulary::default());
        for (_, words) in TABLE {
            for word in *words {
                assert!(
                    lexicon.concept(word_hash(word.as_bytes())).is_some(),
                    "{word}"
                );
            }
        }
        assert_eq!(lexicon.concept(word_hash(b"zzzz")), None);
    }

    #[test]
    fn class_values_are_split_into_words() {
        let table: [(&str, &[&str]); 4] = [
            (
                "post-body entry_Content",
                &["post", "body", "entry", "Content"],
            ),
            ("relatedPosts x1", &["related", "Posts"]),
            ("", &[]),
            ("css-1a2b3c", &["css"]),
        ];
        for (value, expected) in table {
            let mut words = Vec::new();
            words_of(value, |word| {
                words.push(String::from_utf8_lossy(word).into_owned());
            });
            assert_eq!(words, expected, "{value:?}");
        }
    }
}
