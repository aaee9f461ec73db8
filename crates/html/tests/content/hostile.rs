//! Adversarial pages: extraction must not panic and must take linear time.

use std::time::Duration;

use crawler_html::{Tree, main_content, whole_body};

use crate::stopwatch::Stopwatch;

fn time_of(html: &str) -> Duration {
    let tree = Tree::parse(html);
    let start = Stopwatch::start();
    let content = main_content(&tree);
    let _ = whole_body(&tree);
    assert!(content.roots.len() <= tree.len());
    start.elapsed()
}

/// Adversarial pages of the given size.
fn pages(size: usize) -> Vec<(&'static str, String)> {
    let numbered = |part: &dyn Fn(usize) -> String| (0..size).map(part).collect::<String>();
    vec![
        ("deep", "<div>".repeat(size) + "text"),
        ("deep text", "<div>a b c d e f. ".repeat(size)),
        ("deep inline", "<b><i>x ".repeat(size)),
        ("flat links", "<a href=x>link</a> ".repeat(size)),
        (
            "flat paragraphs",
            "<p>One two three, four five six seven.</p>".repeat(size),
        ),
        (
            "distinct classes",
            numbered(&|n| format!("<div class='c{n} content-{n}'>word {n}</div>")),
        ),
        (
            "one class of many words",
            format!("<div class='{}'>text</div>", "content nav ".repeat(size)),
        ),
        ("list items", "<ul>".to_owned() + &"<li>item".repeat(size)),
        (
            "table cells",
            "<table>".to_owned() + &"<tr><td>a<td>b".repeat(size),
        ),
        ("breaks", "<br>".repeat(size) + "text"),
        ("one long word", "x".repeat(size * 8)),
        ("one long text", "word, word. ".repeat(size)),
        ("headings", "<h2>Heading</h2>".repeat(size)),
        (
            "titles",
            "<title>t</title><h1>one two three</h1>".repeat(size),
        ),
        (
            "json",
            "<script type=application/ld+json>\"@type\":\"Product\" </script>".repeat(size),
        ),
        ("nested lists", "<ul><li>".repeat(size)),
        (
            "unclosed",
            "<table><tr><td><form><a href=x><b>".repeat(size),
        ),
        (
            "nul and marks",
            "\0\u{feff}\u{200b}<p>\u{301}a</p>".repeat(size),
        ),
    ]
}

#[test]
fn hostile_pages_do_not_panic() {
    for (_, html) in pages(300) {
        time_of(&html);
    }
}

#[test]
fn time_is_linear() {
    // Eight times the page may take at most 40 times as long: far below the quadratic 64, with margin for a
    // busy machine. Times too short to measure are ignored.
    for ((name, small), (_, large)) in pages(2_000).into_iter().zip(pages(16_000)) {
        let fastest = |html: &str| (0..3).map(|_| time_of(html)).min().unwrap_or_default();
        let (short, long) = (fastest(&small), fastest(&large));
        let bound = short * 40 + Duration::from_millis(150);
        assert!(
            long < bound,
            "{name}: {short:?} for 2,000, {long:?} for 16,000"
        );
    }
}
