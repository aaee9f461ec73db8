//! Runs the checks of the fuzz targets as tests: on inputs that once failed, on every golden page, and on a
//! few thousand mutations of them.
//!
//! The checks are the same functions that the targets in `fuzz/` call. The random seed is fixed, so failures
//! are reproducible. Inputs found by the fuzzer are minimized and added to `corpus/`.

#![expect(clippy::unwrap_used, reason = "a failing helper may panic in a test")]

mod links;
mod markdown;
mod mutation;

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use mutation::Mutator;

const MUTATIONS: usize = 3_000;
/// Maximum length of a page that is mutated: shorter pages are more productive.
const MAX_MUTATED: usize = 2_048;

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
    pages.retain(|page| page.len() <= MAX_MUTATED);
    let mut mutator = Mutator::new(1);
    for _ in 0..MUTATIONS {
        run(&mutator.change(&pages), check);
    }
}

/// Runs the check and reports the page if it panics.
fn run(page: &[u8], check: fn(&[u8])) {
    let result = catch_unwind(|| check(page));
    assert!(result.is_ok(), "on {:?}", page.escape_ascii().to_string());
}

#[test]
fn pages_in_every_format() {
    replay("fuzz/corpus/markdown", markdown::check);
}

#[test]
fn links_of_pages() {
    replay("fuzz/corpus/links", links::check);
}
