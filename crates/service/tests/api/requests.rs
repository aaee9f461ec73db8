//! What callers get wrong, and what is said about it.

use serde_json::{Value, json};

use crate::client::{call, raw};
use crate::stage::{stage, stage_with};

const PATHS: [&str; 4] = ["/v1/scrape", "/v1/batch/scrape", "/v1/crawl", "/v1/map"];

fn good(path: &str) -> Value {
    match path {
        "/v1/batch/scrape" => json!({"urls": ["https://example.org/"]}),
        _ => json!({"url": "https://example.org/"}),
    }
}

#[tokio::test]
async fn fields_at_fault_are_named() {
    let stage = stage().await;
    for path in PATHS {
        let mut body = good(path);
        body["frobnicate"] = 1.into();
        stage.post(path, &body).await.blames("frobnicate");
        let mut body = good(path);
        body["output_format"] = "pdf".into();
        stage.post(path, &body).await.blames("output_format");
        for value in [json!(true), json!("auto")] {
            let mut body = good(path);
            body["use_js"] = value;
            let reply = stage.post(path, &body).await;
            reply.problem(422, "use_js_unavailable");
            reply.blames("use_js");
            assert!(reply.body.contains("browser.enabled"), "{}", reply.body);
        }
        let mut body = good(path);
        body["use_js"] = "maybe".into();
        stage.post(path, &body).await.blames("use_js");
        let needed = if path == "/v1/batch/scrape" {
            "urls"
        } else {
            "url"
        };
        stage.post(path, &json!({})).await.blames(needed);
        let mut body = good(path);
        body[needed] = 7.into();
        stage.post(path, &body).await.blames(needed);
        stage
            .post(path, &json!([1]))
            .await
            .problem(422, "invalid_request");
    }
    // A field of another endpoint is as unknown as any.
    stage
        .post(
            "/v1/scrape",
            &json!({"url": "https://example.org/", "max_depth": 1}),
        )
        .await
        .blames("max_depth");
    stage
        .post(
            "/v1/crawl",
            &json!({"url": "https://example.org/", "urls": []}),
        )
        .await
        .blames("urls");
}

/// What the description calls nullable may be null, everywhere alike: as if it were left out.
#[tokio::test]
async fn null_is_as_good_as_nothing() {
    let stage = stage().await;
    for path in PATHS {
        let mut body = good(path);
        if path == "/v1/scrape" {
            // Refused for its address and not for its fields.
            body["url"] = "http://127.0.0.1:9/".into();
        }
        body["output_format"] = Value::Null;
        body["use_js"] = Value::Null;
        let reply = stage.post(path, &body).await;
        let status = if path == "/v1/scrape" { 403 } else { 202 };
        assert_eq!(reply.status, status, "{path}: {}", reply.body);
    }
}

#[tokio::test]
async fn values_out_of_range_are_told_with_the_range() {
    let stage = stage_with(|config| {
        config.jobs.max_depth = 5;
        config.jobs.max_tasks = 100;
    })
    .await;
    for path in ["/v1/crawl", "/v1/map"] {
        for (field, value) in [
            ("max_depth", json!(6)),
            ("max_depth", json!(-1)),
            ("max_depth", json!("2")),
            ("max_pages", json!(0)),
            ("max_pages", json!(101)),
            ("max_duration", json!(0)),
            ("max_bytes", json!(0)),
            ("same_domain", json!("yes")),
            ("include", json!(["("])),
            ("exclude", json!("a")),
            ("robots", json!("sometimes")),
            ("sitemaps", json!("all")),
            ("ignore_query", json!(1)),
        ] {
            let mut body = good(path);
            body[field] = value;
            stage.post(path, &body).await.blames(field);
        }
    }
    // JSON knows one kind of number.
    let body = json!({"url": "https://example.org/", "max_depth": 1.0, "max_pages": 5e1, "max_bytes": null});
    let reply = stage.post("/v1/crawl", &body).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    let many: Vec<String> = (0..101)
        .map(|n| format!("https://example.org/{n}"))
        .collect();
    stage
        .post("/v1/batch/scrape", &json!({"urls": many}))
        .await
        .blames("urls");
    stage
        .post("/v1/batch/scrape", &json!({"urls": []}))
        .await
        .blames("urls");
}

