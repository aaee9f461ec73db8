//! `kill -9` at any moment.

use std::time::{Duration, Instant};

use testsite::{Graph, Request, Server, SiteResponse, SocketStep};

use crate::harness::random::Random;
use crate::resume::records::records;
use crate::resume::run::{ResumableCrawl, rounds};

const FORMATS: [&str; 6] = ["text", "ndjson", "json", "csv", "html", "map"];

fn site(pages: u32) -> Server {
    let graph = Graph {
        latency: Duration::from_millis(3),
        ..Graph::new(pages)
    };
    Server::start(graph.site())
}

fn crawl(server: &Server, format: &str, workers: u64) -> ResumableCrawl {
    let workers = workers.to_string();
    let flags = ["--workers", &workers, "--max-pages", "0", "-q"];
    if format == "map" {
        return ResumableCrawl::of(server, &flags).command("map");
    }
    ResumableCrawl::of(server, &[&flags[..], &["--format", format]].concat())
}

#[test]
fn a_crawl_killed_at_random_moments_writes_the_same_file() {
    const PAGES: u32 = 150;
    let mut uninterrupted = Vec::new();
    for format in FORMATS {
        let server = site(PAGES);
        let resumable = crawl(&server, format, 4);
        resumable.success();
        uninterrupted.push(records(format, &server, &resumable.written()));
    }
    let (mut killed, mut repeated) = (0, 0);
    for round in 0..rounds(12) {
        let mut random = Random(round + 1);
        let at = usize::try_from(round).unwrap() % FORMATS.len();
        let server = site(PAGES);
        let resumable = crawl(&server, FORMATS[at], [1, 4, 8][at % 3]);
        let kills = 1 + random.below(4);
        for _ in 0..kills {
            let mut run = resumable.start();
            let target = server.total() + random.below(60);
            run.wait_for_or_end("requests", || server.total() > target);
            killed += u32::from(run.kill().code.is_none());
        }
        resumable.success();
        let records = records(FORMATS[at], &server, &resumable.written());
        assert_eq!(records, uninterrupted[at], "round {round}, {}", FORMATS[at]);
        for (path, times) in server.counts() {
            assert!(times <= kills + 1, "{path} {times} times, {kills} kills");
            repeated += times - 1;
        }
    }
    assert!(killed > 5, "too few kills: {killed}");
    assert!(repeated > 0, "requests in flight are repeated");
}

#[test]
fn with_one_worker_the_bytes_are_the_same() {
    let server = site(60);
    let uninterrupted = crawl(&server, "text", 1);
    uninterrupted.success();
    let resumable = crawl(&server, "text", 1);
    for more in [10, 25, 3] {
        let mut run = resumable.start();
        let target = server.total() + more;
        run.wait_for_or_end("requests", || server.total() > target);
        run.kill();
    }
    resumable.success();
    assert_eq!(resumable.written(), uninterrupted.written());
}

/// Whether the write-ahead log of the state file has stopped growing, so that everything so far is committed.
pub(crate) fn is_quiet(resumable: &ResumableCrawl, since: &mut (u64, Instant)) -> bool {
    let log = resumable.state_file().with_file_name("state-wal");
    let length = std::fs::metadata(log).map_or(0, |metadata| metadata.len());
    if length != since.0 || length == 0 {
        *since = (length, Instant::now());
    }
    since.1.elapsed() > Duration::from_millis(400)
}

#[test]
fn only_requests_in_flight_are_repeated() {
    let hangs = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let server = Server::start({
        let hangs = std::sync::Arc::clone(&hangs);
        move |request: &Request| match request.path() {
            "/robots.txt" => SiteResponse::status(404),
            "/" => {
                SiteResponse::html("<a href=/1><a href=/2><a href=/3><a href=/stuck><a href=/4>")
            }
            "/stuck" if hangs.load(std::sync::atomic::Ordering::Relaxed) => {
                SiteResponse::script(vec![SocketStep::Hang])
            }
            path => SiteResponse::html(
                format!("<a href={path}/below>").repeat(usize::from(path.len() < 9)),
            ),
        }
    });
    let resumable = ResumableCrawl::of(
        &server,
        &["--format", "ndjson", "--timeout", "50s", "--workers", "3"],
    );
    let mut run = resumable.start();
    run.wait_for_or_end("the page that hangs", || server.count("/stuck") == 1);
    let mut since = (0, Instant::now());
    run.wait_for_or_end("quiet", || is_quiet(&resumable, &mut since));
    run.kill();
    let before = server.total();
    hangs.store(false, std::sync::atomic::Ordering::Relaxed);
    let ended = resumable.success();
    ended.stderr_contains("Resuming after ");
    for (path, times) in server.counts() {
        assert_eq!(times, 1 + u64::from(path == "/stuck"), "{path}");
    }
    assert!(before > 5 && server.total() > before);
    assert_eq!(
        resumable.written().lines().count() as u64,
        server.total() - 2
    );
}
