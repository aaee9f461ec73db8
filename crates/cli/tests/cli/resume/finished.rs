//! Rerunning a crawl that has finished.

use testsite::{Pages, Request, Server, SiteResponse};

use crate::resume::run::ResumableCrawl;

#[test]
fn a_finished_crawl_is_reported_and_changes_nothing() {
    let server = Server::start(Pages::new().links("/", &["/a"]).html("/a", "a"));
    for format in ["text", "json", "html"] {
        let resumable = ResumableCrawl::of(&server, &["--format", format]);
        resumable.success();
        let (written, requests) = (resumable.written(), server.total());
        let ended = resumable.success();
        ended.stderr_contains("has already finished");
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
        assert_eq!(resumable.written(), written);
        assert_eq!(server.total(), requests);
    }
}

#[test]
fn on_stdout_nothing_is_printed_again() {
    let server = Server::start(Pages::new().links("/", &[]));
    let resumable = ResumableCrawl::of(&server, &[]).on_stdout();
    assert!(resumable.success().stdout.contains("Visited: "));
    assert_eq!(resumable.success().stdout, "");
}

#[test]
fn a_deleted_output_is_rewritten_without_requests() {
    let server = Server::start(Pages::new().links("/", &["/a", "/b"]).html("/a", "a"));
    for format in ["text", "json", "csv"] {
        for limit in ["0", "2"] {
            let resumable =
                ResumableCrawl::of(&server, &["--format", format, "--max-pages", limit]);
            resumable.success();
            let (written, requests) = (resumable.written(), server.total());
            std::fs::remove_file(resumable.output_file()).unwrap();
            resumable.success();
            assert_eq!(resumable.written(), written, "{format}");
            assert_eq!(server.total(), requests, "{format}");
            resumable.success().stderr_contains("has already finished");
        }
    }
}

#[test]
fn the_exit_code_is_that_of_the_crawl() {
    let server = Server::start(|_: &Request| SiteResponse::status(404));
    let resumable = ResumableCrawl::of(&server, &[]);
    resumable
        .finish()
        .with_code(1)
        .stderr_contains("cannot fetch");
    resumable
        .finish()
        .with_code(1)
        .stderr_contains("has already finished");
}
