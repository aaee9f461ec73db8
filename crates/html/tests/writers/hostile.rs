//! Adversarial pages: time is linear and the output bounded.

use std::fmt::Write as _;
use std::time::Duration;

use crawler_html::{Selection, Tree, to_inert_html, to_markdown, to_text};

use crate::resolve;
use crate::stopwatch::Stopwatch;

/// Writes the page in all three formats on a small stack; returns the time and the length of the longest
/// output.
fn write_all(html: String) -> (Duration, usize) {
    std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(move || {
            let tree = Tree::parse(&html);
            let selection = Selection::whole(tree.root());
            let start = Stopwatch::start();
            let markdown = to_markdown(&tree, &selection, &resolve);
            let text = to_text(&tree, &selection);
            let inert = to_inert_html(&tree, &selection, &resolve);
            let longest = markdown.len().max(text.len()).max(inert.len());
            (start.elapsed(), longest)
        })
        .expect("a thread")
        .join()
        .expect("no overflow")
}

/// A name, and a page of about the given number of bytes.
type Hostile = (&'static str, fn(usize) -> String);

fn hostile_pages() -> impl Iterator<Item = Hostile> {
    TEXTS.iter().chain(LINKS).chain(TABLES).copied()
}

const TEXTS: &[Hostile] = &[
    ("stars", |n| "*".repeat(n)),
    ("underscores", |n| format!("<p>{}", "_a".repeat(n / 2))),
    ("backticks", |n| format!("<p>{}", "`a``".repeat(n / 4))),
    ("code of backticks", |n| {
        format!("<code>{}</code>", "`".repeat(n))
    }),
    ("brackets", |n| "[".repeat(n / 2) + &"](".repeat(n / 4)),
    ("ampersands", |n| "&amp;".repeat(n / 5)),
    ("references", |n| "&amp;amp".repeat(n / 8)),
    ("angle brackets", |n| "&lt;a".repeat(n / 5)),
    ("backslashes", |n| "\\".repeat(n)),
    ("spaces", |n| format!("a{}b", " ".repeat(n))),
    ("no-break spaces", |n| {
        format!("a{}b", "\u{a0}".repeat(n / 2))
    }),
    ("wide spaces", |n| {
        format!("<b>a{}</b>b", "\u{3000}".repeat(n / 3))
    }),
    ("divs", |n| "<div>".repeat(n / 5)),
    ("quotes", |n| "<blockquote>a".repeat(n / 13)),
    ("lists", |n| "<ul><li>a".repeat(n / 9)),
    ("numbered lists", |n| {
        "<ol start=999999999><li>a".repeat(n / 25)
    }),
    ("lists in lists", |n| {
        "<ul>".repeat(n / 8) + &"<li>a".repeat(n / 10)
    }),
    ("definitions", |n| "<dl><dd>a".repeat(n / 9)),
    ("bold", |n| "<b>a".repeat(n / 4)),
    ("bold, italic", |n| "<b>a</b><i>b</i>".repeat(n / 16)),
    ("marks that do not fit", |n| {
        "a<b>(<i>x</i>)</b>".repeat(n / 18)
    }),
    ("spans", |n| {
        "<span style='font-weight:bold'>a".repeat(n / 32)
    }),
    ("breaks", |n| "<br>".repeat(n / 4)),
    ("lines", |n| "[a<br>".repeat(n / 6)),
];

const LINKS: &[Hostile] = &[
    ("links", |n| "<a href=/x>a</a>".repeat(n / 16)),
    ("link around everything", |n| {
        format!(
            "<a href=/{}>{}",
            "x".repeat(2000),
            "<p>a<b><p>b</b>".repeat(n / 15)
        )
    }),
    ("long link", |n| {
        format!("<a href='/{}'>a</a>", "(".repeat(n))
    }),
    ("images", |n| "<img src=/a alt='*`['>".repeat(n / 22)),
    ("sources", |n| {
        format!("<picture>{}", "<source srcset=''><img>".repeat(n / 23))
    }),
    ("noscripts", |n| {
        "<noscript><img src=/a></noscript>".repeat(n / 33)
    }),
];

const TABLES: &[Hostile] = &[
    ("nested tables", |n| "<table><tr><td>a<td>".repeat(n / 20)),
    ("nested tables with headers", |n| {
        "<table><tr><th>a<td>".repeat(n / 20)
    }),
    ("rows", |n| {
        format!("<table>{}", "<tr><td>a<td>b".repeat(n / 14))
    }),
    ("cells", |n| format!("<table><tr>{}", "<td>a".repeat(n / 5))),
    ("wide and tall cells", |n| {
        format!(
            "<table>{}",
            "<tr><td colspan=1000000000 rowspan=1000000000>a<td>b".repeat(n / 52)
        )
    }),
    ("tall cells, then rows", |n| {
        format!(
            "<table><tr>{}{}",
            "<td rowspan=65534>a".repeat(n / 38),
            "<tr><td>b".repeat(n / 18)
        )
    }),
    ("wide cells, then a long row", |n| {
        format!(
            "<table>{}{}",
            "<tr><td>a".repeat(n / 18),
            "<td>b".repeat(n / 10)
        )
    }),
    ("code", |n| "<pre>a\n".repeat(n / 7)),
    ("code in a deep list", |n| {
        format!("{}<pre>{}", "<ul><li>".repeat(100), "a\n".repeat(n / 2))
    }),
    ("fences", |n| format!("<pre>{}", "```\n".repeat(n / 4))),
    ("notes", |n| {
        let mut html = String::new();
        for number in 0..n / 60 {
            write!(html, "<a href='#f{number}'>1</a>").expect("writing to a string cannot fail");
        }
        html += "<ol class=footnotes>";
        for number in 0..n / 60 {
            write!(html, "<li id=f{number}>a").expect("writing to a string cannot fail");
        }
        html
    }),
    ("notes in notes", |n| {
        "<ol class=footnotes><li id=a><a href='#a'>".repeat(n / 44)
    }),
    ("formulas", |n| {
        "<math><msup><mi>a</mi><mrow>".repeat(n / 29)
    }),
    ("classes", |n| {
        format!("<p class='{}'>a", "x ".repeat(n / 2))
    }),
    ("styles", |n| format!("<p style='{}'>a", ":;".repeat(n / 2))),
    ("attributes", |n| {
        let mut html = "<p".to_owned();
        for number in 0..n / 8 {
            write!(html, " a{number}").expect("writing to a string cannot fail");
        }
        html + ">a"
    }),
];

#[test]
fn the_output_is_bounded_and_nothing_overflows() {
    for (name, page) in hostile_pages() {
        let html = page(200_000);
        let length = html.len();
        let (_, longest) = write_all(html);
        assert!(
            longest <= length * 24 + 10_000,
            "{name}: {length} bytes became {longest}"
        );
    }
}

#[test]
fn time_is_linear() {
    let size = 60_000;
    for (name, page) in hostile_pages() {
        // The best of three runs, because other tests run at the same time.
        let best = |size: usize| (0..3).map(|_| write_all(page(size)).0).min().unwrap();
        let small = best(size).max(Duration::from_millis(2));
        let large = best(size * 4);
        assert!(
            large < small * 12 + Duration::from_millis(20),
            "{name}: {small:?} for one unit, {large:?} for four"
        );
    }
}

#[test]
fn every_star_is_escaped_once() {
    let html = "*".repeat(1_000_000);
    let tree = Tree::parse(&html);
    let written = to_markdown(&tree, &Selection::whole(tree.root()), &resolve);
    assert_eq!(written.len(), 2_000_001);
}
