//! `POST /v1/scrape`.

use std::time::Duration;

use serde_json::json;

use crate::service::{service, service_with};
use crate::site::{Site, moved, page, response};

const PAGE: &str = "<html lang=en><title>A title</title><body><main><h1>Hello</h1>\
                    <p>Some <b>bold</b> words that a reader came for.</p></main></body></html>";

async fn site() -> Site {
    Site::start(|path| match path {
        "/" => page(PAGE),
        "/moved" => moved("/"),
        "/loop" => moved("/loop"),
        "/gone" => response(
            "404 Not Found",
            "text/html",
            "<title>Nothing</title><p>Gone",
        ),
        "/pdf" => response("200 OK", "application/pdf", "%PDF-1.7"),
        "/hang-up" => String::new(),
        "/never" => "never".to_owned(),
        "/robots.txt" => response("200 OK", "text/plain", "User-agent: *\nDisallow: /secret"),
        _ => response("404 Not Found", "text/plain", "no"),
    })
    .await
}

#[tokio::test]
async fn without_the_render_process_a_scrape_is_503_and_does_not_blame_the_site() {
    let site = site().await;
    let service = service_with(|config| {
        config.browser.enabled = true;
        config.browser.socket = Some("/nowhere/at/all/render.sock".into());
        config.worker.max_attempts = 3;
    })
    .await;
    let body = json!({"url": site.url("/"), "use_js": true});
    let reply = service.post("/v1/scrape", &body).await;
    let problem = reply.problem(503, "browser_unavailable");
    assert_eq!(problem["kind"], "browser_unavailable");
    assert_eq!(reply.header("retry-after"), Some("5"));
    let ready = service.get("/readyz").await;
    assert_eq!(ready.json()["browser"], "down");
    for reply in [reply, ready] {
        assert!(!reply.body.contains("nowhere"), "{}", reply.body);
    }
    // It is not needed for all pages.
    let body = json!({"url": site.url("/"), "use_js": false});
    assert_eq!(service.post("/v1/scrape", &body).await.status, 200);
}

#[tokio::test]
async fn a_page_is_returned_in_each_format_with_its_meta() {
    let (service, site) = (service().await, site().await);
    for (format, expected) in [
        (None, "Some **bold** words"),
        (Some("markdown"), "# Hello"),
        (Some("html"), "<b>bold</b>"),
        (Some("text"), "Some bold words"),
    ] {
        let mut body = json!({"url": site.url("/moved")});
        if let Some(format) = format {
            body["output_format"] = format.into();
            body["use_js"] = false.into();
        }
        let reply = service.post("/v1/scrape", &body).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        let scraped = reply.json();
        assert_eq!(scraped["url"], site.url("/"));
        assert_eq!(scraped["title"], "A title");
        assert!(
            scraped["content"].as_str().unwrap().contains(expected),
            "{scraped}"
        );
        assert_eq!(scraped["meta"]["status_code"], 200);
        assert_eq!(scraped["meta"]["rendered"], false);
        assert_eq!(scraped["meta"]["language"], "en");
        assert!(scraped["meta"]["fetched_at"].is_string());
    }
}

#[tokio::test]
async fn a_targets_404_is_still_a_page() {
    let (service, site) = (service().await, site().await);
    let reply = service
        .post("/v1/scrape", &json!({"url": site.url("/gone")}))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.json()["meta"]["status_code"], 404);
    assert_eq!(reply.json()["title"], "Nothing");
}

#[tokio::test]
async fn each_failure_of_a_target_has_its_own_code() {
    let site = site().await;
    let service = service_with(|config| config.http.timeout = Duration::from_millis(500)).await;
    for (path, status, code, kind) in [
        ("/hang-up", 502, "fetch_failed", "reset"),
        ("/loop", 502, "fetch_failed", "too_many_redirects"),
        ("/never", 504, "fetch_timeout", "timeout"),
    ] {
        let reply = service
            .post("/v1/scrape", &json!({"url": site.url(path)}))
            .await;
        assert_eq!(reply.problem(status, code)["kind"], kind, "{path}");
    }
    let reply = service
        .post("/v1/scrape", &json!({"url": "http://nowhere.test/"}))
        .await;
    assert_eq!(reply.problem(502, "fetch_failed")["kind"], "dns");
    let reply = service
        .post("/v1/scrape", &json!({"url": site.url("/pdf")}))
        .await;
    assert!(
        reply.problem(422, "not_text")["detail"]
            .as_str()
            .unwrap()
            .contains("PDF")
    );
    let reply = service
        .post("/v1/scrape", &json!({"url": site.url("/secret")}))
        .await;
    let problem = reply.problem(403, "blocked_by_robots");
    assert!(
        !problem["detail"].as_str().unwrap().contains("--robots"),
        "{problem}"
    );
}

#[tokio::test]
async fn request_timeout_limits_a_scrape() {
    let site = site().await;
    let service = service_with(|config| {
        config.server.request_timeout = Duration::from_secs(1);
        config.http.timeout = Duration::from_mins(1);
    })
    .await;
    let reply = service
        .post("/v1/scrape", &json!({"url": site.url("/never")}))
        .await;
    reply.problem(504, "fetch_timeout");
}
