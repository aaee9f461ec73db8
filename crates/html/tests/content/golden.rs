//! The main content of every page in `pages` as Markdown, compared with the files beside them.
//!
//! `UPDATE_GOLDEN=1 cargo test -p crawler-html --test content` rewrites the files; review the difference.
//! Small differences are expected after training.

use std::fs;
use std::path::{Path, PathBuf};

use crawler_html::{Tree, main_content, to_markdown};

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/content/pages");
    let entries = fs::read_dir(folder).expect("read the folder of pages");
    let paths = entries.map(|entry| entry.expect("read an entry").path());
    let mut pages: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|kind| kind == "html"))
        .collect();
    pages.sort();
    pages
}

#[test]
fn main_content_equals_the_golden_files() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let pages = pages();
    assert!(pages.len() >= 15, "only {} pages", pages.len());
    let mut differences = Vec::new();
    for page in pages {
        let tree = Tree::parse(&fs::read_to_string(&page).expect("read a page"));
        let selection = main_content(&tree).selection();
        let now = to_markdown(&tree, &selection, &|reference| Some(reference.to_owned()));
        let golden = page.with_extension("md");
        if update {
            fs::write(&golden, now).expect("written");
            continue;
        }
        let before = fs::read_to_string(&golden).unwrap_or_default();
        if before != now {
            differences.push(format!(
                "{}\n--- before\n{before}\n--- now\n{now}",
                golden.display()
            ));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
