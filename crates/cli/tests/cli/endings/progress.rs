//! The progress line, on a pseudo-terminal.
//!
//! `script` of util-linux, which is essential on Debian, creates one. Its stdout is what the terminal received.

use std::time::Duration;

use testsite::{Graph, Server};

use crate::run::{Finished, Run, crawler};

/// A site that takes about two seconds.
fn slow_site() -> Server {
    let graph = Graph {
        latency: Duration::from_millis(100),
        ..Graph::new(60)
    };
    Server::start(graph.site())
}

/// Runs with stderr on a terminal of this width; `stdout` of the result is what the terminal received.
fn on_terminal(columns: u32, flags: &str, seed: &str) -> Finished {
    on_terminal_with(columns, flags, seed, None)
}

/// The same with a value for `COLUMNS`.
fn on_terminal_with(columns: u32, flags: &str, seed: &str, columns_env: Option<&str>) -> Finished {
    let command = format!(
        "stty cols {columns} rows 24; {} {seed} --workers 3 {flags} >/dev/null",
        env!("CARGO_BIN_EXE_crawler")
    );
    let mut start =
        Run::through_shell("exec script -qefc \"$CRAWL\" /dev/null", &[""]).env("CRAWL", command);
    if let Some(columns_env) = columns_env {
        start = start.env("COLUMNS", columns_env);
    }
    start.finish().with_code(0)
}

/// The progress lines that were drawn.
fn drawn(ended: &Finished) -> Vec<String> {
    let pieces = ended.stdout.split(['\r', '\n']);
    pieces
        .map(|piece| piece.trim_start_matches("\x1b[K").to_owned())
        .filter(|piece| is_progress(piece))
        .collect()
}

fn is_progress(piece: &str) -> bool {
    piece.contains("/s") && piece.contains(" queued")
}

#[test]
fn shows_pages_rate_queue_and_errors() {
    let server = slow_site();
    let ended = on_terminal(120, "", &server.url("/"));
    let drawn = drawn(&ended);
    assert!(drawn.len() >= 3, "{}", ended.output());
    for line in &drawn {
        for text in [" page", "/s", " queued", " error", "of at most 2,000"] {
            assert!(line.contains(text), "{text}: {line:?}");
        }
    }
    assert!(
        drawn.iter().any(|line| !line.starts_with("0 pages")),
        "{drawn:?}"
    );
    // It is erased before the summary, which is the last message.
    let last = ended.stdout.trim_end().lines().next_back().unwrap();
    assert!(last.contains("60 pages in"), "{last:?}");
    let after = ended.stdout.rsplit("\x1b[K").next().unwrap();
    assert!(
        after.contains("60 pages in") && !is_progress(after),
        "{after:?}"
    );
}

#[test]
fn fits_a_narrow_terminal() {
    // In the last case the terminal reports no width, and `COLUMNS` is used.
    for (columns, columns_env) in [(40, None), (20, None), (40, Some("40"))] {
        let server = slow_site();
        let reported = if columns_env.is_some() { 0 } else { columns };
        let ended = on_terminal_with(reported, "", &server.url("/"), columns_env);
        let pieces: Vec<&str> = ended.stdout.split(['\r', '\n']).collect();
        let drawn: Vec<&str> = pieces
            .iter()
            .map(|piece| piece.trim_start_matches("\x1b[K"))
            .filter(|piece| {
                piece.contains(" pages ") && piece.contains("/s ") && !piece.contains(" in ")
            })
            .collect();
        assert!(drawn.len() >= 3, "{columns}: {}", ended.output());
        for line in &drawn {
            assert!(
                line.chars().count() < columns as usize,
                "{columns}: {line:?}"
            );
        }
        if columns == 40 {
            for text in [" pages", "/s", " queued", " error"] {
                assert!(
                    drawn.iter().all(|line| line.contains(text)),
                    "{text}: {drawn:?}"
                );
            }
        }
    }
}

#[test]
fn a_terminal_gets_color_unless_disabled() {
    let server = Server::start(Graph::new(3).site());
    let colored = |flags: &str| {
        on_terminal(80, flags, &server.url("/"))
            .stdout
            .contains("\x1b[1m")
    };
    assert!(colored(""));
    assert!(!colored("--color never"));
    let command = format!(
        "{} {} >/dev/null",
        env!("CARGO_BIN_EXE_crawler"),
        server.url("/")
    );
    let plain = Run::through_shell("exec script -qefc \"$CRAWL\" /dev/null", &[""])
        .env("CRAWL", command)
        .env("NO_COLOR", "1")
        .finish()
        .with_code(0);
    assert!(!plain.stdout.contains("\x1b[1m"), "{}", plain.output());
}

#[test]
fn no_progress_line_with_never_or_quiet() {
    let server = slow_site();
    for flags in ["--progress never", "-q", "--log-format json"] {
        let ended = on_terminal(120, flags, &server.url("/"));
        assert_eq!(drawn(&ended), Vec::<String>::new(), "{flags}");
        assert!(
            !ended.stdout.contains("\x1b[K"),
            "{flags}: {}",
            ended.output()
        );
    }
}

#[test]
fn log_lines_do_not_mix_with_the_progress_line() {
    let server = slow_site();
    let ended = on_terminal(120, "-v", &server.url("/"));
    for line in ended.stdout.lines() {
        let shown = line.rsplit("\x1b[K").next().unwrap();
        if let Some(at) = shown.find("Fetched ") {
            assert!(!is_progress(&shown[..at]), "{line:?}");
        }
    }
    assert_eq!(ended.stdout.matches("Fetched ").count(), 60);
}

#[test]
fn a_pipe_gets_no_progress_by_default() {
    let server = slow_site();
    let plain = crawler(&[&server.url("/"), "--workers", "3"]).with_code(0);
    assert!(!plain.stderr.lines().any(is_progress), "{}", plain.output());
    assert!(!plain.stderr.contains('\r'));
}

#[test]
fn a_pipe_gets_progress_as_full_lines_on_request() {
    let graph = Graph {
        latency: Duration::from_millis(100),
        ..Graph::new(75)
    };
    let server = Server::start(graph.site());
    let args = [&server.url("/"), "--workers", "2", "--progress", "always"];
    let ended = crawler(&args).with_code(0);
    let lines: Vec<&str> = ended
        .stderr
        .lines()
        .filter(|line| is_progress(line))
        .collect();
    assert!(!lines.is_empty(), "{}", ended.output());
    for line in lines {
        assert!(
            line.contains(" pages") && line.contains(" errors"),
            "{line:?}"
        );
    }
    assert!(!ended.stderr.contains('\r') && !ended.stderr.contains('\x1b'));
}
