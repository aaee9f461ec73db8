//! What the fuzz targets look for, on every test run: inputs that once failed and every golden page, and a
//! few thousand changes of them.
//!
//! The checks are the very functions that the targets in `fuzz/` call. Chance comes from a fixed seed, so a
//! failure is there again on the next run. What the fuzzer finds is made small and put into `corpus/`.

#![expect(clippy::unwrap_used, reason = "a test's own parts may stop it")]

mod links;
mod markdown;
mod mutation;

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use mutation::Mutator;

const CHANGES: usize = 3_000;
/// Longer pages are read as they are, but not changed: there is more to find in short ones.
const LONGEST: usize = 2_048;

/// The files of a folder under `tests`, in order.
fn inputs(folder: &str, ending: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn replay(corpus: &str, check: fn(&[u8])) {
    let known = inputs(corpus, "");
    let mut pages = inputs("writers/golden", ".page.html");
    assert!(!known.is_empty() && pages.len() >= 60);
    pages.extend(known);
    for page in &pages {
        run(page, check);
    }
    pages.retain(|page| page.len() <= LONGEST);
    let mut mutator = Mutator::new(1);
    for _ in 0..CHANGES {
        run(&mutator.change(&pages), check);
    }
}

/// Runs the check; if it stops, says on which page.
fn run(page: &[u8], check: fn(&[u8])) {
    let done = catch_unwind(|| check(page));
    assert!(done.is_ok(), "on {:?}", page.escape_ascii().to_string());
}

#[test]
fn pages_in_every_form() {
    replay("fuzz/corpus/markdown", markdown::check);
}

#[test]
fn links_of_pages() {
    replay("fuzz/corpus/links", links::check);
}
