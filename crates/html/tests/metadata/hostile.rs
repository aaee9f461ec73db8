//! Adversarial pages: deep, long, many. The stack is small, and the time limit is generous enough for a slow
//! machine; quadratic behavior exceeds it by orders of magnitude.

use std::time::Duration;

use crawler_html::{Metadata, Tree, metadata};

use crate::stopwatch::Stopwatch;
use crate::{read, resolve};

const SIZE: usize = 400_000;
const BOUND: Duration = Duration::from_secs(10);

fn read_in_small_thread(page: String) -> Metadata {
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    let reading = thread.spawn(move || {
        let tree = Tree::parse(&page);
        let start = Stopwatch::start();
        let found = metadata(&tree, &resolve);
        let took = start.elapsed();
        let head: String = page.chars().take(60).collect();
        assert!(took < BOUND, "{took:?} on {head}…");
        found
    });
    reading.unwrap().join().unwrap()
}

#[test]
fn extreme_pages_are_read_in_time() {
    let units = [
        "<h1>",
        "<h1></h1>",
        "<div itemprop=author>",
        "<div itemprop='author author author author'><b>",
        "<time pubdate itemprop=datePublished>",
        "<div class=comment>",
        "<meta name=a property='b c d e f' content=x>",
        "<meta property=og:title content=' - | - '>",
        "<link rel='alternate icon canonical next' hreflang=a type=application/rss+xml href=''>",
        "<a rel=author>x</a>",
        "<script type=application/ld+json>{\"@type\":\"Article\",\"headline\":\"x\"}</script>",
        "<script type=application/ld+json>[[[[</script>",
        "<title>x</title>",
    ];
    for unit in units {
        read_in_small_thread(unit.repeat(SIZE / unit.len()));
    }
}

#[test]
fn extreme_json_is_read_in_time() {
    let wrap = |block: String| format!("<script type=application/ld+json>{block}</script>");
    let nested = |open: &str, close: &str, depth: usize| {
        wrap(open.repeat(depth) + "1" + &close.repeat(depth))
    };
    let pages = [
        nested("[", "]", 100_000),
        nested("{\"@graph\":", "}", 50_000),
        nested("{\"@graph\":", "}", 120),
        nested("{\"author\":[", "]}", 60),
        wrap("{} ".repeat(SIZE / 3)),
        wrap(format!("[{}0]", "0,".repeat(SIZE / 2))),
        wrap(format!(
            "[{}0]",
            "{\"@type\":\"Article\",\"@id\":\"a\",\"author\":{\"@id\":\"a\"}},".repeat(9_000)
        )),
        wrap(format!(
            "{{\"@type\":\"Article\",\"author\":[{}0]}}",
            "{\"@id\":\"a\"},".repeat(30_000)
        )),
        wrap(format!(
            "{{\"@type\":\"Article\",\"headline\":\"{}\"}}",
            "&amp;".repeat(80_000)
        )),
    ];
    for page in pages {
        read_in_small_thread(page);
    }
}

#[test]
fn a_title_of_separators_is_read_in_time() {
    for unit in [" - ", "|", ": ", " | a", "»"] {
        let text = unit.repeat(SIZE / unit.len());
        let found = read_in_small_thread(format!(
            "<meta property=og:site_name content='{text}'><title>a{text}b</title>"
        ));
        assert!(found.title.unwrap().len() <= 10 * 1024);
    }
}

#[test]
fn values_and_lists_are_bounded() {
    let long = "word ".repeat(10_000);
    let found = read(&format!(
        "<title>{long}</title><meta name=description content='{long}'>\
         <meta name=author content='{long}'><meta name=date content='1 {long}'>\
         <link rel=canonical href='/{long}'>"
    ));
    assert_eq!(found.title.unwrap().len(), 10 * 1024 - 1);
    assert_eq!(found.description.unwrap().len(), 10 * 1024 - 1);
    assert_eq!(found.author, [""; 0]);
    assert_eq!((found.published, found.canonical), (None, None));

    let many: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
    let tag = "<meta property=og:# content=x><link rel=alternate hreflang=de href=/#>";
    let tags: Vec<String> = many.iter().map(|n| tag.replace('#', n)).collect();
    let tags = tags.concat();
    let found = read(&format!(
        "<meta name=keywords content='{}'>{tags}",
        many.join(",")
    ));
    let lengths = [
        found.keywords.len(),
        found.open_graph.len(),
        found.alternates.len(),
    ];
    assert_eq!(lengths, [256; 3]);
}
