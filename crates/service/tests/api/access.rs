//! Who may call, and where the service listens.

use serde_json::json;
use service::api::check_posture;
use service::config::{Config, Secret};

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

#[test]
fn without_a_key_the_service_listens_on_loopback_only() {
    let mut config = Config::default();
    assert_eq!(check_posture(&config), Ok(()));
    for addr in ["0.0.0.0:8080", "[::]:8080", "192.168.1.5:80"] {
        config.server.addr = addr.parse().unwrap();
        let words = check_posture(&config).unwrap_err();
        for part in [addr, "server.api_keys", "127.0.0.1:", "openssl rand"] {
            assert!(words.contains(part), "{words}");
        }
    }
    config.server.api_keys = vec![Secret::new(KEY)];
    assert_eq!(check_posture(&config), Ok(()));
}
