//! Signals: the first finishes requests in flight, the second exits immediately.

use std::time::{Duration, Instant};

use testsite::{Request, Server, SiteResponse, SocketStep};

use crate::run::{Run, Running};

const EXIT_TIMEOUT: Duration = Duration::from_secs(3);

/// Endless pages, each with twenty links to new ones; a little slow.
fn endless(pause: Duration) -> Server {
    Server::start(move |request: &Request| {
        if request.path() == "/robots.txt" {
            return SiteResponse::status(404);
        }
        let page: u64 = request.path()[1..].parse().unwrap_or(0);
        let links: Vec<String> = (1..=20)
            .map(|next| format!("<a href=/{}>", page * 20 + next))
            .collect();
        SiteResponse::html(links.concat()).after(pause)
    })
}

/// A seed with links to six pages that never respond.
fn hanging() -> Server {
    Server::start(|request: &Request| match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        "/" => {
            SiteResponse::html("<a href=/1><a href=/2><a href=/3><a href=/4><a href=/5><a href=/6>")
        }
        _ => SiteResponse::script(vec![SocketStep::Hang]),
    })
}

fn endless_args(server: &Server, more: &[&str]) -> Vec<String> {
    let base = ["--max-pages", "0", "--max-depth", "0", "--workers", "8"];
    [&server.url("/")]
        .into_iter()
        .map(String::as_str)
        .chain(base)
        .chain(more.iter().copied())
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_first_stops_scheduling_and_finishes_requests_in_flight() {
    for signal in ["INT", "TERM", "HUP"] {
        let server = endless(Duration::from_millis(40));
        let args = endless_args(&server, &["--format", "ndjson"]);
        let mut run = Run::new(&args).start();
        run.wait_for("pages", || server.total() > 60);
        run.signal(signal);
        run.wait_for_stderr("Stopping");
        let requested = server.total();
        let ended = run.finish().with_code(130);
        // Requests that the eight workers had started may still have been in flight.
        let total = server.total();
        assert!(
            total <= requested + 8,
            "{signal}: {requested}, then {total}"
        );
        // robots.txt is not a page; every other request has its line.
        let objects = ended.objects();
        assert_eq!(objects.len() as u64, server.total() - 1, "{signal}");
        assert!(objects.iter().all(|page| page["outcome"] == "fetched"));
        ended.stderr_lacks("Failed");
        let pages = format!("{} pages in", objects.len());
        ended
            .stderr_contains(&pages)
            .stderr_contains("Stopped by a signal with");
    }
}

#[test]
fn output_is_complete_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for (format, signal) in [
        ("json", "INT"),
        ("html", "TERM"),
        ("csv", "INT"),
        ("text", "TERM"),
    ] {
        let server = endless(Duration::from_millis(20));
        let file = folder.path().join(format);
        let to_file = ["--format", format, "-o", file.to_str().unwrap()];
        let mut run = Run::new(&endless_args(&server, &to_file)).start();
        run.wait_for("pages", || server.total() > 60);
        run.signal(signal);
        let ended = run.finish().with_code(130);
        assert_eq!(ended.stdout, "");
        let text = std::fs::read_to_string(&file).unwrap();
        let pages = usize::try_from(server.total()).unwrap() - 1;
        match format {
            "json" => {
                let read: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
                assert_eq!(read.len(), pages);
            }
            "html" => assert!(text.trim_end().ends_with("</html>")),
            "csv" => assert_eq!(text.lines().count(), pages * 20 + 1),
            _ => {
                let visited = text.lines().filter(|line| line.starts_with("Visited: "));
                assert_eq!(visited.count(), pages);
                assert_eq!(text.lines().count(), pages * 22);
            }
        }
        ended.stderr_contains("Stopped by a signal");
    }
}

