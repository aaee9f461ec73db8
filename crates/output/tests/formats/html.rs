//! The report holds together when it is cut off, and nothing in it gets out of its script.

use model::LinkFilter;
use output::Format;
use serde_json::Value;

use crate::fixture::{linking, print, reports};

/// The arguments of every `chunk` call.
fn chunks(report: &str) -> Vec<Value> {
    report
        .split("<script>chunk(")
        .skip(1)
        .filter_map(|rest| rest.split_once(")</script>"))
        .map(|(argument, _)| serde_json::from_str(argument).unwrap())
        .collect()
}

#[test]
fn every_script_closes_where_it_should() {
    let report = print(Format::Html, LinkFilter::default(), &reports());
    assert_eq!(
        report.matches("<script").count(),
        report.matches("</script").count()
    );
    assert!(!report.contains("<!--"));
    assert!(report.ends_with("</html>\n"));
}

#[test]
fn chunks_number_urls_on() {
    let reports: Vec<_> = (0..450)
        .map(|number| {
            let next = format!("https://example.org/{}", number + 1);
            linking(&format!("https://example.org/{number}"), 1, &[&next])
        })
        .collect();
    let report = print(Format::Html, LinkFilter::default(), &reports);
    let chunks = chunks(&report);
    assert_eq!(chunks.len(), 3);
    let all = |field: &str| -> Vec<Value> {
        let lists = chunks.iter().map(|chunk| chunk[field].as_array().unwrap());
        lists.flatten().cloned().collect()
    };
    // The root they were found on is a URL too.
    assert_eq!(all("s").len(), 452);
    assert_eq!(all("p").len(), 450 * 15);
    // A source and a target an edge.
    assert_eq!(all("e").len(), 450 * 2);
    assert!(all("s").contains(&Value::from("/449")));
}

#[test]
fn a_page_with_very_many_links_is_spread_over_chunks() {
    let links: Vec<String> = (0..30_000)
        .map(|number| format!("https://example.org/a-page-with-a-long-name/{number}"))
        .collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let report = print(
        Format::Html,
        LinkFilter::default(),
        &[linking("https://example.org/", 0, &links)],
    );
    let chunks = chunks(&report);
    assert!(chunks.len() > 3, "{}", chunks.len());
    for chunk in &chunks {
        // Each names the page its edges start from.
        assert!(chunk["e"][0].as_i64().unwrap() < 0);
    }
}
