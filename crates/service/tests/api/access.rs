//! Who may call, and where the service listens.

use serde_json::json;
use service::api::check_posture;
use service::config::{Config, Secret};
use store::{KeyHash, Store};

use crate::client::call;
use crate::stage::{stage, stage_with};

const KEY: &str = "a-key-that-is-long-enough";
const OTHER: &str = "another-key-of-that-length";

const KEPT: [&str; 8] = [
    "/v1/jobs",
    "/v1/jobs/00000000-0000-7000-8000-000000000000",
    "/v1/jobs/x/documents",
    "/v1/jobs/x/map",
    "/v1/jobs/x/tasks",
    "/v1/jobs/x/export",
    "/v1/jobs/x/events",
    "/metrics",
];

#[tokio::test]
async fn with_keys_a_caller_needs_one() {
    let stage = stage_with(|config| {
        config.server.api_keys = vec![Secret::new(KEY), Secret::new(OTHER)];
    })
    .await;
    let wrong = [
        None,
        Some(String::new()),
        Some("Bearer".to_owned()),
        Some("Bearer ".to_owned()),
        Some(KEY.to_owned()),
        Some(format!("Basic {KEY}")),
        Some(format!("Bearer {KEY}x")),
        Some(format!("Bearer {}", &KEY[1..])),
        Some(format!("Bearer {KEY} {OTHER}")),
    ];
    for path in KEPT {
        for sent in &wrong {
            let headers: Vec<(&str, &str)> = sent
                .iter()
                .map(|value| ("authorization", value.as_str()))
                .collect();
            let reply = call(stage.port, "GET", path, &headers, "").await;
            reply.problem(401, "unauthorized");
            assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        }
        // A key in the query is no key.
        let reply = stage.get(&format!("{path}?api_key={KEY}")).await;
        reply.problem(401, "unauthorized");
    }
    let reply = stage
        .post("/v1/scrape", &json!({"url": "https://example.org/"}))
        .await;
    reply.problem(401, "unauthorized");
    for key in [KEY, OTHER] {
        for scheme in ["Bearer", "bearer"] {
            let value = format!("{scheme} {key}");
            let headers = [
                ("authorization", value.as_str()),
                ("host", "crawler.example"),
            ];
            let reply = call(stage.port, "GET", "/v1/jobs", &headers, "").await;
            assert_eq!(reply.status, 200, "{}", reply.body);
        }
    }
    for path in ["/healthz", "/readyz", "/openapi.json", "/docs"] {
        assert_eq!(stage.get(path).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn without_keys_only_this_machine_is_answered() {
    let stage = stage().await;
    for (host, status) in [
        ("localhost", 200),
        ("localhost:8080", 200),
        ("127.0.0.1", 200),
        ("[::1]:8080", 200),
        ("attacker.example", 403),
        ("attacker.example:8080", 403),
        ("localhost.attacker.example", 403),
    ] {
        let reply = call(stage.port, "GET", "/v1/jobs", &[("host", host)], "").await;
        assert_eq!(reply.status, status, "{host}: {}", reply.body);
        if status == 403 {
            reply.problem(403, "host_refused");
        }
    }
}

#[tokio::test]
async fn without_a_key_the_service_listens_on_loopback_only() {
    let store = stage().await.store;
    let mut config = Config::default();
    let judged = async |config: &Config, api| check_posture(config, &store, api).await.unwrap();
    assert_eq!(judged(&config, true).await, Ok(()));
    for addr in ["0.0.0.0:8080", "[::]:8080", "192.168.1.5:80"] {
        config.server.addr = addr.parse().unwrap();
        let words = judged(&config, true).await.unwrap_err();
        for part in [addr, "server.api_keys", "127.0.0.1:", "crawler keys add"] {
            assert!(words.contains(part), "{words}");
        }
        // A worker does not listen there; its numbers keep the same rule.
        assert_eq!(judged(&config, false).await, Ok(()));
        config.worker.metrics_addr = Some(addr.parse().unwrap());
        let words = judged(&config, false).await.unwrap_err();
        assert!(words.contains("worker.metrics_addr"), "{words}");
        config.server.open_metrics = true;
        assert_eq!(judged(&config, false).await, Ok(()));
        config.server.open_metrics = false;
        config.worker.metrics_addr = None;
    }
    let mut with_key = config.clone();
    with_key.server.api_keys = vec![Secret::new(KEY)];
    assert_eq!(judged(&with_key, true).await, Ok(()));
    let key = store.add_key("alice", KeyHash::of(KEY)).await.unwrap();
    assert_eq!(judged(&config, true).await, Ok(()));
    store.revoke_key(key.id).await.unwrap();
    assert!(judged(&config, true).await.is_err());
}

async fn status_with(port: u16, key: &str) -> u16 {
    let value = format!("Bearer {key}");
    let headers = [("authorization", value.as_str())];
    call(port, "GET", "/v1/jobs", &headers, "").await.status
}

#[tokio::test]
async fn a_key_of_the_store_opens_the_door_until_it_is_revoked() {
    let stage = stage_with(|config| config.server.api_keys = vec![Secret::new(OTHER)]).await;
    assert_eq!(status_with(stage.port, KEY).await, 401);
    let key = stage
        .store
        .add_key("alice", KeyHash::of(KEY))
        .await
        .unwrap();
    assert_eq!(status_with(stage.port, KEY).await, 200);
    assert_eq!(status_with(stage.port, OTHER).await, 200);
    assert!(stage.store.revoke_key(key.id).await.unwrap());
    // At once.
    assert_eq!(status_with(stage.port, KEY).await, 401);
    assert_eq!(status_with(stage.port, OTHER).await, 200);
}

#[tokio::test]
async fn the_first_key_of_the_store_closes_the_open_door() {
    let stage = stage().await;
    assert_eq!(stage.get("/v1/jobs").await.status, 200);
    stage
        .store
        .add_key("alice", KeyHash::of(KEY))
        .await
        .unwrap();
    let begun = std::time::Instant::now();
    while stage.get("/v1/jobs").await.status != 401 {
        assert!(begun.elapsed() < std::time::Duration::from_secs(20));
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(status_with(stage.port, KEY).await, 200);
}

#[tokio::test]
async fn where_others_can_reach_it_no_key_means_no_entry() {
    // Its only key was revoked while it ran: a Host of one's own choosing opens nothing.
    let stage = stage_with(|config| config.server.addr = "0.0.0.0:8080".parse().unwrap()).await;
    stage.get("/v1/jobs").await.problem(401, "unauthorized");
}

#[tokio::test]
async fn a_store_that_is_away_does_not_open_the_door() {
    let stage = stage().await;
    stage.store.close().await;
    assert_eq!(status_with(stage.port, KEY).await, 503);
    assert_eq!(stage.get("/v1/jobs").await.status, 503);
}
