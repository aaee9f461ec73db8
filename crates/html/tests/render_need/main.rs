//! Which pages need a browser: a table of pages as sent by frameworks, servers and bot walls, behavior on
//! truncated and corrupted pages, and linear time.

#![expect(clippy::unwrap_used, reason = "a failing helper may panic in a test")]

mod hostile;
mod rules;
#[path = "../hostile/stopwatch.rs"]
mod stopwatch;
mod table;
mod weight;

use std::collections::BTreeSet;
use std::path::PathBuf;

use crawler_html::render_need;
use crawler_model::RenderNeed;
use table::TABLE;

const HTML: Option<&str> = Some("text/html; charset=utf-8");

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/render_need/pages")
}

fn page(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(format!("{name}.html"))).unwrap()
}

#[test]
fn every_page_of_the_table() {
    let wrong: Vec<String> = TABLE
        .iter()
        .map(|(name, expected)| (name, expected, render_need(&page(name), HTML)))
        .filter(|(_, expected, got)| *expected != got)
        .map(|(name, expected, got)| format!("{name}: {got:?}, not {expected:?}"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_table_and_the_folder_have_the_same_pages() {
    let rows: BTreeSet<String> = TABLE.iter().map(|(name, _)| (*name).to_owned()).collect();
    let files: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert_eq!(rows, files);
    assert_eq!(rows.len(), TABLE.len());
    assert!(rows.len() >= 60);
    let plain = TABLE.iter().filter(|(_, need)| *need == RenderNeed::Plain);
    assert!(plain.count() >= 25);
}

/// Another encoding or a missing type changes nothing; another type means no browser.
#[test]
fn types_and_encodings() {
    for (name, expected) in TABLE {
        let body = page(name);
        assert_eq!(render_need(&body, None), expected, "{name}");
        let json = render_need(&body, Some("application/json"));
        assert_eq!(json, RenderNeed::Plain, "{name}");
        let text = String::from_utf8(body).unwrap();
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let got = render_need(&wide, Some("text/html; charset=utf-16le"));
        assert_eq!(got, expected, "{name} in UTF-16");
    }
}
