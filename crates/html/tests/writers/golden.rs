//! Small pages and the output of every writer, compared with the files beside this one.
//!
//! `UPDATE_GOLDEN=1 cargo test -p crawler-html --test writers` rewrites the files; review the difference.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{check_shape, inert_html, markdown, plain_text};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/writers/golden")
}

fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = fs::read_dir(folder())
        .expect("read the folder of pages")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.to_string_lossy().ends_with(".page.html"))
        .collect();
    pages.sort();
    pages
}

#[test]
fn output_equals_the_golden_files() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut differences = Vec::new();
    let pages = pages();
    assert!(pages.len() >= 60, "only {} pages", pages.len());
    for page in pages {
        let html = fs::read_to_string(&page).unwrap();
        let name = page
            .file_name()
            .unwrap()
            .to_string_lossy()
            .replace(".page.html", "");
        let written = markdown(&html);
        check_shape(&written);
        for (kind, now) in [
            ("md", written),
            ("txt", plain_text(&html)),
            ("inert.html", inert_html(&html)),
        ] {
            let path = folder().join(format!("{name}.{kind}"));
            if update {
                fs::write(&path, now).unwrap();
                continue;
            }
            let before = fs::read_to_string(&path).unwrap_or_default();
            if before != now {
                differences.push(format!(
                    "{name}.{kind}\n--- before\n{before}\n--- now\n{now}"
                ));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
