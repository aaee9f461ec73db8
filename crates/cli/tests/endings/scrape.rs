//! How `scrape` ends: closed pipes, signals, full disks, pages that drive terminals.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use testsite::{Answer, Request, Server, Step};

use crate::run::{Start, crawler};

fn pages() -> Server {
    Server::start(|request: &Request| match request.path() {
        "/robots.txt" => Answer::status(404),
        "/never" => Answer::script(vec![Step::Hang]),
        path => {
            let words =
                format!("<p>The words of {path}, which somebody wants to read. </p>").repeat(400);
            Answer::html(format!("<title>Page {path}</title><main>{words}</main>"))
        }
    })
}

fn urls(server: &Server, count: u32) -> Vec<String> {
    let numbered = (0..count).map(|number| server.url(&format!("/{number}")));
    ["scrape".to_owned()].into_iter().chain(numbered).collect()
}

#[test]
fn a_reader_that_leaves_ends_it_quietly() {
    for format in ["markdown", "html", "text", "json"] {
        let server = pages();
        let mut args = urls(&server, 300);
        args.extend(["--format".to_owned(), format.to_owned()]);
        let mut run = Start::new(&args).stdout_held().start();
        let mut lines = BufReader::new(run.held_stdout()).lines();
        lines.next().unwrap().unwrap();
        drop(lines);
        let ended = run.end().with_code(0);
        assert_eq!(ended.stderr, "", "{format}");
        assert!(server.total() < 300, "{}", server.total());
    }
}

#[test]
fn the_first_signal_finishes_what_is_in_flight_the_second_ends_at_once() {
    let server = pages();
    let never = server.url("/never");
    let args = ["scrape", &server.url("/1"), &never, "--timeout", "1h"];
    let mut run = Start::new(&args).start();
    run.wait_for("both pages", || server.count("/never") == 1);
    run.signal("INT");
    run.wait_for_words("Stopping");
    run.signal("INT");
    let asked = Instant::now();
    let ended = run.end().with_code(130);
    assert!(asked.elapsed() < Duration::from_secs(5));
    assert!(ended.stdout.contains("# Page /1"), "{}", ended.stdout);
}

#[test]
fn a_signal_ends_the_wait_for_stdin() {
    let server = pages();
    let mut run = Start::new(&["scrape", "-"]).stdin_held().start();
    // Open, and it says nothing more.
    let mut stdin = run.held_stdin();
    writeln!(stdin, "{}", server.url("/1")).unwrap();
    run.wait_for("the page", || server.count("/1") == 1);
    run.signal("INT");
    let ended = run.end().with_code(130);
    assert!(ended.stdout.contains("# Page /1"), "{}", ended.stdout);
    drop(stdin);
}

#[test]
fn a_full_disk_is_named() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let server = pages();
    let ended = Start::new(&["scrape", &server.url("/1")])
        .stdout_to(full)
        .start()
        .end();
    ended
        .with_code(1)
        .says("cannot write stdout: No space left on device");
    let ended = crawler(&["scrape", &server.url("/1"), "-o", "/dev/full"]).with_code(1);
    ended.says("cannot write /dev/full: No space left on device");
}
