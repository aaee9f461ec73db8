//! State files that are not used, and left as they are.

use std::fs;
use std::path::Path;

use testsite::{Answer, Pages, Request, Server, Step};

use crate::run::Kept;

fn site() -> Server {
    Server::start(Pages::new().links("/", &["/a"]).html("/a", "a"))
}

#[test]
fn another_plan_with_each_difference_named() {
    let server = site();
    let kept = Kept::of(&server, &["--max-depth", "3"]);
    kept.well();
    let (state, written) = (fs::read(kept.state()).unwrap(), kept.written());
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
        let ended = kept.start_with(more).end().with_code(2);
        ended.says(words).says("keeps another crawl");
        assert!(!ended.err.contains("secret"), "{}", ended.err);
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    }
    assert_eq!(server.total(), asked, "nothing is asked for");
    assert_eq!(fs::read(kept.state()).unwrap(), state, "nothing is touched");
    assert_eq!(kept.written(), written, "nothing is touched");
}

#[test]
fn another_seed_and_another_command() {
    let server = site();
    let kept = Kept::of(&server, &[]);
    kept.well();
    let other = site();
    let ended = Kept::of(&other, &[]).in_folder_of(&kept).with_code(2);
    ended.says(&format!(
        "<URL> was {}, is {}",
        server.url("/"),
        other.url("/")
    ));
    let ended = Kept::of(&server, &[]).command("map").in_folder_of(&kept);
    ended.with_code(2).says("the command was crawl, is map");
    assert_eq!(other.total(), 0);
}

#[test]
fn what_changes_only_speed_or_talk_may_differ() {
    let server = site();
    let kept = Kept::of(&server, &[]);
    kept.well();
    let more = [
        "--workers",
        "3",
        "-v",
        "--progress",
        "never",
        "--log-format",
        "json",
    ];
    kept.start_with(&more).end().with_code(0);
}

#[test]
fn another_owner() {
    let server = Server::start(|request: &Request| match request.path() {
        "/" => Answer::script(vec![Step::Hang]),
        _ => Answer::status(404),
    });
    let kept = Kept::of(&server, &[]);
    let mut first = kept.start();
    first.wait_for("the seed's request", || server.count("/") == 1);
    kept.end().with_code(1).says("in use by another crawl");
    assert!(first.runs(), "the first is not disturbed");
    assert_eq!(server.count("/"), 1);
    first.kill();
    let mut next = kept.start();
    next.wait_for("the seed's request", || server.count("/") == 2);
    assert!(next.runs(), "after a kill the file is free");
}

#[test]
fn something_else() {
    let mut database = b"SQLite format 3\0".to_vec();
    database.resize(4096, 7);
    for content in [&b"my diary\n"[..], &database, b"x", &[0; 200]] {
        let server = site();
        let kept = Kept::of(&server, &[]);
        fs::write(kept.state(), content).unwrap();
        kept.end().with_code(2).says("is not a state file");
        assert_eq!(fs::read(kept.state()).unwrap(), content);
        assert!(!kept.file().exists(), "nothing is touched");
        assert_eq!(server.total(), 0);
    }
}

#[test]
fn places_that_cannot_be_written() {
    let server = site();
    let kept = Kept::of(&server, &[]);
    fs::create_dir(kept.state()).unwrap();
    kept.end().with_code(2).says("is not a state file");
    for place in ["/proc/crawler-state", "/nowhere-at-all/state"] {
        if !Path::new("/proc/self").exists() {
            return;
        }
        let ended = crate::run::plain(&[&server.url("/"), "--state", place]);
        let ended = ended.with_code(1);
        ended.says("--state: cannot use").says(place);
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    }
    let same = kept.file();
    let same = same.to_str().unwrap();
    let ended = crate::run::plain(&[&server.url("/"), "--state", same, "-o", same]);
    ended.with_code(2).says("the same file as an output");
    assert_eq!(server.total(), 0);
}

#[test]
fn another_format() {
    let server = site();
    let kept = Kept::of(&server, &[]);
    kept.well();
    let mut state = fs::read(kept.state()).unwrap();
    // Where SQLite keeps the user's version of a file.
    state[63] = 9;
    fs::write(kept.state(), state).unwrap();
    kept.end().with_code(2).says("state format 9");
}

#[test]
fn a_damaged_file() {
    let server = Server::start(testsite::Graph::new(80).site());
    let kept = Kept::of(&server, &["--max-pages", "60"]);
    kept.well();
    let state = fs::read(kept.state()).unwrap();
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
        fs::write(kept.state(), damaged).unwrap();
        // So that what is kept has to be read.
        fs::remove_file(kept.file()).ok();
        let ended = kept.end();
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
            other => panic!("{other:?}: {}", ended.err),
        }
    }
    assert!(told > 3, "{told}");
}
