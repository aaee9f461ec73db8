//! API keys, and the addresses on which the service may listen.

use crawler_service::api::{Exposure, check_exposure};
use crawler_service::config::{Config, Secret};
use crawler_store::{ApiKeys, KeyHash, KeyRotation, NewKey};
use serde_json::json;

use crate::client::call;
use crate::service::{new_key, service, service_with};

const KEY: &str = "a-key-that-is-long-enough";
const OTHER: &str = "another-key-of-that-length";
const REPLACED: &str = "a-key-that-was-replaced";

const PROTECTED: [&str; 8] = [
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
async fn with_keys_every_request_needs_one() {
    let service = service_with(|config| {
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
    for path in PROTECTED {
        for sent in &wrong {
            let headers: Vec<(&str, &str)> = sent
                .iter()
                .map(|value| ("authorization", value.as_str()))
                .collect();
            let reply = call(service.port, "GET", path, &headers, "").await;
            reply.problem(401, "unauthorized");
            assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        }
        // A key in the query is ignored.
        let reply = service.get(&format!("{path}?api_key={KEY}")).await;
        reply.problem(401, "unauthorized");
    }
    let reply = service
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
            let reply = call(service.port, "GET", "/v1/jobs", &headers, "").await;
            assert_eq!(reply.status, 200, "{}", reply.body);
        }
    }
    for path in ["/healthz", "/readyz", "/openapi.json", "/docs"] {
        assert_eq!(service.get(path).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn without_keys_only_local_requests_are_allowed() {
    let service = service().await;
    for (host, status) in [
        ("localhost", 200),
        ("localhost:8080", 200),
        ("127.0.0.1", 200),
        ("[::1]:8080", 200),
        ("attacker.example", 403),
        ("attacker.example:8080", 403),
        ("localhost.attacker.example", 403),
    ] {
        let reply = call(service.port, "GET", "/v1/jobs", &[("host", host)], "").await;
        assert_eq!(reply.status, status, "{host}: {}", reply.body);
        if status == 403 {
            reply.problem(403, "host_refused");
        }
    }
}

#[tokio::test]
async fn without_a_key_the_service_may_listen_on_loopback_only() {
    // Keeps the directory of the store.
    let service = service().await;
    let store = service.store.clone();
    let mut config = Config::default();
    let checked = async |config: &Config, api| check_exposure(config, &store, api).await.unwrap();
    assert_eq!(checked(&config, true).await, Exposure::Safe);
    for addr in ["0.0.0.0:8080", "192.168.1.5:80", "[::]:8080"] {
        config.server.addr = addr.parse().unwrap();
        assert_eq!(checked(&config, true).await, Exposure::NeedsFirstKey);
        // A worker does not listen there, but the same rule applies to its metrics.
        assert_eq!(checked(&config, false).await, Exposure::Safe);
        config.worker.metrics_addr = Some(addr.parse().unwrap());
        assert_eq!(checked(&config, false).await, Exposure::NeedsFirstKey);
        config.server.open_metrics = true;
        assert_eq!(checked(&config, false).await, Exposure::Safe);
        config.server.open_metrics = false;
        config.worker.metrics_addr = None;
    }
    let mut with_key = config.clone();
    with_key.server.api_keys = vec![Secret::new(KEY)];
    assert_eq!(checked(&with_key, true).await, Exposure::Safe);
    let key = store.add_key(new_key("alice", KEY)).await.unwrap();
    assert_eq!(checked(&config, true).await, Exposure::Safe);
    // A first key is made only once: whoever revoked all keys wanted that.
    store.revoke_key(key.id).await.unwrap();
    let Exposure::Refused(message) = checked(&config, true).await else {
        panic!("it was not refused")
    };
    for part in [
        "[::]:8080",
        "server.api_keys",
        "127.0.0.1:",
        "crawler keys add",
    ] {
        assert!(message.contains(part), "{message}");
    }
}

async fn status_with(port: u16, key: &str) -> u16 {
    let value = format!("Bearer {key}");
    let headers = [("authorization", value.as_str())];
    call(port, "GET", "/v1/jobs", &headers, "").await.status
}

#[tokio::test]
async fn a_key_of_the_store_is_valid_until_it_is_revoked() {
    let service = service_with(|config| config.server.api_keys = vec![Secret::new(OTHER)]).await;
    assert_eq!(status_with(service.port, KEY).await, 401);
    let key = service.store.add_key(new_key("alice", KEY)).await.unwrap();
    assert_eq!(status_with(service.port, KEY).await, 200);
    assert_eq!(status_with(service.port, OTHER).await, 200);
    assert!(service.store.revoke_key(key.id).await.unwrap());
    // Effective immediately.
    assert_eq!(status_with(service.port, KEY).await, 401);
    assert_eq!(status_with(service.port, OTHER).await, 200);
}

#[tokio::test]
async fn the_first_key_of_the_store_ends_access_without_a_key() {
    let service = service().await;
    assert_eq!(service.get("/v1/jobs").await.status, 200);
    service.store.add_key(new_key("alice", KEY)).await.unwrap();
    let started = std::time::Instant::now();
    while service.get("/v1/jobs").await.status != 401 {
        assert!(started.elapsed() < std::time::Duration::from_secs(20));
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(status_with(service.port, KEY).await, 200);
}

#[tokio::test]
async fn on_a_public_address_without_keys_nothing_is_allowed() {
    // As after the only key was revoked: a forged Host header does not help.
    let service = service_with(|config| config.server.addr = "0.0.0.0:8080".parse().unwrap()).await;
    service.get("/v1/jobs").await.problem(401, "unauthorized");
}

#[tokio::test]
async fn an_unavailable_store_does_not_allow_access() {
    let service = service().await;
    service.store.close().await;
    assert_eq!(status_with(service.port, KEY).await, 503);
    assert_eq!(service.get("/v1/jobs").await.status, 503);
}

#[tokio::test]
async fn wrong_keys_are_throttled_and_a_valid_key_from_the_same_address_is_not() {
    let service = service_with(|config| config.server.api_keys = vec![Secret::new(OTHER)]).await;
    service.store.add_key(new_key("alice", KEY)).await.unwrap();
    let mut refused = None;
    for number in 0..200 {
        let value = format!("Bearer guess-number-{number}-of-many");
        let headers = [("authorization", value.as_str())];
        let reply = call(service.port, "GET", "/v1/jobs", &headers, "").await;
        if reply.status == 429 {
            refused = Some((number, reply));
            break;
        }
        reply.problem(401, "unauthorized");
    }
    let (number, reply) = refused.expect("the wrong keys were not throttled");
    assert!((10..=100).contains(&number), "after {number}");
    reply.problem(429, "too_many_wrong_keys");
    let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    // Neither key has been used before, and what is sent without a key is not a guess.
    assert_eq!(status_with(service.port, KEY).await, 200);
    assert_eq!(status_with(service.port, OTHER).await, 200);
    assert_eq!(service.get("/v1/jobs").await.status, 401);
    // The header of a client names no other client.
    let headers = [
        ("authorization", "Bearer one-more-guess-of-many"),
        ("x-forwarded-for", "203.0.113.77"),
    ];
    let reply = call(service.port, "GET", "/v1/jobs", &headers, "").await;
    reply.problem(429, "too_many_wrong_keys");
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_client_has_its_own_budget_of_wrong_keys() {
    let service = service_with(|config| {
        config.server.api_keys = vec![Secret::new(OTHER)];
        config.server.trusted_proxies = vec!["127.0.0.0/8".to_owned()];
    })
    .await;
    let guess = async |client: &str| {
        let headers = [
            ("authorization", "Bearer one-guess-of-very-many"),
            ("x-forwarded-for", client),
        ];
        let reply = call(service.port, "GET", "/v1/jobs", &headers, "").await;
        reply.status
    };
    let mut last = 0;
    for _ in 0..200 {
        last = guess("198.51.100.1, 203.0.113.5").await;
        if last == 429 {
            break;
        }
    }
    assert_eq!(last, 429);
    assert_eq!(guess("203.0.113.5, 203.0.113.6").await, 401);
    assert_eq!(guess("203.0.113.5").await, 429);
}

#[tokio::test]
async fn requests_of_foreign_web_pages_are_refused() {
    let service = service_with(|config| {
        config.server.allowed_origins = vec!["https://dashboard.example".to_owned()];
    })
    .await;
    for (origin, host, allowed) in [
        ("http://localhost:8080", "localhost:8080", true),
        ("http://LOCALHOST:8080", "localhost:8080", true),
        ("http://localhost", "localhost", true),
        ("http://localhost", "localhost:80", true),
        ("https://localhost", "localhost", true),
        ("https://dashboard.example", "localhost", true),
        ("http://dashboard.example", "localhost", false),
        ("https://dashboard.example:8443", "localhost", false),
        ("https://attacker.example", "localhost", false),
        ("http://localhost:3000", "localhost:8080", false),
        ("http://localhost:8080", "localhost", false),
        ("http://127.0.0.1", "localhost", false),
        ("null", "localhost", false),
        ("file://", "localhost", false),
        ("", "localhost", false),
        ("chrome-extension://localhost", "localhost", false),
    ] {
        let headers = [("origin", origin), ("host", host)];
        for (method, path) in [("GET", "/v1/jobs"), ("DELETE", "/v1/jobs/x")] {
            let reply = call(service.port, method, path, &headers, "").await;
            if allowed {
                assert_ne!(reply.status, 403, "{origin} {host}: {}", reply.body);
            } else {
                reply.problem(403, "origin_refused");
            }
        }
    }
    let json = ("content-type", "application/json");
    let foreign = [("origin", "https://attacker.example"), json];
    let body = "{\"url\": \"http://site.test/\"}";
    let reply = call(service.port, "POST", "/v1/crawl", &foreign, body).await;
    reply.problem(403, "origin_refused");
    let jobs = service.get("/v1/jobs").await.json();
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 0, "{jobs}");
}

#[tokio::test]
async fn a_reverse_proxy_that_replaces_the_host_names_it_in_a_header() {
    let service = service_with(|config| config.server.api_keys = vec![Secret::new(KEY)]).await;
    let key = format!("Bearer {KEY}");
    for (forwarded, status) in [("crawler.example", 200), ("other.example", 403)] {
        let headers = [
            ("authorization", key.as_str()),
            ("origin", "https://crawler.example"),
            ("host", "10.0.0.5:8080"),
            ("x-forwarded-host", forwarded),
        ];
        let reply = call(service.port, "GET", "/v1/jobs", &headers, "").await;
        assert_eq!(reply.status, status, "{}", reply.body);
    }
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_can_read_the_responses() {
    let page = "https://dashboard.example";
    let service = service_with(|config| {
        config.server.api_keys = vec![Secret::new(KEY)];
        config.server.allowed_origins = vec![page.to_owned()];
    })
    .await;
    // The browser asks first, without the key.
    let headers = [
        ("origin", page),
        ("access-control-request-method", "DELETE"),
    ];
    let reply = call(service.port, "OPTIONS", "/v1/jobs/x", &headers, "").await;
    assert_eq!(reply.status, 204, "{}", reply.body);
    let methods = reply.header("access-control-allow-methods").unwrap();
    assert!(methods.contains("DELETE"), "{methods}");
    for (key, status) in [(format!("Bearer {KEY}"), 200), (String::new(), 401)] {
        let headers = [("origin", page), ("authorization", key.as_str())];
        let reply = call(service.port, "GET", "/v1/jobs", &headers, "").await;
        assert_eq!(reply.status, status);
        assert_eq!(reply.header("access-control-allow-origin"), Some(page));
    }
}

#[tokio::test]
async fn an_expired_or_revoked_key_is_refused_with_its_own_message() {
    let service = service().await;
    let expired = NewKey {
        expires_in: Some(std::time::Duration::ZERO),
        ..new_key("alice", KEY)
    };
    service.store.add_key(expired).await.unwrap();
    let revoked = service.store.add_key(new_key("bob", OTHER)).await.unwrap();
    service.store.revoke_key(revoked.id).await.unwrap();
    let rotated = service.store.add_key(new_key("carol", REPLACED)).await;
    let rotation = KeyRotation {
        hash: KeyHash::of("the-secret-that-follows"),
        grace: std::time::Duration::ZERO,
        expires_in: None,
    };
    let rotated = service.store.rotate_key(rotated.unwrap().id, rotation);
    assert!(rotated.await.unwrap());
    for (key, message) in [
        (KEY, "the API key expired at 2"),
        (OTHER, "the API key was revoked at 2"),
        (
            REPLACED,
            "the secret of this API key was replaced, and this one is not valid since 2",
        ),
        ("unknown", "the API key is not valid"),
    ] {
        let value = format!("Bearer {key}");
        let headers = [("authorization", value.as_str())];
        let reply = call(service.port, "GET", "/v1/jobs", &headers, "").await;
        let problem = reply.problem(401, "unauthorized");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.starts_with(message), "{detail}");
    }
    // Only secrets that were never valid count as guesses, even for a client that has made too many.
    let statuses = async |key: &str| {
        let mut statuses = Vec::new();
        for _ in 0..50 {
            statuses.push(status_with(service.port, key).await);
        }
        statuses
    };
    for key in [KEY, OTHER, REPLACED] {
        assert_eq!(statuses(key).await, [401; 50]);
    }
    assert!(statuses("unknown").await.contains(&429));
    assert_eq!(statuses(REPLACED).await, [401; 50]);
}

/// The last use of a key is written without delaying its request.
#[tokio::test]
async fn the_last_use_of_a_key_is_stored() {
    let service = service().await;
    service.store.add_key(new_key("alice", KEY)).await.unwrap();
    assert_eq!(status_with(service.port, KEY).await, 200);
    let started = std::time::Instant::now();
    let used = async || service.store.keys().await.unwrap()[0].last_used_at;
    while used().await.is_none() {
        assert!(started.elapsed() < std::time::Duration::from_secs(20));
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// Keys of the configuration are users with a stable name.
#[tokio::test]
async fn keys_of_the_configuration_have_owners() {
    let keys = vec![Secret::new(KEY), Secret::new(OTHER)];
    let service = service_with(|config| config.server.api_keys = keys).await;
    for key in [KEY, OTHER] {
        let value = format!("Bearer {key}");
        let headers = [
            ("authorization", value.as_str()),
            ("content-type", "application/json"),
        ];
        let body = json!({"url": "https://example.org/"}).to_string();
        let created = call(service.port, "POST", "/v1/crawl", &headers, &body).await;
        assert_eq!(created.status, 202, "{}", created.body);
        let listed = call(service.port, "GET", "/v1/jobs", &headers, "")
            .await
            .json();
        let jobs = listed["jobs"].as_array().unwrap();
        assert_eq!(jobs.len(), 1);
        let digits = &blake3::hash(key.as_bytes()).to_hex()[..8];
        assert_eq!(jobs[0]["owner"], format!("config-{digits}"));
    }
}
