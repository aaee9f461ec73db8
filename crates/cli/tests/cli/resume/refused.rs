//! State files that are not used, and left as they are.

use std::fs;
use std::path::Path;

use testsite::{Pages, Request, Server, SiteResponse, SocketStep};

use crate::resume::run::ResumableCrawl;

fn site() -> Server {
    Server::start(Pages::new().links("/", &["/a"]).html("/a", "a"))
}

#[test]
fn another_plan_with_each_difference_named() {
    let server = site();
    let kept = ResumableCrawl::of(&server, &["--max-depth", "3"]);
    kept.success();
    let (state, written) = (fs::read(kept.state_file()).unwrap(), kept.written());
    let asked = server.total();
    for (more, words) in [
        (&["--max-pages", "7"][..], "--max-pages was 2000, is 7"),
        (&["--format", "json"], "--format was text, is json"),
        (&["--include", "x"], "--include was none, is x"),
        (
            &["--exclude", "x", "--exclude", "y"],
            "--exclude was none, is x y",
        ),
        (&["--robots", "ignore"], "--robots was respect, is ignore"),
        (&["--rate-ms", "5"], "--rate-ms was 0, is 5"),
        (
            &["--profile", "aggressive"],
            "--max-pages was 2000, is 10000",
        ),
        (
            &["--header", "X-A: secret"],
            "the names of --header was none, is X-A",
        ),
        (&["--user-agent", "me"], "--user-agent was crawler/"),
        (&["--max-duration", "9s"], "--max-duration was none, is 9s"),
        (&["--sitemaps", "only"], "--sitemaps was skip, is only"),
        (
            &["--unique-links", "links.txt"],
            "--unique-links was none, is /",
        ),
    ] {
        let ended = kept.start_with(more).finish().with_code(2);
        ended.says(words).says("holds a different crawl");
        assert!(!ended.stderr.contains("secret"), "{}", ended.stderr);
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    }
    assert_eq!(server.total(), asked, "nothing is asked for");
    assert_eq!(
        fs::read(kept.state_file()).unwrap(),
        state,
        "nothing is touched"
    );
    assert_eq!(kept.written(), written, "nothing is touched");
}

#[test]
fn another_seed_and_another_command() {
    let server = site();
    let kept = ResumableCrawl::of(&server, &[]);
    kept.success();
    let other = site();
    let ended = ResumableCrawl::of(&other, &[])
        .finish_in_folder_of(&kept)
        .with_code(2);
    ended.says(&format!(
        "<URL> was {}, is {}",
        server.url("/"),
        other.url("/")
    ));
    let ended = ResumableCrawl::of(&server, &[])
        .command("map")
        .finish_in_folder_of(&kept);
    ended.with_code(2).says("the command was crawl, is map");
    assert_eq!(other.total(), 0);
}

#[test]
fn what_changes_only_speed_or_talk_may_differ() {
    let server = site();
    let kept = ResumableCrawl::of(&server, &[]);
    kept.success();
    let more = [
        "--workers",
        "3",
        "-v",
        "--progress",
        "never",
        "--log-format",
        "json",
    ];
    kept.start_with(&more).finish().with_code(0);
}

#[test]
fn another_owner() {
    let server = Server::start(|request: &Request| match request.path() {
        "/" => SiteResponse::script(vec![SocketStep::Hang]),
        _ => SiteResponse::status(404),
    });
    let kept = ResumableCrawl::of(&server, &[]);
    let mut first = kept.start();
    first.wait_for_or_end("the seed's request", || server.count("/") == 1);
    kept.finish().with_code(1).says("in use by another crawl");
    assert!(first.is_running(), "the first is not disturbed");
    assert_eq!(server.count("/"), 1);
    first.kill();
    let mut next = kept.start();
    next.wait_for_or_end("the seed's request", || server.count("/") == 2);
    assert!(next.is_running(), "after a kill the file is free");
}

#[test]
fn something_else() {
    let mut database = b"SQLite format 3\0".to_vec();
    database.resize(4096, 7);
    for content in [&b"my diary\n"[..], &database, b"x", &[0; 200]] {
        let server = site();
        let kept = ResumableCrawl::of(&server, &[]);
        fs::write(kept.state_file(), content).unwrap();
        kept.finish().with_code(2).says("is not a state file");
        assert_eq!(fs::read(kept.state_file()).unwrap(), content);
        assert!(!kept.output_file().exists(), "nothing is touched");
        assert_eq!(server.total(), 0);
    }
}

#[test]
fn places_that_cannot_be_written() {
    let server = site();
    let kept = ResumableCrawl::of(&server, &[]);
    fs::create_dir(kept.state_file()).unwrap();
    kept.finish().with_code(2).says("is not a state file");
    for place in ["/proc/crawler-state", "/nowhere-at-all/state"] {
        if !Path::new("/proc/self").exists() {
            return;
        }
        let ended = crate::run::crawler(&[&server.url("/"), "--state", place]);
        let ended = ended.with_code(1);
        ended.says("--state: cannot use").says(place);
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    }
    let same = kept.output_file();
    let same = same.to_str().unwrap();
    let ended = crate::run::crawler(&[&server.url("/"), "--state", same, "-o", same]);
    ended.with_code(2).says("same file as an output");
    assert_eq!(server.total(), 0);
}

#[test]
fn another_format() {
    let server = site();
    let kept = ResumableCrawl::of(&server, &[]);
    kept.success();
    let mut state = fs::read(kept.state_file()).unwrap();
    // Where SQLite keeps the user's version of a file.
    state[63] = 9;
    fs::write(kept.state_file(), state).unwrap();
    kept.finish().with_code(2).says("state format 9");
}

#[test]
fn a_damaged_file() {
    let server = Server::start(testsite::Graph::new(80).site());
    let kept = ResumableCrawl::of(&server, &["--max-pages", "60"]);
    kept.success();
    let state = fs::read(kept.state_file()).unwrap();
    let written = kept.written();
    let mut told = 0;
    for step in 0..24 {
        let mut damaged = state.clone();
        if step % 4 == 3 {
            damaged.truncate(state.len() * step / 24);
        } else {
            let at = 100 + (state.len() - 100) * step / 24;
            for byte in &mut damaged[at..(at + 40).min(state.len())] {
                *byte ^= 0x5a;
            }
        }
        fs::write(kept.state_file(), damaged).unwrap();
        // So that what is kept has to be read.
        fs::remove_file(kept.output_file()).ok();
        let ended = kept.finish();
        match ended.code {
            // What was changed is not looked at: free space.
            Some(0) => assert_eq!(kept.written(), written),
            Some(1) => {
                ended
                    .says("is damaged")
                    .says("remove it to crawl from the beginning");
                told += 1;
            }
            Some(2) => told += 1,
            other => panic!("{other:?}: {}", ended.stderr),
        }
    }
    assert!(told > 3, "{told}");
}
