//! One page through all of it, on a small stack, against the clock.

use std::time::Duration;

use html::{Selection, Tree, main_content, metadata, scan_links, whole_body};
use html::{to_inert_html, to_markdown, to_text};

use crate::stopwatch::Stopwatch;

const MEGABYTE: usize = 1_000_000;
/// The rule is a second for a megabyte. The development build, hardly optimised and full of
/// assertions, is given four.
const SECONDS_PER_MEGABYTE: f64 = if cfg!(debug_assertions) { 4.0 } else { 1.0 };
const STACK: usize = 512 * 1024;
/// Each form at most so many times the page, and so many bytes more.
const TIMES: usize = 24;
const MORE: usize = 10_000;

/// What one page took.
struct Taken {
    time: Duration,
    /// The longest form.
    longest: usize,
}

/// Stops the test unless the page gets through whole, in time, and in proportion.
pub(crate) fn survives(name: &str, page: impl Into<Vec<u8>>) {
    survives_as(name, page, None);
}

/// The same, with an encoding that the server tells.
#[expect(
    clippy::print_stdout,
    reason = "what each page took is shown on demand"
)]
pub(crate) fn survives_as(name: &str, page: impl Into<Vec<u8>>, label: Option<&'static str>) {
    let page = page.into();
    let length = page.len();
    let thread = std::thread::Builder::new().stack_size(STACK);
    let taken = thread.spawn(move || through(&page, label)).unwrap().join();
    let Ok(Taken { time, longest }) = taken else {
        panic!("{name}: a panic");
    };
    let megabytes = length.max(MEGABYTE) as f64 / MEGABYTE as f64;
    let per_megabyte = time.as_secs_f64() / megabytes;
    println!(
        "{:7.1} ms a megabyte {:8.1} ms {length:9} → {longest:9} {name}",
        per_megabyte * 1e3,
        time.as_secs_f64() * 1e3,
    );
    assert!(
        per_megabyte <= SECONDS_PER_MEGABYTE,
        "{name}: {time:?} for {length} bytes"
    );
    assert!(
        longest <= length * TIMES + MORE,
        "{name}: {length} bytes became {longest}"
    );
}

fn through(page: &[u8], label: Option<&str>) -> Taken {
    let watch = Stopwatch::start();
    let (tree, read_as) = Tree::parse_bytes(page, label, None);
    let mut links = 0;
    scan_links(page, read_as.encoding, |_| links += 1);
    assert!(links <= page.len());
    let told = metadata(&tree, &resolve);
    let chosen = main_content(&tree).selection();
    let whole = Selection::whole(tree.root());
    // The whole page, whatever was chosen of it: the longest form there can be.
    let markdown = to_markdown(&tree, &whole, &resolve).len();
    let time = watch.elapsed();
    // What else can be asked of a page may not go wrong either; it is not on every page's way.
    let body = whole_body(&tree).selection();
    let longest = [
        markdown,
        format!("{told:?}").len(),
        to_markdown(&tree, &chosen, &resolve).len(),
        to_text(&tree, &body).len(),
        to_inert_html(&tree, &whole, &resolve).len(),
        to_text(&tree, &whole).len(),
    ];
    let watch = Stopwatch::start();
    drop(tree);
    Taken {
        time: time + watch.elapsed(),
        longest: longest.into_iter().max().unwrap(),
    }
}

/// Every address is one: what is long stays long.
#[expect(clippy::unnecessary_wraps, reason = "a resolver may refuse")]
fn resolve(href: &str) -> Option<String> {
    Some(format!("https://e.x/{href}"))
}
