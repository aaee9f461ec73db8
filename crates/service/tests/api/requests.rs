//! Invalid requests and their error messages.

use serde_json::{Value, json};

use crate::client::{call, raw};
use crate::service::{service, service_with};

const PATHS: [&str; 4] = ["/v1/scrape", "/v1/batch/scrape", "/v1/crawl", "/v1/map"];

fn valid_body(path: &str) -> Value {
    match path {
        "/v1/batch/scrape" => json!({"urls": ["https://example.org/"]}),
        _ => json!({"url": "https://example.org/"}),
    }
}

#[tokio::test]
async fn invalid_fields_are_named() {
    let service = service().await;
    for path in PATHS {
        let mut body = valid_body(path);
        body["frobnicate"] = 1.into();
        service.post(path, &body).await.names_field("frobnicate");
        let mut body = valid_body(path);
        body["output_format"] = "pdf".into();
        service.post(path, &body).await.names_field("output_format");
        for value in [json!(true), json!("auto")] {
            let mut body = valid_body(path);
            body["use_js"] = value;
            let reply = service.post(path, &body).await;
            reply.problem(422, "use_js_unavailable");
            reply.names_field("use_js");
            assert!(reply.body.contains("browser.enabled"), "{}", reply.body);
        }
        let mut body = valid_body(path);
        body["use_js"] = "maybe".into();
        service.post(path, &body).await.names_field("use_js");
        let needed = if path == "/v1/batch/scrape" {
            "urls"
        } else {
            "url"
        };
        service.post(path, &json!({})).await.names_field(needed);
        let mut body = valid_body(path);
        body[needed] = 7.into();
        service.post(path, &body).await.names_field(needed);
        service
            .post(path, &json!([1]))
            .await
            .problem(422, "invalid_request");
    }
    // Fields of other endpoints are unknown.
    service
        .post(
            "/v1/scrape",
            &json!({"url": "https://example.org/", "max_depth": 1}),
        )
        .await
        .names_field("max_depth");
    service
        .post(
            "/v1/crawl",
            &json!({"url": "https://example.org/", "urls": []}),
        )
        .await
        .names_field("urls");
}

/// Fields that are nullable in the description may be null, which means the same as leaving them out.
#[tokio::test]
async fn null_is_the_same_as_missing() {
    let service = service().await;
    for path in PATHS {
        let mut body = valid_body(path);
        if path == "/v1/scrape" {
            // Rejected because of its address, not because of its fields.
            body["url"] = "http://127.0.0.1:9/".into();
        }
        body["output_format"] = Value::Null;
        body["use_js"] = Value::Null;
        let reply = service.post(path, &body).await;
        let status = if path == "/v1/scrape" { 403 } else { 202 };
        assert_eq!(reply.status, status, "{path}: {}", reply.body);
    }
}

#[tokio::test]
async fn robots_may_be_ignored_only_if_the_operator_allows_it() {
    let strict = service().await;
    let lenient = service_with(|config| config.crawl.allow_ignore_robots = true).await;
    // Ignoring it is then the default for all.
    let without = service_with(|config| config.crawl.respect_robots = false).await;
    for path in ["/v1/crawl", "/v1/map"] {
        let mut body = valid_body(path);
        body["robots"] = json!("ignore");
        let problem = strict
            .post(path, &body)
            .await
            .problem(403, "robots_required");
        assert_eq!(problem["pointer"], "/robots", "{problem}");
        for service in [&lenient, &without] {
            service.create(path, &body).await;
        }
        body["robots"] = json!("respect");
        strict.create(path, &body).await;
    }
    let jobs = strict.get("/v1/jobs").await.json();
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 2, "{jobs}");
}

