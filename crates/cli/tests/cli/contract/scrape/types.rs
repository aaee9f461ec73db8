//! Responses that are not HTML: JSON is printed in a code block, text as is, other types are rejected.

use serde_json::Value;
use testsite::{Pages, Server, SiteResponse};

use crate::contract::run::crawler;

fn serving(content_type: &'static str, body: &[u8]) -> Server {
    Server::start(Pages::new().page("/x", SiteResponse::new(200, content_type, body.to_vec())))
}

#[test]
fn json_is_printed_in_a_code_block() {
    let body = b"{\"a\": [1, 2],\n \"tick\": \"```\"}";
    for content_type in ["application/json", "application/ld+json; charset=utf-8"] {
        let server = serving(content_type, body);
        let url = server.url("/x");
        let markdown = crawler(&["scrape", &url]).success();
        assert_eq!(
            markdown.stdout,
            "````json\n{\"a\": [1, 2],\n \"tick\": \"```\"}\n````\n"
        );
        let text = crawler(&["scrape", &url, "--format", "text"]).success();
        assert_eq!(text.stdout, "{\"a\": [1, 2],\n \"tick\": \"```\"}\n");
        let html = crawler(&["scrape", &url, "--format", "html"]).success();
        assert!(
            html.stdout
                .starts_with("<pre><code class=\"language-json\">{"),
            "{}",
            html.stdout
        );
        let json = crawler(&["scrape", &url, "--format", "json"]).success();
        let document: Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(document["content"], markdown.stdout);
        assert_eq!(document["title"], Value::Null);
        assert_eq!(document["links"], serde_json::json!([]));
        assert_eq!(document["meta"]["content_type"], content_type);
    }
}

#[test]
fn plain_text_is_printed_as_is() {
    let body = "# not a heading\n\n  two  spaces <b>&amp;\n";
    for content_type in ["text/plain", "text/markdown; charset=utf-8", "text/csv", ""] {
        let server = serving(content_type, body.as_bytes());
        let url = server.url("/x");
        for format in ["markdown", "text"] {
            assert_eq!(
                crawler(&["scrape", &url, "--format", format])
                    .success()
                    .stdout,
                body
            );
        }
        let html = crawler(&["scrape", &url, "--format", "html"]).success();
        assert_eq!(
            html.stdout,
            "<pre># not a heading\n\n  two  spaces &lt;b&gt;&amp;amp;\n</pre>\n"
        );
    }
}

#[test]
fn a_page_without_a_type_is_recognized_by_its_first_bytes() {
    let server = serving(
        "",
        b"<!doctype html><title>Known</title><p>Words that a reader came for.",
    );
    let ended = crawler(&["scrape", &server.url("/x")]).success();
    assert!(
        ended.stdout.starts_with("# Known\n\nWords"),
        "{}",
        ended.stdout
    );
}

#[test]
fn other_types_are_named_and_rejected() {
    for (content_type, body, what) in [
        (
            "application/pdf",
            b"%PDF-1.7".as_slice(),
            "a PDF document, sent as application/pdf",
        ),
        (
            "image/png",
            b"\x89PNG\r\n\x1a\n",
            "an image, sent as image/png",
        ),
        ("video/mp4", b"....ftyp", "a video, sent as video/mp4"),
        (
            "application/zip",
            b"PK\x03\x04",
            "an archive, sent as application/zip",
        ),
        ("text/css", b"p {}", "a style sheet, sent as text/css"),
        (
            "application/xml",
            b"<a/>",
            "an XML document, sent as application/xml",
        ),
        // The declared type is wrong.
        (
            "text/html",
            b"%PDF-1.7\n",
            "a PDF document, sent as text/html",
        ),
        (
            "text/plain",
            b"\x89PNG\r\n\x1a\n",
            "a PNG image, sent as text/plain",
        ),
        ("text/plain", b"a\0b", "binary data, sent as text/plain"),
    ] {
        let server = serving(content_type, body);
        let url = server.url("/x");
        let ended = crawler(&["scrape", &url]);
        assert_eq!(ended.code, Some(1), "{content_type}");
        assert_eq!(ended.stdout, "");
        let message = format!("error: {url} is {what}; only HTML, plain text and JSON are read");
        assert!(ended.stderr.starts_with(&message), "{}", ended.stderr);
        let json = crawler(&["scrape", &url, "--format", "json"]);
        let object: Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(object["url"], url);
        assert_eq!(object["error_kind"], "not_text");
        assert!(object["error"].as_str().unwrap().contains(what));
    }
}

#[test]
fn an_image_is_not_downloaded() {
    let server = Server::start(Pages::new().page(
        "/x",
        SiteResponse::new(200, "image/png", vec![0; 20_000_000]),
    ));
    assert_eq!(crawler(&["scrape", &server.url("/x")]).code, Some(1));
    assert!(
        server.bytes_sent("/x") < 10_000_000,
        "{}",
        server.bytes_sent("/x")
    );
}

#[test]
fn an_empty_page_is_an_empty_document() {
    for (response, content) in [
        (SiteResponse::status(204), ""),
        (SiteResponse::html(""), ""),
        (
            SiteResponse::html("<title>Only a title</title>"),
            "# Only a title\n",
        ),
        (SiteResponse::text(""), ""),
    ] {
        let server = Server::start(Pages::new().page("/x", response));
        let ended = crawler(&["scrape", &server.url("/x")]).success();
        assert_eq!(ended.stdout, content);
    }
}

#[test]
fn an_error_status_takes_precedence_over_an_unsupported_type() {
    for content_type in ["image/png", "application/xml"] {
        let page = SiteResponse::new(404, content_type, b"<Error/>".to_vec());
        let server = Server::start(Pages::new().page("/x", page));
        let url = server.url("/x");
        let ended = crawler(&["scrape", &url]);
        let message = format!("error: Failed to fetch {url}: not found (404) [dead link]\n");
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(1), message.as_str())
        );
    }
}

#[test]
fn a_page_without_text_prints_a_hint() {
    let shell = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>";
    let server = Server::start(Pages::new().html("/", shell));
    let ended = crawler(&["scrape", &server.url("/")]).success();
    assert_eq!(ended.stdout, "# App\n");
    assert!(
        ended
            .stderr
            .contains("has no text to print; it may need JavaScript"),
        "{}",
        ended.stderr
    );
}
