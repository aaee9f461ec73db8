//! Time is linear in the page, on pages designed to break that.
//!
//! The limit is generous, for a slow machine and an unoptimized build; a scan that looks at its input
//! repeatedly exceeds it by orders of magnitude.

use std::fmt::Write as _;
use std::time::Duration;

use crawler_html::{ScanEvent, charset, looks_like_html, scan_links};
use encoding_rs::{SHIFT_JIS, UTF_8};

use crate::openers::OPENERS;
use crate::stopwatch::Stopwatch;

const BOUND: Duration = Duration::from_secs(5);

/// Scans the page within the limit and returns the number of links.
fn links(page: &str) -> usize {
    let start = Stopwatch::start();
    let mut count = 0;
    scan_links(page.as_bytes(), UTF_8, |found| {
        count += usize::from(matches!(found, ScanEvent::Link(_)));
    });
    let took = start.elapsed();
    assert!(took < BOUND, "{took:?} on {}…", &page[..40]);
    count
}

#[test]
fn a_million_links() {
    let page = "<a href=/some/page>x</a>\n".repeat(1_000_000);
    assert_eq!(links(&page), 1_000_000);
}

#[test]
fn deep_nesting() {
    assert_eq!(links(&format!("{}<a href=x>", "<div>".repeat(100_000))), 1);
    assert_eq!(
        links(&format!("{}<a href=x>", "<template>".repeat(100_000))),
        0
    );
    assert_eq!(
        links(&format!("<svg>{}<a href=x>", "<g>".repeat(100_000))),
        1
    );
    assert_eq!(
        links(&format!("{}<a href=x>", "<svg><desc>".repeat(100_000))),
        1
    );
}

#[test]
fn links_in_deep_drawings_are_found_as_in_a_browser() {
    for (name, page) in [
        ("style", "<svg><style><a href=x>"),
        ("desc", "<svg><desc><a href=x></a>"),
        ("text", "<p><svg><style></p><a href=x></a>"),
    ] {
        for levels in [100, 600, 3_642] {
            let page = page.repeat(levels);
            let mut count = 0;
            let complete = scan_links(page.as_bytes(), UTF_8, |found| {
                count += usize::from(matches!(found, ScanEvent::Link(_)));
            });
            assert!(complete, "{name}, {levels} levels");
            assert_eq!(count, levels, "{name}");
        }
    }
}

#[test]
fn a_page_whose_tree_is_cut_short_says_so() {
    // HTML in an svg needs the tree, and the tree drops attributes of the tag.
    let mut page = "<svg><desc><div".to_owned();
    for number in 0..300 {
        write!(page, " a{number}=1").unwrap();
    }
    page.push_str("><svg></desc><style><a href=x></style>");
    assert!(!scan_links(page.as_bytes(), UTF_8, |_| ()));
    assert!(scan_links(b"<svg><style><a href=x></style>", UTF_8, |_| ()));
}

#[test]
fn end_tags_that_match_nothing() {
    let deep = "<g>".repeat(300);
    assert_eq!(
        links(&format!("<svg>{deep}{}<a href=x>", "</x>".repeat(100_000))),
        1
    );
    let deep = "<i>".repeat(300);
    let page = format!(
        "<svg><desc>{deep}{}<a href=x>",
        "</x></b></div>".repeat(50_000)
    );
    assert_eq!(links(&page), 1);
}

#[test]
fn many_attributes_and_a_huge_one() {
    let many: Vec<String> = (0..20_000).map(|n| format!(" x{n}=\"{n}\"")).collect();
    assert_eq!(links(&format!("<a{} href=x>", many.concat())), 1);
    assert_eq!(links(&format!("<a{} href=x>", " href=y".repeat(20_000))), 1);
    assert_eq!(links(&format!("<a href='{}'>", "x".repeat(5_000_000))), 1);
    assert_eq!(
        links(&format!("<a href='{}'>", "é&\r".repeat(1_000_000))),
        1
    );
}

#[test]
fn a_million_references() {
    assert_eq!(
        links(&format!("<a href='{}'>", "&amp;".repeat(1_000_000))),
        1
    );
    assert_eq!(links(&format!("<a href='{}'>", "&x".repeat(1_000_000))), 1);
    assert_eq!(links(&format!("<a href='&{}'>", "a".repeat(1_000_000))), 1);
    assert_eq!(links(&format!("<a href='&#{}'>", "1".repeat(1_000_000))), 1);
    assert_eq!(links(&format!("<a href='{}'>", "&#x".repeat(1_000_000))), 1);
}

#[test]
fn unclosed_constructs() {
    for opener in OPENERS {
        links(&opener.repeat(200_000));
        links(&format!("<script>{}", opener.repeat(200_000)));
        links(&format!("<svg>{}", opener.repeat(200_000)));
    }
}

/// Pages that make the scanner consult the tree, once or repeatedly.
#[test]
fn pages_that_need_the_tree() {
    let openers = [
        "<frameset>",
        "<a href=x><frameset>",
        "<template><col>",
        "<template><a href=x><object>",
        "<svg><title>x</title><base>",
        "<svg></div><title><a href=x>",
        "<svg><foreignObject><div><b>",
        "<math><mi><b>",
        "<svg><title>x</title></svg></title>",
        "<svg><title>x</title><![CDATA[",
        "<p><b><svg><desc>x</desc></b>",
        "<svg><title>x</title><style>x",
    ];
    for opener in openers {
        links(&opener.repeat(50_000));
        links(&format!("<body><a href=x>{}", opener.repeat(50_000)));
        links(&format!("<template>{}", opener.repeat(50_000)));
    }
    // Few names are recorded, however many there are.
    let mut names = String::new();
    for number in 0..100_000 {
        write!(names, "<svg><g{number}><desc></desc></svg></g{number}>").unwrap();
    }
    links(&names);
    // And they are not searched again for each text element.
    let mut deep = String::from("<math>");
    for number in 0..119 {
        write!(deep, "<g{number}>").unwrap();
    }
    links(&format!("{deep}{}", "<mi></mi>".repeat(500_000)));
}

#[test]
fn charset_and_sniffing() {
    let start = Stopwatch::start();
    for opener in [
        "<!--",
        "<meta ",
        "<meta charset=x ",
        "<",
        "<base",
        "<?xml ",
        "<?xml ?><?",
        "é",
    ] {
        let page = opener.repeat(200_000);
        charset(page.as_bytes(), None, None);
        looks_like_html(page.as_bytes());
        scan_links(page.as_bytes(), SHIFT_JIS, |_| {});
    }
    charset(&b"\xE9\x81".repeat(3_000_000), None, Some("jp"));
    let took = start.elapsed();
    assert!(took < BOUND * 2, "{took:?}");
}
