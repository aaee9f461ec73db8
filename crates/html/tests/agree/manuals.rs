//! Real pages: all manuals in Debian packages.
//!
//! `cargo xtask test` installs the packages; if they are not available, it skips this test with a message. Other systems have
//! no such packages.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::compare;

/// Folders where Debian installs manuals.
const FOLDERS: [&str; 2] = ["/usr/share/doc", "/usr/share/gtk-doc"];
/// Minimum number of pages for a useful corpus.
const MIN_PAGES: usize = 5_000;

#[test]
fn manuals_agree_with_the_tree() {
    let mut pages = Vec::new();
    for folder in FOLDERS {
        collect(Path::new(folder), &mut pages);
    }
    assert!(
        pages.len() >= MIN_PAGES,
        "found only {} manual pages, need at least {MIN_PAGES}: install the packages listed in xtask/src/requirements.rs",
        pages.len()
    );
    let mut bytes = 0;
    for path in &pages {
        let page = fs::read(path).unwrap();
        bytes += page.len();
        if let Some(difference) = compare(&page) {
            panic!("{}: {difference}", path.display());
        }
    }
    println!(
        "scanner and tree: {} manual pages ({bytes} bytes) compared, no difference",
        pages.len()
    );
}

/// The HTML files under a folder, each once.
fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        // Symbolic links lead to files found elsewhere, or form cycles.
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
