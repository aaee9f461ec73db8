//! Ctrl-C: nothing is lost, nothing is asked for twice, nothing is printed twice.

use std::time::Duration;

use testsite::{Answer, Graph, Pages, Request, Server, Step};

use crate::records::records;
use crate::run::{Dice, Kept, rounds};

fn site() -> Server {
    let graph = Graph {
        latency: Duration::from_millis(3),
        ..Graph::new(150)
    };
    Server::start(graph.site())
}

#[test]
fn nothing_is_asked_for_or_printed_twice() {
    let mut interrupted = 0;
    for round in 0..rounds(9) {
        let mut dice = Dice(round + 77);
        let format = ["text", "ndjson", "csv"][usize::try_from(round % 3).unwrap()];
        let server = site();
        let flags = ["--format", format, "--max-pages", "0", "--workers", "6"];
        let kept = Kept::of(&server, &flags).on_stdout();
        let mut printed = String::new();
        for _ in 0..=dice.below(3) {
            let mut run = kept.start();
            let enough = server.total() + dice.below(50);
            run.wait_for("requests", || server.total() > enough);
            run.interrupt();
            let ended = run.end();
            interrupted += u32::from(ended.code == Some(130));
            printed.push_str(&ended.out);
        }
        printed.push_str(&kept.well().out);
        let whole = Kept::of(&server, &flags);
        for (path, times) in server.counts() {
            assert_eq!(times, 1, "{path}, round {round}");
        }
        whole.well();
        let (printed, written) = (
            records(format, &server, &printed),
            records(format, &server, &whole.written()),
        );
        assert_eq!(printed, written, "round {round}");
    }
    assert!(
        interrupted >= 4,
        "the rounds really interrupt: {interrupted}"
    );
}

#[test]
fn the_file_is_whole_each_time() {
    for format in ["json", "html", "map"] {
        let server = site();
        let kept = if format == "map" {
            Kept::of(&server, &["--max-pages", "0"]).command("map")
        } else {
            Kept::of(&server, &["--format", format, "--max-pages", "0"])
        };
        for _ in 0..3 {
            let mut run = kept.start();
            let enough = server.total() + 20;
            run.wait_for("requests", || server.total() > enough);
            run.interrupt();
            run.end();
            let pages = records(format, &server, &kept.written());
            assert!(!pages.is_empty(), "{format}");
        }
        kept.well();
        let resumed = records(format, &server, &kept.written());
        let whole = Kept::of(&server, &["--max-pages", "0", "--format", "ndjson"]);
        whole.well();
        if format == "json" {
            assert_eq!(
                resumed,
                records(
                    "ndjson",
                    &server,
                    &whole.written().replace("\"url\":", "\"page_url\":")
                )
            );
        }
    }
}

#[test]
fn a_page_that_failed_for_now_is_tried_again_by_the_next_run() {
    let fails = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let server = Server::start({
        let fails = std::sync::Arc::clone(&fails);
        move |request: &Request| match request.path() {
            "/" => Answer::html("<a href=/flaky>"),
            "/flaky" if fails.load(std::sync::atomic::Ordering::Relaxed) => {
                Answer::status(503).after(Duration::from_millis(300))
            }
            "/flaky" => Answer::html("well"),
            _ => Answer::status(404),
        }
    });
    let kept = Kept::of(&server, &["--format", "ndjson"]);
    let mut run = kept.start();
    run.wait_for("the page that fails", || server.count("/flaky") == 1);
    run.interrupt();
    run.end().with_code(130).says("with 1 known URL left");
    fails.store(false, std::sync::atomic::Ordering::Relaxed);
    kept.well();
    let last = kept.written().lines().last().unwrap().to_owned();
    assert!(
        last.contains("\"attempts\":2") && last.contains("fetched"),
        "{last}"
    );
}

#[test]
fn the_second_signal_leaves_what_hangs_for_the_next_run() {
    let hangs = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let server = Server::start({
        let hangs = std::sync::Arc::clone(&hangs);
        move |request: &Request| match request.path() {
            "/robots.txt" => Answer::status(404),
            "/" => Answer::html("<a href=/1><a href=/2>"),
            _ if hangs.load(std::sync::atomic::Ordering::Relaxed) => {
                Answer::script(vec![Step::Hang])
            }
            _ => Answer::html("here"),
        }
    });
    let kept = Kept::of(&server, &["--timeout", "50s"]).on_stdout();
    let mut run = kept.start();
    run.wait_for("what hangs", || server.in_flight() == 2);
    run.interrupt();
    run.interrupt();
    let first = run.end();
    assert!(first.code == Some(130), "{}", first.err);
    hangs.store(false, std::sync::atomic::Ordering::Relaxed);
    let second = kept.well();
    assert_eq!(server.count("/"), 1, "what was finished is kept");
    let printed = records("text", &server, &format!("{}{}", first.out, second.out));
    assert_eq!(printed.len(), 3);
}

#[test]
fn what_was_said_is_not_said_again() {
    let pages = Pages::new().links("/", &["/gone", "/slow"]);
    let server =
        Server::start(pages.page("/slow", Answer::html("s").after(Duration::from_secs(2))));
    let kept = Kept::of(&server, &[]);
    let mut run = kept.start();
    run.wait_for("the page that is gone", || kept.written().contains("/gone"));
    run.interrupt();
    run.end().says("Failed to fetch");
    let ended = kept.end();
    assert!(!ended.err.contains("Failed to fetch"), "{}", ended.err);
    ended.says("1 failed");
}
