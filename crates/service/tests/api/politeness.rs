//! `POST /v1/scrape` shares the politeness limits of a host with the workers.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crawler_store::{HostTurn, HostTurns};
use crawler_weburl::HostKey;
use futures_util::future::join_all;
use serde_json::json;

use crate::service::service_with;
use crate::site::{Site, page, response};

/// A site that records the time of each request.
async fn logged_site() -> (Site, Arc<Mutex<Vec<Instant>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&log);
    let site = Site::start(move |path| {
        seen.lock().unwrap().push(Instant::now());
        match path {
            "/busy" => response(
                "503 Service Unavailable\r\nretry-after: 3600",
                "text/html",
                "busy",
            ),
            "/robots.txt" => response("404 Not Found", "text/plain", ""),
            _ => page("<title>a page</title><p>words"),
        }
    })
    .await;
    (site, log)
}

#[tokio::test]
async fn scrapes_of_one_host_respect_its_rate_limit() {
    let (site, log) = logged_site().await;
    let service = service_with(|config| config.worker.per_host_rps = 5.0).await;
    let scrapes = (0..4).map(|page| {
        let url = site.url(&format!("/{page}"));
        let service = &service;
        async move {
            service
                .post("/v1/scrape", &json!({"url": url}))
                .await
                .status
        }
    });
    assert_eq!(join_all(scrapes).await, [200; 4]);
    let mut starts = log.lock().unwrap().clone();
    starts.sort();
    assert_eq!(starts.len(), 5, "robots.txt and four pages");
    for pair in starts.windows(2) {
        let apart = pair[1] - pair[0];
        // The site sees each request slightly after it was sent.
        assert!(apart >= Duration::from_millis(150), "{apart:?}");
    }
}

#[tokio::test]
async fn a_scrape_waits_for_a_host_slot_held_by_another_process() {
    let (site, log) = logged_site().await;
    let service = service_with(|config| config.worker.per_host_concurrency = 1).await;
    let host = HostKey::new("site.test");
    let lease = Duration::from_mins(1);
    let Ok(HostTurn::Granted { id, .. }) = service.store.take_turn(&host, lease).await else {
        panic!("the only slot should be free")
    };
    let url = site.url("/");
    let request = json!({ "url": url });
    let scrape = service.post("/v1/scrape", &request);
    let mut scrape = std::pin::pin!(scrape);
    let early = tokio::time::timeout(Duration::from_millis(400), &mut scrape).await;
    assert!(early.is_err(), "it did not wait");
    assert!(log.lock().unwrap().is_empty());
    service.store.end_turn(id).await.unwrap();
    assert_eq!(scrape.await.status, 200);
    // The slots of the scrape are released.
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        match service.store.take_turn(&host, lease).await.unwrap() {
            HostTurn::Granted { .. } => break,
            HostTurn::Later { wait, .. } => tokio::time::sleep(wait).await,
        }
        assert!(Instant::now() < deadline, "a slot was not released");
    }
}

#[tokio::test]
async fn a_scrape_waits_for_the_interval_of_a_host_as_long_as_it_may() {
    let (site, log) = logged_site().await;
    // More than the longest pause that a scrape waits for.
    let service = service_with(|config| {
        config.worker.per_host_rps = 0.005;
        config.server.scrape_wait = Duration::from_mins(10);
        config.server.request_timeout = Duration::from_mins(10);
    })
    .await;
    let host = HostKey::new("site.test");
    let turn = service.store.take_turn(&host, Duration::from_mins(1)).await;
    assert!(matches!(turn, Ok(HostTurn::Granted { .. })), "{turn:?}");
    let request = json!({"url": site.url("/")});
    let scrape = service.post("/v1/scrape", &request);
    if let Ok(reply) = tokio::time::timeout(Duration::from_secs(1), scrape).await {
        panic!("it did not wait: {}", reply.body);
    }
    assert!(log.lock().unwrap().is_empty());
}

#[tokio::test]
async fn retry_after_is_stored_for_all_workers() {
    let (site, _) = logged_site().await;
    let service = service_with(|_| ()).await;
    let reply = service
        .post("/v1/scrape", &json!({"url": site.url("/busy")}))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let host = HostKey::new("site.test");
    let turn = service.store.take_turn(&host, Duration::from_mins(1)).await;
    assert!(matches!(turn, Ok(HostTurn::Later { pause, .. }) if pause > Duration::from_mins(50)));
}

#[tokio::test]
async fn per_host_concurrency_is_the_only_limit_on_scrapes_at_once() {
    const CONCURRENCY: usize = 5;
    // The site responds only when this many requests are in flight at the same time.
    let barrier = Arc::new(tokio::sync::Barrier::new(CONCURRENCY));
    let site = Site::start_async(move |path| {
        let barrier = Arc::clone(&barrier);
        async move {
            if path == "/robots.txt" {
                return response("404 Not Found", "text/plain", "");
            }
            barrier.wait().await;
            page("<title>a page</title><p>words")
        }
    })
    .await;
    let service = service_with(|config| {
        config.worker.per_host_concurrency = u32::try_from(CONCURRENCY).unwrap();
    })
    .await;
    let scrapes = (0..CONCURRENCY).map(|page| {
        let url = site.url(&format!("/{page}"));
        let service = &service;
        async move {
            service
                .post("/v1/scrape", &json!({"url": url}))
                .await
                .status
        }
    });
    assert_eq!(join_all(scrapes).await, [200; CONCURRENCY]);
}
