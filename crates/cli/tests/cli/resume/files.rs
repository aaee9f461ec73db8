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
    let kept = ResumableCrawl::of(&server, flags);
    let mut run = kept.start();
    run.wait_for_or_end("requests", || server.total() > 30);
    run.signal("INT");
    run.finish().with_code(130);
    (server, kept)
}

#[test]
fn an_output_file_that_was_changed_is_repaired() {
    for change in ["deleted", "shortened", "longer"] {
        let (server, kept) = interrupted(&["--format", "ndjson"]);
        let mut there = std::fs::read(kept.output_file()).unwrap();
        match change {
            "deleted" => std::fs::remove_file(kept.output_file()).unwrap(),
            "shortened" => {
                there.truncate(100);
                std::fs::write(kept.output_file(), there).unwrap();
            }
            _ => {
                there.extend_from_slice(b"somebody wrote this");
                std::fs::write(kept.output_file(), there).unwrap();
            }
        }
        kept.success();
        let pages = records("ndjson", &server, &kept.written());
        assert_eq!(pages.len(), 100, "{change}");
        assert_eq!(server.total(), 101, "{change}: nothing is asked for again");
    }
}

#[test]
fn unique_links_are_those_of_the_whole_crawl() {
    let (server, kept) = interrupted(&["--unique-links", "links"]);
    kept.success();
    let whole = ResumableCrawl::of(&server, &["--unique-links", "links"]);
    whole.success();
    let links =
        |kept: &ResumableCrawl| std::fs::read(kept.output_file().with_file_name("links")).unwrap();
    assert!(!links(&kept).is_empty());
    assert_eq!(links(&kept), links(&whole));
}

#[test]
fn a_report_keeps_its_beginning() {
    let (_server, kept) = interrupted(&["--format", "html", "--workers", "3"]);
    let about = |text: &str| {
        text.split("about(")
            .nth(1)
            .unwrap()
            .split(')')
            .next()
            .unwrap()
            .to_owned()
    };
    let before = about(&kept.written());
    // Another number of workers stands in the line of another crawl.
    kept.start_with(&["--log-format", "json"])
        .finish()
        .with_code(0);
    assert_eq!(about(&kept.written()), before);
}

#[test]
fn an_output_that_cannot_be_opened_begins_nothing() {
    let server = Server::start(Graph::new(3).site());
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (state, missing, out) = (place("state"), place("missing/out"), place("out"));
    let url = server.url("/");
    let ended = crawler(&[&url, "--state", &state, "-o", &missing]).with_code(1);
    ended.says("missing/out");
    assert_eq!(server.total(), 0);
    // Another place is no other plan: there was no crawl yet.
    crawler(&[&url, "--state", &state, "-o", &out]).with_code(0);
    assert_eq!(server.total(), 4);
}
