//! The OpenAPI description, the docs page, health checks and metrics.

use serde_json::{Value, json};

use crate::client::call;
use crate::service::{service, service_with};

#[tokio::test]
async fn the_description_matches_the_routes() {
    let service = service().await;
    let reply = service.get("/openapi.json").await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    let described = reply.json();
    assert!(
        described["openapi"].as_str().unwrap().starts_with("3.1"),
        "{}",
        described["openapi"]
    );
    let paths = described["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 15);
    for (path, methods) in paths {
        let job_path = path.replace("{id}", "00000000-0000-7000-8000-000000000000");
        for (method, operation) in methods.as_object().unwrap() {
            let method = method.to_uppercase();
            let reply = call(service.port, &method, &job_path, &[], "").await;
            assert_ne!(reply.status, 405, "{method} {path}");
            let code = reply.status.to_string();
            let known = operation["responses"].as_object().unwrap();
            assert!(
                known.contains_key(&code),
                "{method} {path} returns {code}, which is not described"
            );
            if reply.status == 404 {
                reply.problem(404, "job_not_found");
            }
        }
    }
    // Every reference is defined.
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
fn the_committed_description_is_up_to_date() {
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let committed: Value =
        serde_json::from_str(&std::fs::read_to_string(committed).unwrap()).unwrap();
    let generated: Value = serde_json::from_str(&crawler_service::api::openapi_json()).unwrap();
    assert!(
        committed == generated,
        "docs/openapi.json is stale; run cargo xtask docs and commit it"
    );
}

#[tokio::test]
async fn the_docs_page_loads_nothing_from_other_hosts() {
    let service = service().await;
    let page = service.get("/docs").await;
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
        let file = service.get(path).await;
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
async fn health_checks_and_metrics() {
    let service = service_with(|config| config.server.open_metrics = true).await;
    assert_eq!(
        service.get("/healthz").await.json(),
        json!({"status": "ok"})
    );
    let ready = service.get("/readyz").await.json();
    assert_eq!(
        ready,
        json!({"status": "ok", "store": "ok", "browser": "off"})
    );
    service
        .create("/v1/crawl", &json!({"url": "https://example.org/"}))
        .await;
    let metrics = service.get("/metrics").await;
    assert_eq!(metrics.status, 200);
    assert!(
        metrics
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
        assert!(metrics.body.contains(line), "{line}:\n{}", metrics.body);
    }
    assert!(!metrics.body.contains("example.org"));
}

#[tokio::test]
async fn an_unavailable_store_is_a_503_and_not_ready() {
    let service = service().await;
    service.store.close().await;
    service.get("/healthz").await.json();
    let reply = service.get("/readyz").await;
    reply.problem(503, "not_ready");
    assert!(reply.header("retry-after").is_some());
    let reply = service.get("/v1/jobs").await;
    assert!(reply.header("retry-after").is_some());
    reply.problem(503, "store_unavailable");
    let reply = service
        .post("/v1/crawl", &json!({"url": "https://example.org/"}))
        .await;
    assert!(reply.header("retry-after").is_some());
    reply.problem(503, "store_unavailable");
}