#[tokio::test]
async fn values_out_of_range_are_rejected_with_the_range() {
    let service = service_with(|config| {
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
            ("traps", json!("maybe")),
            ("traps", json!(false)),
            ("robots", json!(true)),
            ("sitemaps", json!(1)),
        ] {
            let mut body = valid_body(path);
            body[field] = value;
            service.post(path, &body).await.names_field(field);
        }
    }
    // JSON has only one type of number.
    let body = json!({"url": "https://example.org/", "max_depth": 1.0, "max_pages": 5e1, "max_bytes": null});
    let reply = service.post("/v1/crawl", &body).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    let many: Vec<String> = (0..101)
        .map(|n| format!("https://example.org/{n}"))
        .collect();
    service
        .post("/v1/batch/scrape", &json!({"urls": many}))
        .await
        .names_field("urls");
    service
        .post("/v1/batch/scrape", &json!({"urls": []}))
        .await
        .names_field("urls");
}

#[tokio::test]
async fn invalid_urls_are_rejected() {
    let service = service().await;
    for url in [
        "",
        "example.org",
        "ftp://example.org/",
        "file:///etc/passwd",
        "http://",
        "javascript:1",
    ] {
        for path in ["/v1/scrape", "/v1/crawl", "/v1/map"] {
            let reply = service.post(path, &json!({"url": url})).await;
            reply.problem(422, "invalid_url");
            reply.names_field("url");
        }
    }
    let reply = service
        .post("/v1/batch/scrape", &json!({"urls": ["nonsense"]}))
        .await;
    let problem = reply.problem(422, "invalid_url");
    assert_eq!(problem["invalid_urls"][0]["url"], "nonsense");
}

#[tokio::test]
async fn invalid_bodies_are_rejected() {
    let service = service_with(|config| config.server.max_body_bytes = 1_000).await;
    let json_type = ("content-type", "application/json");
    for path in PATHS {
        for body in [
            "{",
            "{\"url\": }",
            "nope",
            "{\"url\":\"https://example.org/\"} x",
        ] {
            let reply = call(service.port, "POST", path, &[json_type], body).await;
            reply.problem(400, "invalid_json");
        }
        let deep = "[".repeat(900);
        call(service.port, "POST", path, &[json_type], &deep)
            .await
            .problem(400, "invalid_json");
        let long = format!("{{\"url\": \"https://example.org/{}\"}}", "a".repeat(1_000));
        call(service.port, "POST", path, &[json_type], &long)
            .await
            .problem(413, "body_too_large");
        let body = valid_body(path).to_string();
        for media in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data",
        ] {
            let headers = [("content-type", media)];
            let reply = call(service.port, "POST", path, &headers, &body).await;
            reply.problem(415, "unsupported_media_type");
        }
        call(service.port, "POST", path, &[], &body)
            .await
            .problem(415, "unsupported_media_type");
    }
    // A body without Content-Length that is too long.
    let chunk = format!("{:x}\r\n{}\r\n0\r\n\r\n", 2_000, " ".repeat(2_000));
    let request = format!(
        "POST /v1/scrape HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
         transfer-encoding: chunked\r\n\r\n{chunk}"
    );
    raw(service.port, request.as_bytes())
        .await
        .problem(413, "body_too_large");
}

#[tokio::test]
async fn unknown_paths_and_methods_are_rejected() {
    let service = service().await;
    for path in [
        "/",
        "/v1",
        "/v1/jobs/",
        "/v2/scrape",
        "/docs/nothing",
        "/v1/scrape/x",
    ] {
        service.get(path).await.problem(404, "not_found");
    }
    for path in PATHS {
        let reply = service.get(path).await;
        reply.problem(405, "method_not_allowed");
        assert_eq!(reply.header("allow"), Some("POST"), "{}", reply.head);
    }
    call(service.port, "PUT", "/v1/jobs", &[], "")
        .await
        .problem(405, "method_not_allowed");
}

#[tokio::test]
async fn the_request_id_of_a_client_is_used_if_it_is_safe() {
    let service = service().await;
    let port = service.port;
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
