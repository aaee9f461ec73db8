//! The records of an output without what differs between runs: the server's port, times, and the page that linked first.

use std::collections::BTreeSet;

use serde_json::Value;
use testsite::Server;

/// The records of a complete, valid output without duplicates.
#[track_caller]
pub(crate) fn records(format: &str, server: &Server, written: &str) -> BTreeSet<String> {
    let text = written.replace(&server.origin(), "http://site");
    let records: Vec<String> = match format {
        "json" => {
            let array: Vec<Value> = serde_json::from_str(&text).unwrap();
            array.iter().map(object).collect()
        }
        "ndjson" => text
            .lines()
            .map(|line| object(&serde_json::from_str(line).unwrap()))
            .collect(),
        "csv" => {
            let mut lines = text.lines();
            assert!(lines.next().unwrap().starts_with("source,target,"));
            // A page may link to another twice: then there are two rows.
            let rows = lines
                .enumerate()
                .map(|(at, line)| format!("{at} {}", row(line)));
            let mut rows: Vec<String> = rows.collect();
            rows.sort_by_key(|row| row.split_once(' ').unwrap().1.to_owned());
            let rows = rows.iter().enumerate();
            rows.map(|(at, row)| format!("{at} {}", row.split_once(' ').unwrap().1))
                .collect()
        }
        "html" => report(&text),
        "text" => {
            let pages = text.split("Visited: ").skip(1);
            pages.map(str::to_owned).collect()
        }
        _ => text.lines().map(str::to_owned).collect(),
    };
    let set: BTreeSet<String> = records.iter().cloned().collect();
    assert_eq!(set.len(), records.len(), "a record is duplicated");
    set
}

fn object(page: &Value) -> String {
    let mut page = page.clone();
    let fields = page.as_object_mut().unwrap();
    fields.remove("ms");
    fields.remove("via");
    page.to_string()
}

fn row(line: &str) -> String {
    let mut cells: Vec<&str> = line.split(',').collect();
    assert_eq!(cells.len(), 13, "{line}");
    cells.remove(9);
    cells.join(",")
}

/// A report's URLs, its pages with their status and depth, and its edges.
fn report(text: &str) -> Vec<String> {
    const ROW: usize = 17;
    assert!(text.trim_end().ends_with("</html>"), "it is complete");
    for call in ["<script>about(", "<script>finished("] {
        assert_eq!(text.matches(call).count(), 1, "{call}");
    }
    let mut urls: Vec<String> = Vec::new();
    let (mut pages, mut edges) = (Vec::new(), Vec::new());
    for piece in text.split("<script>chunk(").skip(1) {
        let chunk = piece.split(")</script>").next().unwrap();
        let chunk: Value = serde_json::from_str(chunk).unwrap();
        let texts = chunk["s"].as_array().unwrap();
        urls.extend(texts.iter().map(|url| url.as_str().unwrap().to_owned()));
        let numbers = chunk["p"].as_array().unwrap();
        assert_eq!(numbers.len() % ROW, 0);
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        for row in numbers.chunks(ROW) {
            pages.push((number(&row[0]), number(&row[2]), number(&row[3])));
        }
        let mut from = 0;
        for edge in chunk["e"].as_array().unwrap() {
            let edge = edge.as_i64().unwrap();
            if edge < 0 {
                from = usize::try_from(-edge - 1).unwrap();
            } else {
                edges.push((from, usize::try_from(edge).unwrap()));
            }
        }
    }
    let pages = pages
        .iter()
        .map(|(id, status, depth)| format!("page {} {status} {depth}", urls[*id]));
    let edges = edges
        .iter()
        .map(|(from, to)| format!("edge {} {}", urls[*from], urls[*to]));
    pages.chain(edges).collect()
}
