//! The output file between two runs.

use testsite::{Graph, Server};

use crate::resume::records::records;
use crate::resume::run::ResumableCrawl;
use crate::run::crawler;

/// A crawl that was interrupted in the middle, and its server.
fn interrupted(flags: &[&str]) -> (Server, ResumableCrawl) {
    let graph = Graph {
        latency: std::time::Duration::from_millis(3),
        ..Graph::new(100)
    };
    let server = Server::start(graph.site());
    let resumable = ResumableCrawl::of(&server, flags);
    let mut run = resumable.start();
    run.wait_for_or_end("requests", || server.total() > 30);
    run.signal("INT");
    run.finish().with_code(130);
    (server, resumable)
}

#[test]
fn an_output_file_that_was_changed_is_repaired() {
    for change in ["deleted", "shortened", "longer"] {
        let (server, resumable) = interrupted(&["--format", "ndjson"]);
        let mut content = std::fs::read(resumable.output_file()).unwrap();
        match change {
            "deleted" => std::fs::remove_file(resumable.output_file()).unwrap(),
            "shortened" => {
                content.truncate(100);
                std::fs::write(resumable.output_file(), content).unwrap();
            }
            _ => {
                content.extend_from_slice(b"somebody wrote this");
                std::fs::write(resumable.output_file(), content).unwrap();
            }
        }
        resumable.success();
        let pages = records("ndjson", &server, &resumable.written());
        assert_eq!(pages.len(), 100, "{change}");
        assert_eq!(server.total(), 101, "{change}: nothing is requested again");
    }
}

#[test]
fn unique_links_are_those_of_the_whole_crawl() {
    let (server, resumable) = interrupted(&["--unique-links", "links"]);
    resumable.success();
    let uninterrupted = ResumableCrawl::of(&server, &["--unique-links", "links"]);
    uninterrupted.success();
    let links = |resumable: &ResumableCrawl| {
        std::fs::read(resumable.output_file().with_file_name("links")).unwrap()
    };
    assert!(!links(&resumable).is_empty());
    assert_eq!(links(&resumable), links(&uninterrupted));
}

#[test]
fn a_report_keeps_its_header() {
    let (_server, resumable) = interrupted(&["--format", "html", "--workers", "3"]);
    let about = |text: &str| {
        text.split("about(")
            .nth(1)
            .unwrap()
            .split(')')
            .next()
            .unwrap()
            .to_owned()
    };
    let before = about(&resumable.written());
    // The resumed run must not write a header of its own.
    resumable
        .start_with(&["--log-format", "json"])
        .finish()
        .with_code(0);
    assert_eq!(about(&resumable.written()), before);
}

#[test]
fn an_output_that_cannot_be_opened_starts_no_crawl() {
    let server = Server::start(Graph::new(3).site());
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (state, missing, out) = (path("state"), path("missing/out"), path("out"));
    let url = server.url("/");
    let ended = crawler(&[&url, "--state", &state, "-o", &missing]).with_code(1);
    ended.stderr_contains("missing/out");
    assert_eq!(server.total(), 0);
    // Another output is allowed: no crawl was recorded yet.
    crawler(&[&url, "--state", &state, "-o", &out]).with_code(0);
    assert_eq!(server.total(), 4);
}

#[cfg(unix)]
#[test]
fn a_state_file_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_server, resumable) = interrupted(&[]);
    let state = resumable.state_file();
    let mode = |name: &str| {
        let file = state.with_file_name(name);
        std::fs::metadata(file).map(|found| found.permissions().mode() & 0o777)
    };
    assert_eq!(mode("state").unwrap(), 0o600);
    // An existing file keeps its mode, and so have the files that SQLite puts beside it.
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o640)).unwrap();
    let mut run = resumable.start();
    run.wait_for_or_end("the log", || mode("state-wal").is_ok());
    if let Ok(mode) = mode("state-wal") {
        assert_eq!(mode, 0o640);
    }
    let finished = run.finish();
    finished.stderr_contains("can be read by other users of this machine; chmod 600");
    assert_eq!(mode("state").unwrap(), 0o640);
    // While a crawl runs, its log is as private as the file.
    let (_server, resumable) = interrupted(&[]);
    let wal = resumable.state_file().with_file_name("state-wal");
    let mut run = resumable.start();
    run.wait_for_or_end("the log", || wal.exists());
    if let Ok(found) = std::fs::metadata(&wal) {
        assert_eq!(found.permissions().mode() & 0o777, 0o600);
    }
    run.finish().stderr_lacks("chmod");
}
