//! Compares the scanner with html5ever's tree on many generated pages and on real ones; any difference is a
//! bug.
//!
//! A short run is an ordinary test; `cargo xtask fuzz agree` makes it as long as desired. Differences found
//! earlier are in `regressions`.

#![expect(clippy::unwrap_used, reason = "a failing helper may panic in a test")]
#![expect(clippy::print_stdout, reason = "prints how much was compared")]

#[path = "../scanner/link_tags.rs"]
mod link_tags;
mod manuals;
#[path = "../scanner/oracle.rs"]
mod oracle;
mod page_generator;
mod regressions;
#[path = "../../../weburl/tests/agree/search.rs"]
mod search;
#[path = "../../../weburl/tests/agree/test_rng.rs"]
mod test_rng;
mod vocabulary;

use std::collections::BTreeSet;

use page_generator::PageGenerator;
use search::search;

/// The difference between scanner and tree on a page, if there is one.
pub(crate) fn compare(page: &[u8]) -> Option<String> {
    let links = oracle::in_order(page);
    let theirs = oracle::theirs(&String::from_utf8_lossy(page));
    let ours: BTreeSet<_> = links.iter().cloned().collect();
    if ours != theirs {
        return Some(format!("ours   {ours:?}\ntheirs {theirs:?}"));
    }
    // Numbered links are reported once and in order.
    let numbers: Vec<u32> = links
        .iter()
        .filter_map(|fact| page_generator::number_of(&fact.1))
        .collect();
    let in_order = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    (!in_order && page_generator::is_numbered(page))
        .then(|| format!("links out of order: {links:?}"))
}

#[test]
fn scanner_and_tree_agree() {
    let generator = PageGenerator::new();
    search("scanner and tree", |rng| generator.page(rng), compare);
}
