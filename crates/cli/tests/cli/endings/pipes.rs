//! Pipes: a closed one ends the crawl quietly; a slow reader loses nothing and slows the crawl down.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::time::{Duration, Instant};

use testsite::{Graph, Request, Server, SiteResponse};

use crate::run::Run;

/// Endless pages with thirty long links each.
fn endless() -> Server {
    Server::start(|request: &Request| {
        if request.path() == "/robots.txt" {
            return SiteResponse::status(404);
        }
        let page = request.path().trim_matches('/').split('/').next_back();
        let page: u64 = page.and_then(|page| page.parse().ok()).unwrap_or(0);
        let long = "x".repeat(200);
        let links: Vec<String> = (1..=30)
            .map(|next| format!("<a href=/{long}/{}>", (page * 30 + next) % 1_000_000_007))
            .collect();
        SiteResponse::html(links.concat())
    })
}

const NO_LIMIT: [&str; 4] = ["--max-pages", "0", "--max-depth", "0"];

fn args<'a>(seed: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[seed][..], &NO_LIMIT, more].concat()
}

#[test]
fn a_closed_pipe_ends_the_crawl_quietly() {
    for format in ["text", "tree", "edges", "json", "ndjson", "csv"] {
        let server = endless();
        let seed = server.url("/");
        let mut run = Run::new(&args(&seed, &["--format", format]))
            .stdout_unread()
            .start();
        let mut lines = BufReader::new(run.take_stdout()).lines();
        for _ in 0..3 {
            lines.next().unwrap().unwrap();
        }
        drop(lines);
        let closed_at = Instant::now();
        let ended = run.finish().with_code(0);
        assert!(closed_at.elapsed() < Duration::from_secs(10), "{format}");
        assert_eq!(
            ended.stderr_lines("Crawling ").len(),
            1,
            "{}",
            ended.output()
        );
        let stderr = ended.stderr.to_lowercase();
        for word in ["error", "pipe", "failed", "panic", "stdout closed"] {
            assert!(!stderr.contains(word), "{format}: {}", ended.output());
        }
    }
}

#[test]
fn piped_into_head() {
    let server = endless();
    let seed = server.url("/");
    // The shell's exit code is that of `head`; the crawler's is written to a file.
    let folder = tempfile::tempdir().unwrap();
    let code = folder.path().join("code");
    let script = format!("{{ \"$@\"; echo $? >{}; }} | head -n 2", code.display());
    let mut run = Run::through_shell(&script, &args(&seed, &["-q"])).start();
    run.wait_for("the crawler's exit code", || {
        std::fs::read_to_string(&code).is_ok_and(|code| code.ends_with('\n'))
    });
    let ended = run.finish().with_code(0);
    assert_eq!(std::fs::read_to_string(&code).unwrap(), "0\n");
    assert_eq!(ended.stdout, format!("Visited: {seed}\nLinks found:\n"));
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_pipe_closed_before_the_first_byte() {
    let server = endless();
    let seed = server.url("/");
    let mut run = Run::new(&args(&seed, &[])).stdout_unread().start();
    drop(run.take_stdout());
    run.finish().with_code(0).stderr_lacks("error");
}

#[test]
fn a_slow_reader_loses_nothing_and_slows_the_crawl_down() {
    let graph = Graph {
        pages: 3_000,
        links_per_page: 20,
        ..Graph::default()
    };
    let pages = graph.pages;
    let server = Server::start(graph.site());
    let seed = server.url("/");
    let mut run = Run::new(&args(&seed, &["--format", "ndjson", "--workers", "8"]))
        .stdout_unread()
        .start();
    let mut pipe = run.take_stdout();
    // Nothing is read: the requests must stop well before the end of the site.
    let mut last = (0, Instant::now());
    run.wait_for("a standstill", || {
        if server.total() != last.0 {
            last = (server.total(), Instant::now());
        }
        last.0 > 10 && last.1.elapsed() > Duration::from_millis(1_500)
    });
    let while_unread = server.total();
    assert!(
        while_unread < u64::from(pages) / 2,
        "{while_unread} requests"
    );
    assert!(run.is_running());
    // Now the output is read, a little at a time.
    let mut read = Vec::new();
    let mut piece = [0; 1_024];
    while let Ok(count @ 1..) = pipe.read(&mut piece) {
        read.extend_from_slice(&piece[..count]);
        std::thread::yield_now();
    }
    run.finish().with_code(0);
    let read = String::from_utf8(read).unwrap();
    let urls: HashSet<String> = crate::run::objects(&read)
        .iter()
        .map(|page| page["url"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(urls.len(), pages as usize);
    assert_eq!(read.lines().count(), pages as usize);
    assert_eq!(server.total(), u64::from(pages) + 1, "one robots.txt");
}

#[test]
fn a_closed_stderr_does_not_break_the_crawl() {
    let pages = 40;
    let server = Server::start(Graph::new(pages).site());
    let seed = server.url("/");
    let loud = args(&seed, &["-vv", "--format", "ndjson"]);
    let without_reader = Run::new(&loud).stderr_closed().finish().with_code(0);
    assert_eq!(without_reader.objects().len(), pages as usize);
    let closed = Run::through_shell("exec \"$@\" 2>&-", &loud).start();
    assert_eq!(closed.finish().with_code(0).objects().len(), pages as usize);
}

#[test]
fn stdout_closed_from_the_start() {
    let server = Server::start(Graph::new(20).site());
    let run = Run::through_shell("exec \"$@\" >&-", &[server.url("/")]).start();
    run.finish().with_code(0).stderr_lacks("error");
}

#[test]
fn help_and_man_page_into_a_closed_pipe() {
    for args in [
        &["--help"][..],
        &["crawl", "--help"],
        &["man"],
        &["completions", "bash"],
    ] {
        let mut run = Run::new(args).stdout_unread().start();
        drop(run.take_stdout());
        let ended = run.finish().with_code(0);
        assert_eq!(ended.stderr, "", "{args:?}");
    }
}

#[test]
fn a_closed_pipe_does_not_affect_unique_links() {
    let server = endless();
    let seed = server.url("/");
    let folder = tempfile::tempdir().unwrap();
    let links = folder.path().join("links.txt");
    let more = ["--unique-links", links.to_str().unwrap()];
    let mut run = Run::new(&args(&seed, &more)).stdout_unread().start();
    let mut reader = BufReader::new(run.take_stdout());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    drop(reader);
    run.finish().with_code(0);
    let written = std::fs::read_to_string(&links).unwrap();
    assert!(written.lines().count() >= 30, "{written:?}");
    assert!(written.lines().is_sorted());
}
