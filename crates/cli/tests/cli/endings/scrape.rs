//! How `scrape` ends: closed pipes, signals, full disks, slow readers.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use testsite::{Request, Server, SiteResponse, SocketStep};

use crate::run::{Run, crawler};

fn pages() -> Server {
    Server::start(|request: &Request| match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        "/never" => SiteResponse::script(vec![SocketStep::Hang]),
        path => {
            let text =
                format!("<p>The words of {path}, which somebody wants to read. </p>").repeat(400);
            SiteResponse::html(format!("<title>Page {path}</title><main>{text}</main>"))
        }
    })
}

fn urls(server: &Server, count: u32) -> Vec<String> {
    let numbered = (0..count).map(|number| server.url(&format!("/{number}")));
    ["scrape".to_owned()].into_iter().chain(numbered).collect()
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    for format in ["markdown", "html", "text", "json"] {
        let server = pages();
        let mut args = urls(&server, 300);
        args.extend(["--format".to_owned(), format.to_owned()]);
        let mut run = Run::new(&args).stdout_unread().start();
        let mut lines = BufReader::new(run.take_stdout()).lines();
        lines.next().unwrap().unwrap();
        drop(lines);
        let ended = run.finish().with_code(0);
        assert_eq!(ended.stderr, "", "{format}");
        assert!(server.total() < 300, "{}", server.total());
    }
}

#[test]
fn the_first_signal_finishes_requests_in_flight_the_second_exits_immediately() {
    let server = pages();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.md");
    let (first, never) = (server.url("/1"), server.url("/never"));
    let args = [
        "scrape",
        &first,
        &never,
        "--timeout",
        "1h",
        "-o",
        file.to_str().unwrap(),
    ];
    let mut run = Run::new(&args).start();
    let is_printed = || std::fs::read_to_string(&file).is_ok_and(|text| text.contains("# Page /1"));
    run.wait_for("both pages", || server.count("/never") == 1 && is_printed());
    run.signal("INT");
    run.wait_for_stderr("Stopping");
    assert!(run.is_running(), "requests in flight are waited for");
    run.signal("INT");
    // The page never ends and may take an hour: without the second signal, the run exceeds its time limit.
    run.finish().with_code(130);
    assert!(is_printed());
}

#[test]
fn a_signal_ends_the_wait_for_stdin() {
    let server = pages();
    let mut run = Run::new(&["scrape", "-"]).stdin_piped().start();
    // stdin stays open without further input.
    let mut stdin = run.take_stdin();
    writeln!(stdin, "{}", server.url("/1")).unwrap();
    run.wait_for("the page", || server.count("/1") == 1);
    run.signal("INT");
    let ended = run.finish().with_code(130);
    assert!(ended.stdout.contains("# Page /1"), "{}", ended.stdout);
    drop(stdin);
}

#[test]
fn a_full_disk_is_named() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let server = pages();
    let ended = Run::new(&["scrape", &server.url("/1")])
        .stdout_to(full)
        .finish();
    ended
        .with_code(1)
        .stderr_contains("cannot write to stdout: No space left on device");
    let ended = crawler(&["scrape", &server.url("/1"), "-o", "/dev/full"]).with_code(1);
    ended.stderr_contains("cannot write to /dev/full: No space left on device");
}

#[test]
fn a_slow_reader_does_not_delay_responses() {
    let server = Server::start(|request: &Request| match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        path => {
            let text =
                format!("<p>The words of {path}, which somebody wants to read. </p>").repeat(4_000);
            let page = SiteResponse::html(format!("<main>{text}</main>"));
            page.after(Duration::from_millis(300))
        }
    });
    let mut args = urls(&server, 6);
    args.extend(["--timeout".to_owned(), "2s".to_owned()]);
    let mut run = Run::new(&args).stdout_unread().start();
    let stdout = run.take_stdout();
    run.wait_for("all pages", || {
        (0..6).all(|number| server.count(&format!("/{number}")) == 1)
    });
    // Longer than the timeout: a response that is not read by now would have timed out.
    let resume_at = Instant::now() + Duration::from_millis(2_500);
    run.wait_for("the reader's pause", || Instant::now() >= resume_at);
    let reader = std::thread::spawn(move || {
        let lines = BufReader::new(stdout).lines();
        lines
            .map_while(Result::ok)
            .filter(|line| line.starts_with("http://"))
            .count()
    });
    let ended = run.finish().with_code(0);
    assert_eq!(ended.stderr, "");
    assert_eq!(reader.join().unwrap(), 6);
    assert_eq!(server.total(), 7, "robots.txt and every page once");
}
