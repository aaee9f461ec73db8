//! The description, the docs page, health and metrics.

use serde_json::{Value, json};

use crate::client::call;
use crate::stage::{stage, stage_with};

#[tokio::test]
async fn the_description_names_what_is_served() {
    let stage = stage().await;
    let reply = stage.get("/openapi.json").await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    let described = reply.json();
    assert!(
        described["openapi"].as_str().unwrap().starts_with("3.1"),
        "{}",
        described["openapi"]
    );
    let paths = described["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 14);
    for (path, methods) in paths {
        let place = path.replace("{id}", "00000000-0000-7000-8000-000000000000");
        for (method, operation) in methods.as_object().unwrap() {
            let method = method.to_uppercase();
            let reply = call(stage.port, &method, &place, &[], "").await;
            assert_ne!(reply.status, 405, "{method} {path}");
            let code = reply.status.to_string();
            let known = operation["responses"].as_object().unwrap();
            assert!(
                known.contains_key(&code),
                "{method} {path} answers {code}, which it does not tell"
            );
            if reply.status == 404 {
                reply.problem(404, "job_not_found");
            }
        }
    }
    // Every reference leads somewhere.
    let text = described.to_string();
    for name in text.split("\"#/components/schemas/").skip(1) {
        let name = name.split('"').next().unwrap();
        assert!(
            described["components"]["schemas"][name].is_object(),
            "{name}"
        );
    }
}

#[test]
fn the_kept_description_is_the_one_in_the_code() {
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(kept).unwrap()).unwrap();
    let ours: Value = serde_json::from_str(&service::api::openapi_json()).unwrap();
    assert!(
        kept == ours,
        "docs/openapi.json is stale; run cargo xtask docs and commit it"
    );
}

#[tokio::test]
async fn the_docs_page_needs_nobody_else() {
    let stage = stage().await;
    let page = stage.get("/docs").await;
    assert_eq!(page.status, 200);
    assert!(
        page.header("content-security-policy")
            .unwrap()
            .contains("default-src 'none'")
    );
    for (path, media) in [
        ("/docs/page.js", "text/javascript"),
        ("/docs/page.css", "text/css"),
    ] {
        let file = stage.get(path).await;
        assert_eq!(file.status, 200);
        assert!(file.header("content-type").unwrap().starts_with(media));
        for text in [&page.body, &file.body] {
            assert!(
                !text.contains("//cdn") && !text.contains("http://") && !text.contains("unpkg")
            );
        }
        assert!(page.body.contains(path));
    }
    assert!(!page.body.contains("https://"));
}

#[tokio::test]
async fn health_readiness_and_numbers() {
    let stage = stage_with(|config| config.server.open_metrics = true).await;
    assert_eq!(stage.get("/healthz").await.json(), json!({"status": "ok"}));
    let ready = stage.get("/readyz").await.json();
    assert_eq!(
        ready,
        json!({"status": "ok", "store": "ok", "browser": "off"})
    );
    stage
        .made("/v1/crawl", &json!({"url": "https://example.org/"}))
        .await;
    let numbers = stage.get("/metrics").await;
    assert_eq!(numbers.status, 200);
    assert!(
        numbers
            .header("content-type")
            .unwrap()
            .starts_with("text/plain")
    );
    for line in [
        "crawler_tasks{type=\"crawl\",state=\"ready\"} 1",
        "crawler_tasks{type=\"map\",state=\"ready\"} 0",
        "crawler_open_jobs 1",
        "crawler_http_requests_total{method=\"POST\",route=\"/v1/crawl\",status=\"202\"}",
        "crawler_http_request_seconds_bucket{route=\"/readyz\"",
        "crawler_jobs_created_total{type=\"crawl\"}",
    ] {
        assert!(numbers.body.contains(line), "{line}:\n{}", numbers.body);
    }
    assert!(!numbers.body.contains("example.org"));
}

#[tokio::test]
async fn a_store_that_is_away_is_a_503_and_not_ready() {
    let stage = stage().await;
    stage.store.close().await;
    stage.get("/healthz").await.json();
    let reply = stage.get("/readyz").await;
    reply.problem(503, "not_ready");
    assert!(reply.header("retry-after").is_some());
    let reply = stage.get("/v1/jobs").await;
    assert!(reply.header("retry-after").is_some());
    reply.problem(503, "store_unavailable");
    let reply = stage
        .post("/v1/crawl", &json!({"url": "https://example.org/"}))
        .await;
    assert!(reply.header("retry-after").is_some());
    reply.problem(503, "store_unavailable");
}
