//! Runs every command that README.md, CONTRIBUTING.md and the documents in `docs/` show.
//!
//! Each document is one bash session in its own folder, with the built binary on `PATH`. `https://example.org` is
//! replaced by a small site (`site/`) and `localhost:8080` by a free port; everything else runs as printed. Where a
//! `console` block shows output, the output must match; `…` stands for anything, and times are not compared.
//!
//! Tags after the language of a fence: `exit-1` (the last command ends with 1), `browser` (needs Chromium), `postgres` and
//! `sqlite` (one of the two stores only), `not-run` (not executed; a comment above the fence says why).
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod block;
mod database;
mod expected;
mod library;
mod links;
mod session;
mod site;
mod workflows;

use std::path::{Path, PathBuf};

use block::Block;
use session::{Session, Store};

/// Maximum number of blocks that are not executed, over all documents.
const MAX_NOT_RUN: usize = 8;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Blocks of shell commands in a document.
fn blocks(document: &str) -> Vec<Block> {
    let text = std::fs::read_to_string(root().join(document)).unwrap();
    block::parse(document, &text)
}

/// Documents with commands, one test each.
macro_rules! documents {
    ($($test:ident: $document:literal,)*) => {
        const DOCUMENTS: &[&str] = &[$($document),*];
        mod commands_of {
            $(
                #[test]
                fn $test() {
                    super::run($document);
                }
            )*
        }
    };
}

documents! {
    readme: "README.md",
    contributing: "CONTRIBUTING.md",
    getting_started: "docs/getting-started.md",
    recipes: "docs/recipes.md",
    formats: "docs/formats.md",
    service: "docs/service.md",
    operations: "docs/operations.md",
    urls_and_politeness: "docs/urls-and-politeness.md",
    faq: "docs/faq.md",
}

fn run(document: &str) {
    let blocks: Vec<Block> = blocks(document)
        .into_iter()
        .filter(|block| {
            ["not-run", "browser", "postgres"]
                .iter()
                .all(|tag| !block.has(tag))
        })
        .collect();
    assert!(!blocks.is_empty(), "{document} has no commands");
    Session::new(Store::Sqlite).run(&blocks);
}

#[test]
fn commands_that_need_a_browser() {
    for document in DOCUMENTS {
        let mut blocks = blocks(document);
        blocks.retain(|block| block.has("browser"));
        if !blocks.is_empty() {
            Session::new(Store::Sqlite).run(&blocks);
        }
    }
}

/// The walkthrough of the API is the same on Postgres, with the API and three workers as separate processes.
#[test]
fn commands_of_the_service_on_postgres() {
    let mut blocks = blocks("docs/service.md");
    blocks.retain(|block| {
        !["not-run", "browser", "sqlite"]
            .iter()
            .any(|tag| block.has(tag))
    });
    assert!(blocks.iter().any(|block| block.has("postgres")));
    blocks.sort_by_key(|block| !block.has("postgres"));
    database::with(|url| Session::new(Store::Postgres(url.to_owned())).run(&blocks));
}

#[test]
fn every_document_with_commands_is_run() {
    let mut found: Vec<String> = links::documents();
    found.retain(|document| !blocks(document).is_empty());
    let mut listed: Vec<&str> = DOCUMENTS.to_vec();
    found.sort();
    listed.sort_unstable();
    assert_eq!(found, listed);
}

#[test]
fn blocks_that_are_not_run_are_few_and_say_why() {
    let mut blocks: Vec<Block> = DOCUMENTS.iter().flat_map(|name| blocks(name)).collect();
    blocks.retain(|block| block.has("not-run"));
    for block in &blocks {
        assert!(
            block.before.starts_with("<!-- not run: "),
            "{block}: the line above must be <!-- not run: reason -->"
        );
    }
    assert!(blocks.len() <= MAX_NOT_RUN, "{} blocks", blocks.len());
}
