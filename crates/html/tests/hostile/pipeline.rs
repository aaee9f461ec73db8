//! Runs one page through the pipeline on a small stack, with a time limit.

use std::time::Duration;

use crawler_html::{Selection, Tree, main_content, metadata, scan_links, whole_body};
use crawler_html::{to_inert_html, to_markdown, to_text};

use crate::stopwatch::Stopwatch;

const MEGABYTE: usize = 1_000_000;
/// The limit is one second per megabyte; unoptimized builds with assertions get four.
const SECONDS_PER_MEGABYTE: f64 = if cfg!(debug_assertions) { 4.0 } else { 1.0 };
const STACK: usize = 512 * 1024;
/// Each output may be at most this many times the page, plus this many bytes.
const MAX_FACTOR: usize = 24;
const MAX_EXTRA: usize = 10_000;

/// Resources used by one page.
struct Usage {
    time: Duration,
    /// Length of the longest output.
    longest: usize,
}

/// Panics unless the pipeline handles the page within the limits.
pub(crate) fn survives(name: &str, page: impl Into<Vec<u8>>) {
    survives_as(name, page, None);
}

/// Like [`survives`], with an encoding declared by the server.
#[expect(
    clippy::print_stdout,
    reason = "prints what each page took, with --nocapture"
)]
pub(crate) fn survives_as(name: &str, page: impl Into<Vec<u8>>, label: Option<&'static str>) {
    let page = page.into();
    let length = page.len();
    let thread = std::thread::Builder::new().stack_size(STACK);
    let result = thread
        .spawn(move || run_pipeline(&page, label))
        .unwrap()
        .join();
    let Ok(Usage { time, longest }) = result else {
        panic!("{name}: panicked");
    };
    let megabytes = length.max(MEGABYTE) as f64 / MEGABYTE as f64;
    let per_megabyte = time.as_secs_f64() / megabytes;
    println!(
        "{:7.1} ms per MB {:8.1} ms {length:9} → {longest:9} {name}",
        per_megabyte * 1e3,
        time.as_secs_f64() * 1e3,
    );
    assert!(
        per_megabyte <= SECONDS_PER_MEGABYTE,
        "{name}: {time:?} for {length} bytes"
    );
    assert!(
        longest <= length * MAX_FACTOR + MAX_EXTRA,
        "{name}: {length} bytes became {longest}"
    );
}

fn run_pipeline(page: &[u8], label: Option<&str>) -> Usage {
    let watch = Stopwatch::start();
    let (tree, read_as) = Tree::parse_bytes(page, label, None);
    let mut links = 0;
    scan_links(page, read_as.encoding, |_| links += 1);
    assert!(links <= page.len());
    let found = metadata(&tree, &resolve);
    let chosen = main_content(&tree).selection();
    let whole = Selection::whole(tree.root());
    // The whole page regardless of the selection: the longest possible output.
    let markdown = to_markdown(&tree, &whole, &resolve).len();
    let time = watch.elapsed();
    // The remaining functions must not fail either; they are not part of the usual pipeline.
    let body = whole_body(&tree).selection();
    let longest = [
        markdown,
        format!("{found:?}").len(),
        to_markdown(&tree, &chosen, &resolve).len(),
        to_text(&tree, &body).len(),
        to_inert_html(&tree, &whole, &resolve).len(),
        to_text(&tree, &whole).len(),
    ];
    let watch = Stopwatch::start();
    drop(tree);
    Usage {
        time: time + watch.elapsed(),
        longest: longest.into_iter().max().unwrap(),
    }
}

/// Makes every address absolute without shortening it.
#[expect(clippy::unnecessary_wraps, reason = "the signature of a resolver")]
fn resolve(href: &str) -> Option<String> {
    Some(format!("https://e.x/{href}"))
}
