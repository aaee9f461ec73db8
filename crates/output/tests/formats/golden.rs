//! The output of every format, compared with golden files.

use std::path::PathBuf;

use crawler_model::LinkFilter;
use crawler_output::{Format, MapFormat};

use crate::fixture::{print, print_map, reports};

fn check(name: &str, output: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, output).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    assert!(golden == output, "{name} changed; it is now:\n{output}");
}

#[test]
fn crawl_formats() {
    for (format, name) in [
        (Format::Text, "crawl.txt"),
        (Format::Tree, "crawl.tree"),
        (Format::Edges, "crawl.edges"),
        (Format::Json, "crawl.json"),
        (Format::Ndjson, "crawl.ndjson"),
        (Format::Csv, "crawl.csv"),
    ] {
        check(name, &print(format, LinkFilter::default(), &reports()));
    }
}

#[test]
fn the_data_of_the_html_report() {
    let report = print(Format::Html, LinkFilter::default(), &reports());
    let data = report.find("<script>about(").unwrap();
    check("crawl.html-data", &report[data..]);
}

#[test]
fn every_link_filter() {
    let filter = LinkFilter {
        in_scope_only: false,
        all_schemes: true,
        keep_fragments: true,
    };
    check("all-links.txt", &print(Format::Text, filter, &reports()));
    let filter = LinkFilter {
        in_scope_only: true,
        ..LinkFilter::default()
    };
    check("in-scope.txt", &print(Format::Text, filter, &reports()));
}

#[test]
fn map_formats() {
    for (format, name) in [
        (MapFormat::Text, "map.txt"),
        (MapFormat::Json, "map.json"),
        (MapFormat::Ndjson, "map.ndjson"),
        (MapFormat::Csv, "map.csv"),
        (MapFormat::Sitemap, "map.xml"),
    ] {
        let left = ["https://example.org/left", "https://example.org/draft"];
        check(name, &print_map(format, &reports(), &left));
    }
}