#[tokio::test]
async fn bad_urls() {
    let stage = stage().await;
    for url in [
        "",
        "example.org",
        "ftp://example.org/",
        "file:///etc/passwd",
        "http://",
        "javascript:1",
    ] {
        for path in ["/v1/scrape", "/v1/crawl", "/v1/map"] {
            let reply = stage.post(path, &json!({"url": url})).await;
            reply.problem(422, "invalid_url");
            reply.blames("url");
        }
    }
    let reply = stage
        .post("/v1/batch/scrape", &json!({"urls": ["nonsense"]}))
        .await;
    let problem = reply.problem(422, "invalid_url");
    assert_eq!(problem["invalid_urls"][0]["url"], "nonsense");
}

#[tokio::test]
async fn bodies_that_are_not_json() {
    let stage = stage_with(|config| config.server.max_body_bytes = 1_000).await;
    let json_type = ("content-type", "application/json");
    for path in PATHS {
        for body in [
            "{",
            "{\"url\": }",
            "nope",
            "{\"url\":\"https://example.org/\"} x",
        ] {
            let reply = call(stage.port, "POST", path, &[json_type], body).await;
            reply.problem(400, "invalid_json");
        }
        let deep = "[".repeat(900);
        call(stage.port, "POST", path, &[json_type], &deep)
            .await
            .problem(400, "invalid_json");
        let long = format!("{{\"url\": \"https://example.org/{}\"}}", "a".repeat(1_000));
        call(stage.port, "POST", path, &[json_type], &long)
            .await
            .problem(413, "body_too_large");
        let body = good(path).to_string();
        for media in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data",
        ] {
            let headers = [("content-type", media)];
            let reply = call(stage.port, "POST", path, &headers, &body).await;
            reply.problem(415, "unsupported_media_type");
        }
        call(stage.port, "POST", path, &[], &body)
            .await
            .problem(415, "unsupported_media_type");
    }
    // A body that does not say how long it is, and is too long.
    let chunk = format!("{:x}\r\n{}\r\n0\r\n\r\n", 2_000, " ".repeat(2_000));
    let request = format!(
        "POST /v1/scrape HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
         transfer-encoding: chunked\r\n\r\n{chunk}"
    );
    raw(stage.port, request.as_bytes())
        .await
        .problem(413, "body_too_large");
}

#[tokio::test]
async fn paths_and_methods_that_are_not_there() {
    let stage = stage().await;
    for path in [
        "/",
        "/v1",
        "/v1/jobs/",
        "/v2/scrape",
        "/docs/nothing",
        "/v1/scrape/x",
    ] {
        stage.get(path).await.problem(404, "not_found");
    }
    for path in PATHS {
        let reply = stage.get(path).await;
        reply.problem(405, "method_not_allowed");
        assert_eq!(reply.header("allow"), Some("POST"), "{}", reply.head);
    }
    call(stage.port, "PUT", "/v1/jobs", &[], "")
        .await
        .problem(405, "method_not_allowed");
}

#[tokio::test]
async fn request_ids_are_ours_unless_the_callers_is_harmless() {
    let stage = stage().await;
    let port = stage.port;
    let sent = async |id: &str| {
        let reply = call(port, "GET", "/healthz", &[("x-request-id", id)], "").await;
        reply.header("x-request-id").unwrap().to_owned()
    };
    assert_eq!(sent("abc-123_x.y").await, "abc-123_x.y");
    let long = "a".repeat(65);
    for id in ["a b", "\"quoted\"", &long] {
        assert_eq!(sent(id).await.len(), 36, "{id}");
    }
}
