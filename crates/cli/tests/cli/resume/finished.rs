//! A crawl that came to its end, run again.

use testsite::{Pages, Request, Server, SiteResponse};

use crate::resume::run::ResumableCrawl;

#[test]
fn a_finished_crawl_is_reported_and_changes_nothing() {
    let server = Server::start(Pages::new().links("/", &["/a"]).html("/a", "a"));
    for format in ["text", "json", "html"] {
        let kept = ResumableCrawl::of(&server, &["--format", format]);
        kept.success();
        let (written, asked) = (kept.written(), server.total());
        let ended = kept.success();
        ended.says("has already finished");
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
        assert_eq!(kept.written(), written);
        assert_eq!(server.total(), asked);
    }
}

#[test]
fn on_stdout_nothing_is_printed_again() {
    let server = Server::start(Pages::new().links("/", &[]));
    let kept = ResumableCrawl::of(&server, &[]).on_stdout();
    assert!(kept.success().stdout.contains("Visited: "));
    assert_eq!(kept.success().stdout, "");
}

#[test]
fn a_file_that_is_gone_is_written_again_without_a_request() {
    let server = Server::start(Pages::new().links("/", &["/a", "/b"]).html("/a", "a"));
    for format in ["text", "json", "csv"] {
        for limit in ["0", "2"] {
            let kept = ResumableCrawl::of(&server, &["--format", format, "--max-pages", limit]);
            kept.success();
            let (written, asked) = (kept.written(), server.total());
            std::fs::remove_file(kept.output_file()).unwrap();
            kept.success();
            assert_eq!(kept.written(), written, "{format}");
            assert_eq!(server.total(), asked, "{format}");
            kept.success().says("has already finished");
        }
    }
}

#[test]
fn the_exit_code_is_that_of_the_crawl() {
    let server = Server::start(|_: &Request| SiteResponse::status(404));
    let kept = ResumableCrawl::of(&server, &[]);
    kept.finish().with_code(1).says("cannot fetch");
    kept.finish().with_code(1).says("has already finished");
}
