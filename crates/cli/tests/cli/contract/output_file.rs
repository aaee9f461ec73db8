//! `-o FILE`: it is created immediately, is flushed at least once per second, and is complete and valid at the
//! end, even if a limit or a signal ended the crawl.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use serde_json::Value;
use testsite::{Graph, Pages, Request, Server, SiteResponse};

use crate::contract::run::{crawl, run};

#[test]
fn all_names_of_the_output_flag_work() {
    let server = Server::start(Pages::new().links("/", &[]));
    for flag in ["-o", "--output-file", "--outputPath", "--output-path"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pages.txt");
        let ended = crawl(&server, &[flag, file.to_str().unwrap()]);
        assert_eq!(ended.stdout, "", "{flag}");
        let written = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            written,
            format!("Visited: {}\nLinks found:\n", server.url("/")),
            "{flag}"
        );
    }
}

#[test]
fn the_file_equals_what_stdout_would_be() {
    let server = Server::start(
        Pages::new()
            .links("/", &["/a", "https://other.test/"])
            .links("/a", &["/"]),
    );
    for format in ["text", "tree", "edges"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pages");
        crawl(&server, &["--format", format, "-o", file.to_str().unwrap()]);
        let stdout = crawl(&server, &["--format", format]).stdout;
        assert_eq!(std::fs::read_to_string(&file).unwrap(), stdout, "{format}");
    }
}

#[test]
fn the_file_is_created_immediately() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.txt");
    let existed = Arc::new(AtomicBool::new(false));
    let server = Server::start({
        let (file, existed) = (file.clone(), Arc::clone(&existed));
        move |request: &Request| {
            // Before the first page can have been fetched.
            if request.path() == "/robots.txt" {
                existed.store(file.exists(), Relaxed);
            }
            SiteResponse::html("a page")
        }
    });
    crawl(&server, &["-o", file.to_str().unwrap()]);
    assert!(existed.load(Relaxed));
}

#[test]
fn an_existing_file_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.txt");
    std::fs::write(&file, "old ".repeat(10_000)).unwrap();
    let server = Server::start(Pages::new().links("/", &[]));
    crawl(&server, &["-o", file.to_str().unwrap()]);
    assert!(!std::fs::read_to_string(&file).unwrap().contains("old"));
}

#[test]
fn it_is_flushed_at_least_once_per_second() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.txt");
    let seen = Arc::new(Mutex::new(String::new()));
    let server = Server::start({
        let (file, seen) = (file.clone(), Arc::clone(&seen));
        move |request: &Request| match request.path() {
            "/" => SiteResponse::html("<a href=/slow>s</a>"),
            // The seed is finished before this is requested.
            "/slow" => {
                SiteResponse::html("<a href=/last>l</a>").after(Duration::from_millis(1_500))
            }
            "/last" => {
                *seen.lock().unwrap() = std::fs::read_to_string(&file).unwrap();
                SiteResponse::html("the end")
            }
            _ => SiteResponse::status(404),
        }
    });
    crawl(&server, &["-o", file.to_str().unwrap()]);
    let seen = seen.lock().unwrap();
    let first = server.url("/");
    assert!(
        seen.starts_with(&format!("Visited: {first}\nLinks found:\n")),
        "{seen:?}"
    );
}

#[test]
fn it_is_complete_and_valid_when_a_limit_ended_the_crawl() {
    let server = Server::start(Graph::new(200).site());
    for format in ["json", "ndjson", "csv", "html", "text"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pages");
        crawl(
            &server,
            &[
                "--format",
                format,
                "-o",
                file.to_str().unwrap(),
                "--max-pages",
                "20",
            ],
        );
        let written = std::fs::read_to_string(&file).unwrap();
        assert_eq!(pages_in(format, &written), 20, "{format}");
    }
}

/// Number of pages in a file, which must be valid.
fn pages_in(format: &str, written: &str) -> usize {
    match format {
        "json" => serde_json::from_str::<Vec<Value>>(written).unwrap().len(),
        "ndjson" => {
            let objects: Vec<Value> = written
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            objects.len()
        }
        "csv" => {
            let mut sources: Vec<&str> = written
                .lines()
                .skip(1)
                .map(|row| row.split(',').next().unwrap())
                .collect();
            sources.sort_unstable();
            sources.dedup();
            sources.len()
        }
        "html" => {
            assert!(written.trim_end().ends_with("</html>"));
            20
        }
        _ => written.matches("Visited: ").count(),
    }
}

#[test]
fn it_is_complete_and_valid_when_a_signal_ended_the_crawl() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.json");
    let (requested, requests) = mpsc::channel();
    let server = Server::start(move |request: &Request| {
        let here: u64 = request.path()[1..].parse().unwrap_or(0);
        if request.path() == "/robots.txt" {
            return SiteResponse::status(404);
        }
        requested.send(here).ok();
        SiteResponse::html(format!("<a href=/{}>next</a>", here + 1))
            .after(Duration::from_millis(5))
    });
    let url = server.url("/");
    let args = [
        &url,
        "--max-depth",
        "0",
        "--max-pages",
        "0",
        "--format",
        "json",
        "-o",
        file.to_str().unwrap(),
    ];
    let mut running = run(&args).start();
    for _ in 0..10 {
        requests.recv_timeout(Duration::from_secs(20)).unwrap();
    }
    running.signal("INT");
    // The site is endless: only the signal ends the crawl.
    running.finish().with_code(130);
    let array: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert!(array.len() >= 9, "{}", array.len());
    let pages = server.total() - server.count("/robots.txt");
    assert_eq!(
        array.len() as u64,
        pages,
        "requests in flight were finished"
    );
}
