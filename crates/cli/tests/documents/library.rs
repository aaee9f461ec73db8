//! Rust code in `docs/` is copied from the documentation of the library, where it runs as doc tests.

use std::fs;

use crate::root;

/// The visible lines of the crate's documentation.
fn crate_documentation() -> String {
    let source = fs::read_to_string(root().join("crates/crawler/src/lib.rs")).unwrap();
    source
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .filter(|line| *line != "#" && !line.starts_with("# "))
        .flat_map(|line| [line, "\n"])
        .collect()
}

#[test]
fn rust_code_in_the_documents_is_tested_with_the_library() {
    let tested = crate_documentation();
    let page = fs::read_to_string(root().join("docs/library.md")).unwrap();
    let blocks: Vec<&str> = page
        .split("```rust\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    assert!(blocks.len() >= 4);
    for block in blocks {
        assert!(
            tested.contains(block),
            "crates/crawler/src/lib.rs does not have\n{block}"
        );
    }
}
