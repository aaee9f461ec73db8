//! The browser says nothing of its own accord.

use std::collections::BTreeSet;

use fetch::{Guard, HttpFetch};
use render::RenderSettings;
use testsite::{Answer, Proxy, Request, Server};

use crate::stage::{over, page, rules};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_and_a_page_cause_no_request_but_the_pages() {
    let site = Server::start(|request: &Request| match request.path() {
        "/" => Answer::html(
            "<!doctype html><title>t</title><link rel=stylesheet href=/style.css><script src=/app.js></script><p>",
        ),
        "/style.css" => Answer::new(200, "text/css", "p { color: red }"),
        "/app.js" => Answer::new(200, "text/javascript", "fetch('/data.json')"),
        "/data.json" => Answer::new(200, "application/json", "{}"),
        _ => Answer::status(404),
    });
    // Whatever leaves us, leaves by this proxy, whichever host it is for.
    let way_out = Proxy::start_routed(site.addr());
    let mut rules = rules();
    rules.proxies = vec![way_out.url()];
    let http = HttpFetch::new(&rules, 4, Guard::anywhere(), html::looks_like_html).unwrap();
    let renderer = over(http, RenderSettings::default());
    let got = page(&renderer, "http://example.org/").await.unwrap();
    assert_eq!(got.status, 200);
    renderer.close().await;
    let left: Vec<String> = way_out
        .hits()
        .into_iter()
        .map(|hit| hit.path_and_query)
        .collect();
    let expected = ["/", "/app.js", "/data.json", "/style.css"];
    let told: BTreeSet<&str> = left.iter().map(String::as_str).collect();
    let wanted: Vec<String> = expected
        .iter()
        .map(|path| format!("http://example.org{path}"))
        .collect();
    assert_eq!(told.into_iter().collect::<Vec<_>>(), wanted);
    assert_eq!(left.len(), expected.len(), "{left:?}");
    let seen: Vec<(String, u64)> = site.counts();
    let once: Vec<(String, u64)> = expected
        .iter()
        .map(|path| ((*path).to_owned(), 1))
        .collect();
    assert_eq!(seen, once);
    let numbers = renderer.numbers();
    assert_eq!((numbers.strays, numbers.refused), (0, 0), "{numbers:?}");
}
