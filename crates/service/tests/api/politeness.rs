//! Single pages keep to what a host is owed, together with the workers of the same store.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;
use store::{Store, Turn};
use weburl::HostKey;

use crate::site::{Site, answer, page};
use crate::stage::stage_with;

/// A site that writes down when each request came.
async fn watched() -> (Site, Arc<Mutex<Vec<Instant>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&log);
    let site = Site::start(move |path| {
        seen.lock().unwrap().push(Instant::now());
        match path {
            "/busy" => answer(
                "503 Service Unavailable\r\nretry-after: 3600",
                "text/html",
                "busy",
            ),
            "/robots.txt" => answer("404 Not Found", "text/plain", ""),
            _ => page("<title>a page</title><p>words"),
        }
    })
    .await;
    (site, log)
}

#[tokio::test]
async fn scrapes_of_one_host_keep_its_rate() {
    let (site, log) = watched().await;
    let stage = stage_with(|config| config.worker.per_host_rps = 5.0).await;
    let scrapes = (0..4).map(|page| {
        let url = site.url(&format!("/{page}"));
        let stage = &stage;
        async move { stage.post("/v1/scrape", &json!({"url": url})).await.status }
    });
    assert_eq!(join_all(scrapes).await, [200; 4]);
    let mut starts = log.lock().unwrap().clone();
    starts.sort();
    assert_eq!(starts.len(), 5, "robots.txt and four pages");
    for pair in starts.windows(2) {
        let apart = pair[1] - pair[0];
        // Both ends are seen by the site, a little after they began.
        assert!(apart >= Duration::from_millis(150), "{apart:?}");
    }
}

#[tokio::test]
async fn a_scrape_waits_for_a_slot_that_somebody_else_holds() {
    let (site, log) = watched().await;
    let stage = stage_with(|config| config.worker.per_host_concurrency = 1).await;
    let host = HostKey::new("site.test");
    let lease = Duration::from_mins(1);
    let Ok(Turn::Granted { id, .. }) = stage.store.take_turn(&host, lease).await else {
        panic!("the only slot is free")
    };
    let url = site.url("/");
    let request = json!({ "url": url });
    let scrape = stage.post("/v1/scrape", &request);
    let mut scrape = std::pin::pin!(scrape);
    let early = tokio::time::timeout(Duration::from_millis(400), &mut scrape).await;
    assert!(early.is_err(), "it did not wait");
    assert!(log.lock().unwrap().is_empty());
    stage.store.end_turn(id).await.unwrap();
    assert_eq!(scrape.await.status, 200);
    // Its own slots were given back.
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        match stage.store.take_turn(&host, lease).await.unwrap() {
            Turn::Granted { .. } => break,
            Turn::Later(wait) => tokio::time::sleep(wait).await,
        }
        assert!(Instant::now() < deadline, "a slot was not given back");
    }
}

#[tokio::test]
async fn what_a_host_asks_for_is_kept_for_everybody() {
    let (site, _) = watched().await;
    let stage = stage_with(|_| ()).await;
    let reply = stage
        .post("/v1/scrape", &json!({"url": site.url("/busy")}))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let host = HostKey::new("site.test");
    let turn = stage.store.take_turn(&host, Duration::from_mins(1)).await;
    assert!(matches!(turn, Ok(Turn::Later(wait)) if wait > Duration::from_mins(50)));
}
