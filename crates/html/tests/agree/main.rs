//! The scanner beside the tree of html5ever, on very many made-up pages and on real ones; any difference is a bug.
//!
//! A short run of it is a test like any other; `cargo xtask fuzz agree` makes it as long as one likes. What was found
//! once is in `known`.

#![expect(clippy::unwrap_used, reason = "a test's own parts may stop it")]
#![expect(clippy::print_stdout, reason = "how much was compared is told")]

#[path = "../../../weburl/tests/agree/chance.rs"]
mod chance;
mod known;
mod maker;
mod manuals;
#[path = "../suite/oracle.rs"]
mod oracle;
#[path = "../../../weburl/tests/agree/search.rs"]
mod search;
mod vocabulary;

use std::collections::BTreeSet;

use maker::PageMaker;
use search::search;

/// What scanner and tree say of a page, where they differ.
pub(crate) fn compare(page: &[u8]) -> Option<String> {
    let said = oracle::in_order(page);
    let theirs = oracle::theirs(&String::from_utf8_lossy(page));
    let ours: BTreeSet<_> = said.iter().cloned().collect();
    if ours != theirs {
        return Some(format!("ours   {ours:?}\ntheirs {theirs:?}"));
    }
    // links with a number of their own are said once, in order
    let numbers: Vec<u32> = said
        .iter()
        .filter_map(|fact| maker::number_of(&fact.1))
        .collect();
    let in_order = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    (!in_order && maker::is_numbered(page)).then(|| format!("the order of {said:?}"))
}

#[test]
fn scanner_and_tree_agree() {
    let maker = PageMaker::new();
    search("scanner and tree", |chance| maker.page(chance), compare);
}