#[test]
fn the_first_interrupts_a_wait() {
    // Nothing is in flight: the one page waits for its retry, a minute away.
    let server = Server::start(|request: &Request| match request.path() {
        "/" => SiteResponse::html("<a href=/busy>"),
        "/busy" => SiteResponse::status(503).header("Retry-After", "60"),
        _ => SiteResponse::status(404),
    });
    let mut run = Run::new(&[server.url("/")]).start();
    run.wait_for_stderr("waiting 60.0 s");
    let signaled_at = Instant::now();
    run.signal("INT");
    let ended = run.finish().with_code(130);
    assert!(signaled_at.elapsed() < EXIT_TIMEOUT, "{}", ended.output());
    ended.stderr_contains("Stopped by a signal with 1 known URL left");
}

#[test]
fn the_second_does_not_wait_for_requests_that_hang() {
    for (first, second) in [("INT", "INT"), ("TERM", "TERM"), ("INT", "TERM")] {
        let server = hanging();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pages.json");
        let args = [
            &server.url("/"),
            "--timeout",
            "60s",
            "--format",
            "json",
            "-o",
            file.to_str().unwrap(),
        ];
        let mut run = Run::new(&args).start();
        run.wait_for("requests in flight", || server.in_flight() >= 6);
        run.signal(first);
        run.wait_for_stderr("Stopping");
        assert!(
            run.is_running(),
            "the first signal waits for requests in flight"
        );
        let signaled_at = Instant::now();
        run.signal(second);
        let ended = run.finish().with_code(130);
        assert!(signaled_at.elapsed() < EXIT_TIMEOUT, "{}", ended.output());
        let pages: Vec<serde_json::Value> =
            serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(pages.len(), 1);
        ended.stderr_contains("Stopped by a signal");
    }
}

/// Sends a second signal once the first has stopped the requests, and returns the time until the exit.
fn signal_twice(mut run: Running, server: &Server) -> Duration {
    run.signal("INT");
    let mut before = (server.total(), Instant::now());
    run.wait_for("the requests to stop", || {
        if server.total() != before.0 {
            before = (server.total(), Instant::now());
        }
        server.in_flight() == 0 && before.1.elapsed() > Duration::from_millis(300)
    });
    let signaled_at = Instant::now();
    run.signal("INT");
    run.finish().with_code(130);
    signaled_at.elapsed()
}

#[test]
fn the_second_does_not_wait_for_a_reader_of_stdout() {
    let server = endless(Duration::ZERO);
    let args = endless_args(&server, &["--format", "ndjson"]);
    let mut run = Run::new(&args).stdout_unread().start();
    let pipe = run.take_stdout();
    run.wait_for("a full pipe", || server.total() > 300);
    let took = signal_twice(run, &server);
    assert!(took < EXIT_TIMEOUT, "{took:?}");
    drop(pipe);
}

#[test]
fn the_second_does_not_wait_for_a_reader_of_stderr() {
    let server = endless(Duration::ZERO);
    let args = endless_args(&server, &["-vv"]);
    let mut run = Run::new(&args).stderr_unread().start();
    run.wait_for("a full pipe", || server.total() > 300);
    let took = signal_twice(run, &server);
    assert!(took < EXIT_TIMEOUT, "{took:?}");
}

#[test]
fn a_failed_seed_does_not_change_the_exit_code() {
    let server = Server::start(|request: &Request| match request.path() {
        "/" => SiteResponse::status(500).after(Duration::from_millis(700)),
        _ => SiteResponse::status(404),
    });
    let mut run = Run::new(&[server.url("/")]).start();
    run.wait_for("the seed's request", || server.count("/") == 1);
    run.signal("TERM");
    run.finish().with_code(130);
    assert_eq!(server.count("/"), 1, "no retries after a signal");
}

#[test]
fn a_signal_before_the_first_page() {
    let server = Server::start(|_: &Request| SiteResponse::script(vec![SocketStep::Hang]));
    let args = [&server.url("/"), "--format", "json", "-q"];
    let mut run = Run::new(&args).start();
    run.wait_for("the request for robots.txt", || server.total() == 1);
    run.signal("INT");
    run.signal("TERM");
    let ended = run.finish().with_code(130);
    let pages: Vec<serde_json::Value> = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(pages.len(), 0);
    assert_eq!(ended.stderr, "", "nothing is printed with -q");
    assert_eq!(server.count("/"), 0);
}
