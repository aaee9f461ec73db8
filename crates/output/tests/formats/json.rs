//! JSON output is valid however the crawl ended.

use crawler_model::{LinkFilter, Summary};
use crawler_output::{Format, MapFormat, Target, sink};
use serde_json::Value;

use crate::fixture::{about, print, print_map, reports};

#[test]
fn an_array_with_any_number_of_pages() {
    let all = reports();
    for count in 0..=all.len() {
        let output = print(Format::Json, LinkFilter::default(), &all[..count]);
        let pages: Vec<Value> = serde_json::from_str(&output).unwrap();
        assert_eq!(pages.len(), count);
    }
    assert_eq!(print(Format::Json, LinkFilter::default(), &[]), "[\n]\n");
}

#[test]
fn the_array_is_valid_after_an_early_stop_and_two_finishes() {
    let (target, memory) = Target::memory();
    let mut sink = sink(Format::Json, target, LinkFilter::default(), about());
    sink.page(&reports()[0]).unwrap();
    sink.flush().unwrap();
    sink.finish(&Summary::default()).unwrap();
    sink.finish(&Summary::default()).unwrap();
    let pages: Vec<Value> = serde_json::from_str(&memory.text()).unwrap();
    assert_eq!(pages.len(), 1);
}

#[test]
fn every_line_of_ndjson_is_an_object() {
    let output = print(Format::Ndjson, LinkFilter::default(), &reports());
    let pages: Vec<Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(pages.len(), reports().len());
    assert_eq!(pages[2]["error"], "fetch failed: not found (404)");
    assert_eq!(pages[2]["error_kind"], "dead_link");
    assert!(pages[0].get("error").is_none());
    assert_eq!(pages[3]["truncated"], true);
    assert_eq!(pages[4]["redirect_to"], "https://example.org/new?a=1&b=2");
    assert_eq!(pages[5]["skipped"], "robots");
    let rendering = |at: usize| (&pages[at]["rendered"], &pages[at]["render_reason"]);
    assert_eq!(rendering(0), (&true.into(), &"asked".into()));
    assert_eq!(rendering(1), (&false.into(), &"readable".into()));
    assert_eq!(rendering(2), (&Value::Null, &Value::Null));
    // A URL that needs escaping is unchanged after parsing.
    assert_eq!(
        pages[0]["links"][7],
        "https://example.org/d\u{e9}j\u{e0}</script><!--\u{2028}"
    );
}

#[test]
fn an_empty_map_is_an_array() {
    assert_eq!(print_map(MapFormat::Json, &[], &[]), "[\n]\n");
}
