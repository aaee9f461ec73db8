//! A crawl that came to its end, run again.

use testsite::{Answer, Pages, Request, Server};

use crate::run::Kept;

#[test]
fn it_says_so_and_touches_nothing() {
    let server = Server::start(Pages::new().links("/", &["/a"]).html("/a", "a"));
    for format in ["text", "json", "html"] {
        let kept = Kept::of(&server, &["--format", format]);
        kept.well();
        let (written, asked) = (kept.written(), server.total());
        let ended = kept.well();
        ended.says("came to its end before");
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
        assert_eq!(kept.written(), written);
        assert_eq!(server.total(), asked);
    }
}

#[test]
fn on_stdout_nothing_is_printed_again() {
    let server = Server::start(Pages::new().links("/", &[]));
    let kept = Kept::of(&server, &[]).on_stdout();
    assert!(kept.well().out.contains("Visited: "));
    assert_eq!(kept.well().out, "");
}

#[test]
fn a_file_that_is_gone_is_written_again_without_a_request() {
    let server = Server::start(Pages::new().links("/", &["/a", "/b"]).html("/a", "a"));
    for format in ["text", "json", "csv"] {
        for limit in ["0", "2"] {
            let kept = Kept::of(&server, &["--format", format, "--max-pages", limit]);
            kept.well();
            let (written, asked) = (kept.written(), server.total());
            std::fs::remove_file(kept.file()).unwrap();
            kept.well();
            assert_eq!(kept.written(), written, "{format}");
            assert_eq!(server.total(), asked, "{format}");
            kept.well().says("came to its end before");
        }
    }
}

#[test]
fn the_exit_code_is_that_of_the_crawl() {
    let server = Server::start(|_: &Request| Answer::status(404));
    let kept = Kept::of(&server, &[]);
    kept.end().with_code(1).says("could not be fetched");
    kept.end().with_code(1).says("came to its end before");
}
