//! The summary: what ended the crawl, how much is left, and the flag that lifts the limit.

use std::time::Duration;

use serde_json::{Value, json};
use testsite::{Graph, Pages, Request, Server, SiteResponse};

use crate::run::crawler;

#[test]
fn the_summary_names_the_limit_the_urls_left_and_the_flag() {
    let server = Server::start(Graph::new(5_000).site());
    let seed = server.url("/");
    let limited = |flags: &[&str]| {
        let ended = crawler(&[&[&*seed, "--max-depth", "0"], flags].concat()).with_code(0);
        let line = ended.stderr_lines("Stopped at --");
        assert_eq!(line.len(), 1, "{}", ended.output());
        let line = line[0].to_owned();
        let left = line.split(" with ").nth(1).unwrap();
        let left: String = left.chars().take_while(|c| *c != ' ').collect();
        let left: u64 = left.replace(',', "").parse().unwrap();
        assert!(left > 0, "{line}");
        assert!(line.contains("known URL"), "{line}");
        (ended, line, left)
    };
    let (ended, line, _) = limited(&["--max-pages", "12"]);
    assert!(line.contains("--max-pages 12 with"), "{line}");
    assert!(line.ends_with("use --max-pages 0 for no limit"), "{line}");
    assert_eq!(ended.visited().len(), 12);
    ended.stderr_contains("12 pages in");
    let (ended, line, _) = limited(&["--max-bytes", "100kB", "--max-pages", "0"]);
    assert!(line.contains("--max-bytes 100.0 kB with"), "{line}");
    assert!(
        line.ends_with("use a higher --max-bytes to crawl further"),
        "{line}"
    );
    assert!(ended.visited().len() < 1_000);
    let (_, line, _) = limited(&[
        "--max-duration",
        "700ms",
        "--rate-ms",
        "20",
        "--max-pages",
        "0",
    ]);
    assert!(line.contains("--max-duration 0.7 s with"), "{line}");
    assert!(
        line.ends_with("use a higher --max-duration to crawl further"),
        "{line}"
    );
}

/// Piped into another command with `-q`, a list that a limit cut off would look complete.
#[test]
fn quiet_names_a_limit_that_left_urls() {
    let server = Server::start(Graph::new(500).site());
    let seed = server.url("/");
    for command in ["crawl", "map"] {
        let quiet = |flags: &[&str]| {
            let ended = crawler(&[&[command, &*seed, "-q", "--max-pages", "12"], flags].concat());
            ended.with_code(0)
        };
        let ended = quiet(&[]);
        let line = ended.stderr.trim_end();
        assert!(
            line.starts_with("Stopped at --max-pages 12 with ")
                && line.ends_with(" known URLs left; use --max-pages 0 for no limit"),
            "{}",
            ended.output()
        );
        let ended = quiet(&["--log-format", "json"]);
        let note: Value = serde_json::from_str(&ended.stderr).unwrap();
        assert_eq!(
            (&note["level"], &note["stop_reason"]),
            (&json!("warning"), &json!("max_pages"))
        );
        assert!(note["left"].as_u64().is_some_and(|left| left > 0), "{note}");
    }
}

#[test]
fn quiet_does_not_name_a_limit_that_left_nothing() {
    let server = Server::start(Pages::new().links("/", &["/1", "/2"]));
    let ended = crawler(&[&server.url("/"), "-q", "--max-pages", "3"]).with_code(0);
    assert_eq!(ended.stderr, "");
}

#[test]
fn the_number_left_is_exact() {
    let links: Vec<String> = (0..50).map(|page| format!("/{page}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let server = Server::start(Pages::new().links("/", &links));
    let ended = crawler(&[&server.url("/"), "--max-pages", "11"]).with_code(0);
    ended.stderr_contains("with 40 known URLs left");
    let all = crawler(&[&server.url("/"), "--max-pages", "51"]).with_code(0);
    all.stderr_lacks("Stopped").stderr_lacks("left");
}

#[test]
fn a_depth_limit_is_named_too() {
    let site = Pages::new()
        .links("/", &["/1"])
        .links("/1", &["/2"])
        .links("/2", &["/3a", "/3b"]);
    let server = Server::start(site);
    let ended = crawler(&[&server.url("/"), "--max-depth", "2"]).with_code(0);
    ended
        .stderr_contains("2 links beyond --max-depth 2")
        .stderr_contains("--max-depth 0");
    assert_eq!(server.count("/3a"), 0);
}

#[test]
fn a_duration_limit_does_not_wait_for_a_pause() {
    let server = Server::start(|request: &Request| match request.path() {
        "/" => SiteResponse::html("<a href=/busy>"),
        "/busy" => SiteResponse::status(503).header("Retry-After", "120"),
        _ => SiteResponse::status(404),
    });
    let ended = crawler(&[&server.url("/"), "--max-duration", "1s"]).with_code(0);
    ended.stderr_contains("Stopped at --max-duration 1.0 s with 1 known URL left");
    assert!(ended.took < Duration::from_secs(15));
}
