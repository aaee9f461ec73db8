//! Real pages: the manuals of Debian's packages, every one of them.
//!
//! `cargo xtask test` installs the packages and, where they cannot be had, leaves this out by name and says so.

use std::fs;
use std::path::{Path, PathBuf};

use crate::compare;

/// Where Debian keeps them.
const FOLDERS: [&str; 2] = ["/usr/share/doc", "/usr/share/gtk-doc"];
/// Fewer are no corpus.
const FEWEST: usize = 5_000;

#[test]
fn manuals_read_as_the_tree_reads_them() {
    let mut pages = Vec::new();
    for folder in FOLDERS {
        collect(Path::new(folder), &mut pages);
    }
    assert!(
        pages.len() >= FEWEST,
        "only {} manual pages here, of at least {FEWEST}: install the packages that xtask/src/setup.rs names",
        pages.len()
    );
    let mut bytes = 0;
    for path in &pages {
        let page = fs::read(path).unwrap();
        bytes += page.len();
        if let Some(told) = compare(&page) {
            panic!("{}: {told}", path.display());
        }
    }
    println!(
        "scanner and tree: {} manual pages ({bytes} bytes) compared, no difference",
        pages.len()
    );
}

/// The HTML files below a folder, each once.
fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        // links lead to what is found elsewhere, or in circles
        if kind.is_dir() {
            collect(&path, into);
        } else if kind.is_file()
            && path
                .extension()
                .is_some_and(|ending| ending == "html" || ending == "htm" || ending == "xhtml")
        {
            into.push(path);
        }
    }
}
