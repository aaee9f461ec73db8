//! State files that are rejected and left unchanged.

use std::fs;
use std::path::Path;

use testsite::{Pages, Request, Server, SiteResponse, SocketStep};

use crate::resume::run::ResumableCrawl;

fn site() -> Server {
    Server::start(Pages::new().links("/", &["/a"]).html("/a", "a"))
}

#[test]
fn a_different_plan_is_rejected_with_each_difference() {
    let server = site();
    let resumable = ResumableCrawl::of(&server, &["--max-depth", "3"]);
    resumable.success();
    let (state, written) = (
        fs::read(resumable.state_file()).unwrap(),
        resumable.written(),
    );
    let requests = server.total();
    for (more, message) in [
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
        let ended = resumable.start_with(more).finish().with_code(2);
        ended
            .stderr_contains(message)
            .stderr_contains("holds a different crawl");
        assert!(!ended.stderr.contains("secret"), "{}", ended.stderr);
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    }
    assert_eq!(server.total(), requests, "nothing is requested");
    assert_eq!(
        fs::read(resumable.state_file()).unwrap(),
        state,
        "nothing is changed"
    );
    assert_eq!(resumable.written(), written, "nothing is changed");
}

#[test]
fn a_different_seed_or_command_is_rejected() {
    let server = site();
    let resumable = ResumableCrawl::of(&server, &[]);
    resumable.success();
    let other = site();
    let ended = ResumableCrawl::of(&other, &[])
        .finish_in_folder_of(&resumable)
        .with_code(2);
    ended.stderr_contains(&format!(
        "<URL> was {}, is {}",
        server.url("/"),
        other.url("/")
    ));
    let ended = ResumableCrawl::of(&server, &[])
        .command("map")
        .finish_in_folder_of(&resumable);
    ended
        .with_code(2)
        .stderr_contains("the command was crawl, is map");
    assert_eq!(other.total(), 0);
}

#[test]
fn flags_for_speed_and_messages_may_differ() {
    let server = site();
    let resumable = ResumableCrawl::of(&server, &[]);
    resumable.success();
    let more = [
        "--workers",
        "3",
        "-v",
        "--progress",
        "never",
        "--log-format",
        "json",
    ];
    resumable.start_with(&more).finish().with_code(0);
}

#[test]
fn a_state_file_in_use_is_rejected() {
    let server = Server::start(|request: &Request| match request.path() {
        "/" => SiteResponse::script(vec![SocketStep::Hang]),
        _ => SiteResponse::status(404),
    });
    let resumable = ResumableCrawl::of(&server, &[]);
    let mut first = resumable.start();
    first.wait_for_or_end("the seed's request", || server.count("/") == 1);
    resumable
        .finish()
        .with_code(1)
        .stderr_contains("in use by another crawl");
    assert!(first.is_running(), "the first is not disturbed");
    assert_eq!(server.count("/"), 1);
    first.kill();
    let mut next = resumable.start();
    next.wait_for_or_end("the seed's request", || server.count("/") == 2);
    assert!(next.is_running(), "after a kill the file is free");
}

#[test]
fn files_of_another_kind_are_rejected() {
    let mut database = b"SQLite format 3\0".to_vec();
    database.resize(4096, 7);
    for content in [&b"my diary\n"[..], &database, b"x", &[0; 200]] {
        let server = site();
        let resumable = ResumableCrawl::of(&server, &[]);
        fs::write(resumable.state_file(), content).unwrap();
        resumable
            .finish()
            .with_code(2)
            .stderr_contains("is not a state file");
        assert_eq!(fs::read(resumable.state_file()).unwrap(), content);
        assert!(!resumable.output_file().exists(), "nothing is changed");
        assert_eq!(server.total(), 0);
    }
}

#[test]
fn paths_that_cannot_be_written_are_rejected() {
    let server = site();
    let resumable = ResumableCrawl::of(&server, &[]);
    fs::create_dir(resumable.state_file()).unwrap();
    resumable
        .finish()
        .with_code(2)
        .stderr_contains("is not a state file");
    for path in ["/proc/crawler-state", "/nowhere-at-all/state"] {
        if !Path::new("/proc/self").exists() {
            return;
        }
        let ended = crate::run::crawler(&[&server.url("/"), "--state", path]);
        let ended = ended.with_code(1);
        ended
            .stderr_contains("--state: cannot use")
            .stderr_contains(path);
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    }
    let same = resumable.output_file();
    let same = same.to_str().unwrap();
    let ended = crate::run::crawler(&[&server.url("/"), "--state", same, "-o", same]);
    ended.with_code(2).stderr_contains("same file as an output");
    assert_eq!(server.total(), 0);
}

#[test]
fn an_invalid_flag_creates_no_state_file() {
    let server = site();
    let resumable = ResumableCrawl::of(&server, &[]);
    let ended = resumable.start_with(&["--include", "["]).finish();
    ended.with_code(2).stderr_contains("--include");
    assert!(!resumable.state_file().exists());
}

#[test]
fn another_state_format_is_rejected() {
    let server = site();
    let resumable = ResumableCrawl::of(&server, &[]);
    resumable.success();
    let mut state = fs::read(resumable.state_file()).unwrap();
    // The last byte of SQLite's user_version.
    state[63] = 9;
    fs::write(resumable.state_file(), state).unwrap();
    resumable
        .finish()
        .with_code(2)
        .stderr_contains("state format 9");
}

#[test]
fn a_damaged_file_is_rejected() {
    let server = Server::start(testsite::Graph::new(80).site());
    let resumable = ResumableCrawl::of(&server, &["--max-pages", "60"]);
    resumable.success();
    let state = fs::read(resumable.state_file()).unwrap();
    let written = resumable.written();
    let mut rejected = 0;
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
        fs::write(resumable.state_file(), damaged).unwrap();
        // So that the recorded events have to be read.
        fs::remove_file(resumable.output_file()).ok();
        let ended = resumable.finish();
        match ended.code {
            // The damage is in unused space.
            Some(0) => assert_eq!(resumable.written(), written),
            Some(1) => {
                ended
                    .stderr_contains("is damaged")
                    .stderr_contains("remove it to crawl from the beginning");
                rejected += 1;
            }
            Some(2) => rejected += 1,
            other => panic!("{other:?}: {}", ended.stderr),
        }
    }
    assert!(rejected > 3, "{rejected}");
}
