//! The HTML report: chunks, the ending, and escaping inside scripts.

use std::collections::BTreeMap;

use crawler_model::{
    LinkFilter, Outcome, RefuseReason, SeedProblem, SkipReason, StopReason, Summary,
};
use crawler_output::{Format, Target, sink};
use serde_json::{Value, json};

use crate::fixture::{about, linking, page, print, reports, run_to};

/// The arguments of every `chunk` call.
fn chunks(report: &str) -> Vec<Value> {
    calls(report, "<script>chunk(")
}

fn calls(report: &str, opening: &str) -> Vec<Value> {
    report
        .split(opening)
        .skip(1)
        .filter_map(|rest| rest.split_once(")</script>"))
        .map(|(argument, _)| serde_json::from_str(argument).unwrap())
        .collect()
}

#[test]
fn every_script_is_closed() {
    let report = print(Format::Html, LinkFilter::default(), &reports());
    assert_eq!(
        report.matches("<script").count(),
        report.matches("</script").count()
    );
    assert!(!report.contains("<!--"));
    assert!(report.ends_with("</html>\n"));
}

#[test]
fn url_numbers_continue_across_chunks() {
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
    // The page they were found on has a number too.
    assert_eq!(all("s").len(), 452);
    assert_eq!(all("p").len(), 450 * 17);
    // A source and a target per edge.
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
        // Every chunk starts with the source page of its edges.
        assert!(chunk["e"][0].as_i64().unwrap() < 0);
    }
}

/// A page that was not requested because it is a trap has another number than one that robots.txt disallows.
#[test]
fn traps_are_told_from_robots_txt() {
    let rule = "Disallow: /private".to_owned();
    let skipped = [
        SkipReason::Robots { rule },
        SkipReason::Trap(RefuseReason::TrapCalendar),
    ];
    let reports = skipped.map(|reason| {
        let outcome = Outcome::Skipped(reason);
        page("https://example.org/2024/05", 1, outcome)
    });
    let report = print(Format::Html, LinkFilter::default(), &reports);
    let rows = chunks(&report)[0]["p"].as_array().unwrap().clone();
    let outcomes: Vec<&Value> = rows.chunks(17).map(|row| &row[4]).collect();
    assert_eq!(outcomes, [3, 5]);
}

/// The argument of the `finished` call.
fn ending(summary: &Summary) -> Value {
    let (target, memory) = Target::memory();
    let mut sink = sink(Format::Html, target, LinkFilter::default(), about());
    run_to(sink.as_mut(), &[], summary);
    calls(&memory.text(), "<script>finished(").remove(0)
}

#[test]
fn the_ending_has_the_counts_of_refused_links() {
    let facts = ending(&Summary {
        stop: StopReason::MaxPages,
        left: 57,
        refused: BTreeMap::from([
            (RefuseReason::Seen, 1_000),
            (RefuseReason::OutOfScope, 500),
            (RefuseReason::TooDeep, 33),
            (RefuseReason::TooLong, 80),
            (RefuseReason::TrapCalendar, 9_700),
            (RefuseReason::Excluded, 2),
            (RefuseReason::NotIncluded, 3),
        ]),
        ..Summary::default()
    });
    assert_eq!(facts["stop"], "max_pages");
    assert_eq!(facts["message"], "reached the maximum number of pages");
    for (name, count) in [
        ("left", 57),
        ("tooDeep", 33),
        ("traps", 9_780),
        ("excluded", 5),
    ] {
        assert_eq!(facts[name], json!(count), "{name}");
    }
    assert_eq!(facts.get("seedProblem"), None);
}

#[test]
fn the_ending_has_the_problem_with_the_seed() {
    let url = "https://example.org/".to_owned();
    let failed = SeedProblem::Failed {
        url: url.clone(),
        message: "connection refused".into(),
    };
    let left_scope = SeedProblem::LeftScope {
        url,
        to: "https://other.example/</script>".into(),
    };
    for (problem, expected) in [
        (
            failed,
            "The start page could not be fetched: connection refused",
        ),
        (
            left_scope,
            "The seed https://example.org/ redirects out of scope to https://other.example/</script>",
        ),
    ] {
        let facts = ending(&Summary {
            seed_problem: Some(problem),
            ..Summary::default()
        });
        let message = facts["seedProblem"].as_str().unwrap();
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn web_links_are_counted_whatever_is_printed() {
    let filters = [
        LinkFilter::default(),
        LinkFilter {
            in_scope_only: true,
            ..LinkFilter::default()
        },
        LinkFilter {
            all_schemes: true,
            keep_fragments: true,
            ..LinkFilter::default()
        },
    ];
    for filter in filters {
        let chunks = chunks(&print(Format::Html, filter, &reports()));
        let rows: Vec<u64> = chunks
            .iter()
            .flat_map(|chunk| chunk["p"].as_array().unwrap())
            .map(|number| number.as_u64().unwrap())
            .collect();
        let links: u64 = rows.chunks(17).map(|row| row[10]).sum();
        let counted: u64 = reports().iter().map(|report| report.links.web_len()).sum();
        assert_eq!(links, counted);
        // The home page has nine web links, one of them out of scope; mailto: and javascript: do not count.
        assert_eq!(rows[10..12], [9, 1]);
    }
}
