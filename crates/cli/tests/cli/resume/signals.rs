//! Ctrl-C: nothing is lost, requested twice or printed twice.

use std::time::Duration;

use testsite::{Graph, Pages, Request, Server, SiteResponse, SocketStep};

use crate::harness::random::Random;
use crate::resume::records::records;
use crate::resume::run::{ResumableCrawl, rounds};

fn site() -> Server {
    let graph = Graph {
        latency: Duration::from_millis(3),
        ..Graph::new(150)
    };
    Server::start(graph.site())
}

#[test]
fn nothing_is_requested_or_printed_twice() {
    let mut interrupted = 0;
    for round in 0..rounds(9) {
        let mut random = Random(round + 77);
        let format = ["text", "ndjson", "csv"][usize::try_from(round % 3).unwrap()];
        let server = site();
        let flags = ["--format", format, "--max-pages", "0", "--workers", "6"];
        let resumable = ResumableCrawl::of(&server, &flags).on_stdout();
        let mut printed = String::new();
        for _ in 0..=random.below(3) {
            let mut run = resumable.start();
            let target = server.total() + random.below(50);
            run.wait_for_or_end("requests", || server.total() > target);
            run.signal("INT");
            let ended = run.finish();
            interrupted += u32::from(ended.code == Some(130));
            printed.push_str(&ended.stdout);
        }
        printed.push_str(&resumable.success().stdout);
        let uninterrupted = ResumableCrawl::of(&server, &flags);
        for (path, times) in server.counts() {
            assert_eq!(times, 1, "{path}, round {round}");
        }
        uninterrupted.success();
        let (printed, written) = (
            records(format, &server, &printed),
            records(format, &server, &uninterrupted.written()),
        );
        assert_eq!(printed, written, "round {round}");
    }
    assert!(interrupted >= 4, "too few interruptions: {interrupted}");
}

#[test]
fn the_file_is_valid_after_every_run() {
    for format in ["json", "html", "map"] {
        let server = site();
        let resumable = if format == "map" {
            ResumableCrawl::of(&server, &["--max-pages", "0"]).command("map")
        } else {
            ResumableCrawl::of(&server, &["--format", format, "--max-pages", "0"])
        };
        for _ in 0..3 {
            let mut run = resumable.start();
            let target = server.total() + 20;
            run.wait_for_or_end("requests", || server.total() > target);
            run.signal("INT");
            run.finish();
            let pages = records(format, &server, &resumable.written());
            assert!(!pages.is_empty(), "{format}");
        }
        resumable.success();
        let resumed = records(format, &server, &resumable.written());
        let uninterrupted =
            ResumableCrawl::of(&server, &["--max-pages", "0", "--format", "ndjson"]);
        uninterrupted.success();
        if format == "json" {
            assert_eq!(
                resumed,
                records(
                    "ndjson",
                    &server,
                    &uninterrupted.written().replace("\"url\":", "\"page_url\":")
                )
            );
        }
    }
}

#[test]
fn a_temporary_failure_is_retried_by_the_next_run() {
    let fails = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let server = Server::start({
        let fails = std::sync::Arc::clone(&fails);
        move |request: &Request| match request.path() {
            "/" => SiteResponse::html("<a href=/flaky>"),
            "/flaky" if fails.load(std::sync::atomic::Ordering::Relaxed) => {
                SiteResponse::status(503).after(Duration::from_millis(300))
            }
            "/flaky" => SiteResponse::html("well"),
            _ => SiteResponse::status(404),
        }
    });
    let resumable = ResumableCrawl::of(&server, &["--format", "ndjson"]);
    let mut run = resumable.start();
    run.wait_for_or_end("the page that fails", || server.count("/flaky") == 1);
    run.signal("INT");
    run.finish()
        .with_code(130)
        .stderr_contains("with 1 known URL left");
    fails.store(false, std::sync::atomic::Ordering::Relaxed);
    resumable.success();
    let last = resumable.written().lines().last().unwrap().to_owned();
    assert!(
        last.contains("\"attempts\":2") && last.contains("fetched"),
        "{last}"
    );
}

#[test]
fn requests_aborted_by_the_second_signal_are_repeated_by_the_next_run() {
    let hangs = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let server = Server::start({
        let hangs = std::sync::Arc::clone(&hangs);
        move |request: &Request| match request.path() {
            "/robots.txt" => SiteResponse::status(404),
            "/" => SiteResponse::html("<a href=/1><a href=/2>"),
            _ if hangs.load(std::sync::atomic::Ordering::Relaxed) => {
                SiteResponse::script(vec![SocketStep::Hang])
            }
            _ => SiteResponse::html("here"),
        }
    });
    let resumable = ResumableCrawl::of(&server, &["--timeout", "50s"]).on_stdout();
    let mut run = resumable.start();
    run.wait_for_or_end("requests that hang", || server.in_flight() == 2);
    run.signal("INT");
    run.signal("INT");
    let first = run.finish();
    assert!(first.code == Some(130), "{}", first.stderr);
    hangs.store(false, std::sync::atomic::Ordering::Relaxed);
    let second = resumable.success();
    assert_eq!(
        server.count("/"),
        1,
        "a finished page is not requested again"
    );
    let printed = records(
        "text",
        &server,
        &format!("{}{}", first.stdout, second.stdout),
    );
    assert_eq!(printed.len(), 3);
}

#[test]
fn messages_are_not_repeated_after_resuming() {
    let pages = Pages::new().links("/", &["/gone", "/slow"]);
    let server = Server::start(pages.page(
        "/slow",
        SiteResponse::html("s").after(Duration::from_secs(2)),
    ));
    let resumable = ResumableCrawl::of(&server, &[]);
    let mut run = resumable.start();
    run.wait_for_or_end("the page that is gone", || {
        resumable.written().contains("/gone")
    });
    run.signal("INT");
    run.finish().stderr_contains("Failed to fetch");
    let ended = resumable.finish();
    assert!(
        !ended.stderr.contains("Failed to fetch"),
        "{}",
        ended.stderr
    );
    ended.stderr_contains("1 failed");
}
