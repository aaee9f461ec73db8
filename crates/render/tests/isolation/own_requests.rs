//! The browser makes no requests of its own.

use std::collections::BTreeSet;

use crawler_fetch::{Guard, HttpFetch};
use crawler_render::RenderSettings;
use testsite::{Proxy, Request, Server, SiteResponse};

use crate::renderers::{page, renderer_over, rules};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_page_causes_requests() {
    let site = Server::start(|request: &Request| match request.path() {
        "/" => SiteResponse::html(
            "<!doctype html><title>t</title><link rel=stylesheet href=/style.css><script src=/app.js></script><p>",
        ),
        "/style.css" => SiteResponse::new(200, "text/css", "p { color: red }"),
        "/app.js" => SiteResponse::new(200, "text/javascript", "fetch('/data.json')"),
        "/data.json" => SiteResponse::new(200, "application/json", "{}"),
        _ => SiteResponse::status(404),
    });
    // All requests go through this proxy, whatever their host.
    let proxy = Proxy::start_routed(site.addr());
    let mut rules = rules();
    rules.proxies = vec![proxy.url()];
    let http = HttpFetch::new(&rules, 4, Guard::anywhere(), crawler_html::looks_like_html).unwrap();
    let renderer = renderer_over(http, RenderSettings::default());
    let got = page(&renderer, "http://example.org/").await.unwrap();
    assert_eq!(got.status, 200);
    renderer.close().await;
    let targets: Vec<String> = proxy
        .hits()
        .into_iter()
        .map(|hit| hit.path_and_query)
        .collect();
    let expected = ["/", "/app.js", "/data.json", "/style.css"];
    let requested: BTreeSet<&str> = targets.iter().map(String::as_str).collect();
    let expected_urls: Vec<String> = expected
        .iter()
        .map(|path| format!("http://example.org{path}"))
        .collect();
    assert_eq!(requested.into_iter().collect::<Vec<_>>(), expected_urls);
    assert_eq!(targets.len(), expected.len(), "{targets:?}");
    let seen: Vec<(String, u64)> = site.counts();
    let once: Vec<(String, u64)> = expected
        .iter()
        .map(|path| ((*path).to_owned(), 1))
        .collect();
    assert_eq!(seen, once);
    let numbers = renderer.numbers();
    assert_eq!((numbers.strays, numbers.refused), (0, 0), "{numbers:?}");
}
