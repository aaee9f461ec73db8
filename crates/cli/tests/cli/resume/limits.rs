//! Limits and politeness apply to the whole crawl, however often it is interrupted.

use std::time::{Duration, Instant};

use testsite::{Graph, Request, Server, SiteResponse};

use crate::harness::random::Random;
use crate::resume::run::{ResumableCrawl, rounds};

fn graph(pages: u32) -> Graph {
    Graph {
        latency: Duration::from_millis(2),
        ..Graph::new(pages)
    }
}

#[test]
fn max_pages_is_exact() {
    for round in 0..rounds(4) {
        let mut random = Random(round + 5);
        let server = Server::start(graph(300).site());
        let flags = ["--max-pages", "120", "--format", "ndjson", "--workers", "5"];
        let resumable = ResumableCrawl::of(&server, &flags);
        for number in 0..3 {
            let mut run = resumable.start();
            let target = server.total() + 10 + random.below(25);
            run.wait_for_or_end("requests", || server.total() > target);
            if number % 2 == 0 {
                run.kill();
            } else {
                run.signal("INT");
                run.finish();
            }
        }
        resumable
            .success()
            .stderr_contains("Stopped at --max-pages 120");
        assert_eq!(resumable.written().lines().count(), 120, "round {round}");
    }
}

#[test]
fn max_depth_is_the_shortest_distance() {
    let graph = graph(200);
    let server = Server::start(graph.site());
    let resumable = ResumableCrawl::of(
        &server,
        &["--max-depth", "2", "--max-pages", "0", "--format", "ndjson"],
    );
    for _ in 0..3 {
        let mut run = resumable.start();
        let target = server.total() + 8;
        run.wait_for_or_end("requests", || server.total() > target);
        run.kill();
    }
    resumable.success();
    let expected = graph
        .depths()
        .into_iter()
        .filter(|depth| *depth <= 2)
        .count();
    assert_eq!(resumable.written().lines().count(), expected);
    for line in resumable.written().lines() {
        let page: serde_json::Value = serde_json::from_str(line).unwrap();
        let url = page["url"].as_str().unwrap();
        let number = graph
            .page(url.strip_prefix(&server.origin()).unwrap())
            .unwrap();
        assert_eq!(page["depth"], graph.depths()[number as usize], "{url}");
    }
}

#[test]
fn max_duration_counts_the_time_of_all_runs() {
    let server = Server::start(|request: &Request| {
        let page: u64 = request.path()[1..].parse().unwrap_or(0);
        SiteResponse::html(format!("<a href=/{}>", page + 1)).after(Duration::from_millis(20))
    });
    let flags = [
        "--max-duration",
        "2s",
        "--max-depth",
        "0",
        "--log-format",
        "json",
    ];
    let resumable = ResumableCrawl::of(&server, &flags);
    let mut run = resumable.start();
    run.wait_for_or_end("requests", || server.total() > 20);
    run.signal("INT");
    let first = run.finish().event("summary")["seconds"].as_f64().unwrap();
    let ended = resumable.success();
    let resumed = ended.event("resumed")["seconds"].as_f64().unwrap();
    assert!(
        first > 0.3 && (first - resumed).abs() < 0.5,
        "{first} {resumed}"
    );
    let summary = ended.event("summary");
    assert_eq!(summary["stop_reason"], "max_duration");
    assert!(summary["seconds"].as_f64().unwrap() >= 2.0);
    let written = resumable.written();
    let pages = written.matches("Visited: ").count();
    assert_eq!(summary["pages"], pages, "the summary is of the whole crawl");
}

#[test]
fn a_crawl_delay_is_kept_across_a_kill_and_a_signal() {
    const DELAY: Duration = Duration::from_millis(700);
    let server = Server::start(|request: &Request| match request.path() {
        "/robots.txt" => SiteResponse::text("User-agent: *\nCrawl-delay: 0.7\n"),
        "/" => SiteResponse::html("<a href=/1><a href=/2><a href=/3><a href=/4>"),
        _ => SiteResponse::html("a page"),
    });
    let resumable = ResumableCrawl::of(&server, &[]);
    let started_at = Instant::now();
    let mut run = resumable.start();
    run.wait_for_or_end("pages", || server.total() == 3);
    run.kill();
    let mut run = resumable.start();
    run.wait_for_or_end("pages", || server.total() >= 4);
    run.signal("INT");
    run.finish();
    resumable.success();
    assert_eq!(resumable.written().matches("Visited: ").count(), 5);
    let hits = server.hits();
    // Requests start at least a delay apart and can only arrive later than that, however busy the machine is.
    for (hit, before) in hits.iter().zip(0..) {
        let (since, earliest) = (hit.at - started_at, DELAY * before);
        assert!(
            since >= earliest,
            "{} came after {since:?}, before {earliest:?}",
            hit.path_and_query
        );
    }
}
