//! The database is away for a while, under load: nobody ends, everybody says so, and work goes on when it is back.

use std::time::{Duration, Instant};

use serde_json::json;
use testsite::Server;

use crate::client;
use crate::cluster::Cluster;
use crate::drain::{accepted, over};
use crate::process::{PATIENCE, Process, until};
use crate::rounds::CONFIG;
use crate::site::Site;

#[test]
fn a_database_that_is_away_is_waited_for() {
    let site = Site {
        pages: 400,
        latency: Duration::from_millis(60),
    };
    let server = Server::start(move |request: &testsite::Request| site.answer(request));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let cluster = Cluster::start();
    let url = cluster.url();
    let start = |mode| Process::at_work(folder.path(), mode, Some(&url));
    let api = start("api");
    let mut crew = [start("worker"), start("worker")];
    let body = json!({ "url": server.url("/"), "max_depth": 20 });
    let job = accepted(&api, "/v1/crawl", &body);
    until("some pages are asked for", PATIENCE, || {
        server.total() >= 60
    });
    cluster.stop_at_once();
    let status = |path: &str| client::get(&api.addr(), path).map_or(0, |answer| answer.0);
    until("it is not ready", PATIENCE, || status("/readyz") == 503);
    assert_eq!(status("/healthz"), 200);
    // Longer than leases last; and one that starts meanwhile waits too.
    let third = Process::start(folder.path(), "worker", Some(&url));
    let begun = Instant::now();
    until("the leases are over", PATIENCE, || {
        assert_eq!(status("/readyz"), 503);
        begun.elapsed() > Duration::from_secs(5)
    });
    let before = server.total();
    cluster.go_on();
    let took = until("work goes on", PATIENCE, || server.total() > before);
    assert!(took < Duration::from_secs(10), "{took:?}");
    let took = until("it is ready", PATIENCE, || status("/readyz") == 200);
    assert!(took < Duration::from_secs(10), "{took:?}");
    third.said("working");
    let told = over(&api, &job);
    assert_eq!(told["documents"], 400, "{told}");
    for worker in &mut crew {
        assert!(worker.lives(), "{}", worker.log());
    }
}
