//! Small pages of all seven kinds: text that must be kept and text that must not.

use crawler_html::{PageKind, Tree, main_content};

use crate::text_of;

struct Case {
    name: &'static str,
    html: &'static str,
    kind: PageKind,
    wanted: &'static [&'static str],
    unwanted: &'static [&'static str],
}

macro_rules! case {
    ($name:literal, $kind:ident, $wanted:expr, $unwanted:expr) => {
        Case {
            name: $name,
            html: include_str!(concat!("pages/", $name, ".html")),
            kind: PageKind::$kind,
            wanted: &$wanted,
            unwanted: &$unwanted,
        }
    };
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn cases() -> Vec<Case> {
    vec![
        case!(
            "article_news",
            Article,
            [
                "the first thing people saw was the mud",
                "A plan for higher walls",
                "an eye on the sky"
            ],
            [
                "We use cookies",
                "Ten walks for a rainy weekend",
                "All rights reserved",
                "Opinion"
            ]
        ),
        case!(
            "article_blog",
            Article,
            [
                "Rye does not behave like wheat",
                "Do not cut it hot",
                "bread that keeps for ten days"
            ],
            ["A better bagel", "Proudly powered", "Post comment"]
        ),
        case!(
            "article_no_landmarks",
            Article,
            [
                "wrote down the weather",
                "the oil had frozen",
                "white, with a grey tip"
            ],
            ["Guestbook"]
        ),
        case!(
            "documentation_reference",
            Documentation,
            [
                "Stops accepting new jobs",
                "queue.drain(timeout=30)",
                "How many seconds to wait",
                "fraction of a second"
            ],
            ["Quickstart", "Created using Sphinx"]
        ),
        case!(
            "documentation_guide",
            Documentation,
            [
                "from an empty folder to a running site",
                "harbor init my-site",
                "wait for the address to be printed"
            ],
            ["Copyright 2024 Harbor Works"]
        ),
        case!(
            "service_plumber",
            Service,
            [
                "answer the phone around the clock",
                "thermal camera",
                "you pay only when the water runs again"
            ],
            ["Registered in Norwick", "Jobs"]
        ),
        case!(
            "service_software",
            Service,
            [
                "writes the invoice when the work is done",
                "eleven days sooner",
                "There is no enterprise plan"
            ],
            ["Press"]
        ),
        case!(
            "forum_thread",
            Forum,
            [
                "it skips whenever I stand on the pedals",
                "Almost certainly the cassette",
                "mine was bent after it fell over",
                "so wear it is"
            ],
            ["Terms of service", "Creaking bottom bracket"]
        ),
        case!(
            "forum_question",
            Forum,
            [
                "I read numbers one at a time",
                "bisect.insort(numbers, n)",
                "Use a heap"
            ],
            ["Rounding money", "site design and logo"]
        ),
        case!(
            "collection_shop",
            Collection,
            [
                "knitted from the wool of mountain sheep",
                "Wash wool cold and seldom"
            ],
            [
                "Refund policy",
                "Your cart is empty",
                "Letters from the mill"
            ]
        ),
        case!(
            "listing_events",
            Listing,
            [
                "Bring gloves and a bucket",
                "The town band plays marches",
                "with bats if we are lucky"
            ],
            ["Imprint"]
        ),
        case!(
            "listing_headlines",
            Listing,
            [
                "Frozen under a glacier",
                "Bees count to four",
                "building cargo ships of oak"
            ],
            ["Advertise"]
        ),
        case!(
            "product_shop",
            Product,
            ["made of heavy steel", "The spout pours without a drip"],
            ["Whistling kettle", "Shipping", "Garden"]
        ),
        case!(
            "product_tabs",
            Product,
            [
                "built for long days with heavy bags",
                "There are mounts for two racks",
                "Wear of tyres, chains and brake pads"
            ],
            ["Brass bell", "Imprint", "Workshop"]
        ),
        case!(
            "product_specs",
            Product,
            [
                "bright enough for a dark lane",
                "A full charge takes two hours"
            ],
            ["Helmet mount", "All prices include VAT"]
        ),
    ]
}

#[test]
fn content_is_kept_and_the_page_frame_is_not() {
    let mut failures = Vec::new();
    for case in cases() {
        let tree = Tree::parse(case.html);
        let content = main_content(&tree);
        let text = text_of(&tree, &content);
        for wanted in case.wanted {
            if !text.contains(wanted) {
                failures.push(format!("{}: missed {wanted:?}", case.name));
            }
        }
        for unwanted in case.unwanted {
            if text.contains(unwanted) {
                failures.push(format!("{}: kept {unwanted:?}", case.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// On real pages the guess is right four times out of five. These pages are much shorter, which makes counts less
/// reliable. Random guessing would get two right.
#[test]
fn most_kinds_are_guessed() {
    let cases = cases();
    let guesses: Vec<String> = cases
        .iter()
        .map(|case| (case, main_content(&Tree::parse(case.html)).kind))
        .filter(|(case, kind)| *kind != case.kind)
        .map(|(case, kind)| format!("{} guessed as {}", case.name, kind.name()))
        .collect();
    assert!(guesses.len() * 2 < cases.len(), "{guesses:?}");
}

/// Pages that declare what they are, by type, address or software. The others are ambiguous: a guide reads
/// like an article, a small shop like a list.
const DECLARED: [&str; 10] = [
    "article_news",
    "article_blog",
    "documentation_reference",
    "service_plumber",
    "forum_thread",
    "listing_events",
    "listing_headlines",
    "product_shop",
    "product_tabs",
    "product_specs",
];

#[test]
fn declared_kinds_are_guessed() {
    let cases = cases();
    for name in DECLARED {
        let case = cases.iter().find(|case| case.name == name).expect(name);
        let guess = main_content(&Tree::parse(case.html)).kind;
        assert_eq!(guess, case.kind, "{name}");
    }
}

#[test]
fn results_are_deterministic() {
    for case in cases() {
        let tree = Tree::parse(case.html);
        assert_eq!(main_content(&tree), main_content(&tree), "{}", case.name);
    }
}
