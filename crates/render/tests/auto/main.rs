//! The decision over real sockets: which sites are sent to the browser, and what it costs them.

#![expect(clippy::unwrap_used, reason = "a test's own steps may stop it")]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fetch::{Body, Fetch, FetchRequest, Fetched, Guard, HttpFetch, Want};
use model::{FailKind, Failure, JsPolicy, RenderReason, Rendering, ScrapePlan, ScrapeSpec};
use render::{Chromium, Escalating, RenderSettings, Renderer};
use testsite::spa::{APPLICATIONS, Applications, Routed};
use testsite::{Graph, Realistic, Server};
use weburl::CrawlUrl;

/// Stands where the browser would, and writes down what it is asked for.
#[derive(Default)]
struct Recorder {
    asked: Mutex<BTreeSet<String>>,
}

impl Fetch for Recorder {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let mut asked = self.asked.lock().unwrap();
        asked.insert(request.url.as_str().to_owned());
        Err(Failure::new(FailKind::Browser, "only a recorder"))
    }
}

fn http() -> Arc<HttpFetch> {
    let plan = ScrapePlan::resolve(&ScrapeSpec::default(), "crawler/test").unwrap();
    let guard = Guard::anywhere();
    Arc::new(HttpFetch::new(&plan.fetch, 8, guard, html::looks_like_html).unwrap())
}

fn escalating<R: Fetch>(http: Arc<HttpFetch>, renderer: Arc<R>) -> Escalating<HttpFetch, R> {
    Escalating::new(
        http,
        Ok(renderer),
        html::render_need,
        html::rendering_helped,
    )
}

async fn auto<R: Fetch>(fetch: &Escalating<HttpFetch, R>, url: &str) -> Fetched {
    let url = CrawlUrl::parse(url).unwrap();
    let request = FetchRequest {
        js: JsPolicy::Auto,
        ..FetchRequest::new(&url, Want::Page)
    };
    fetch.fetch(request).await.unwrap()
}

#[tokio::test]
async fn every_application_is_sent_to_the_browser() {
    let recorder = Arc::new(Recorder::default());
    let fetch = escalating(http(), Arc::clone(&recorder));
    let server = Server::start(Applications);
    let urls = APPLICATIONS.map(|application| server.url(application.path));
    for url in &urls {
        let answer = auto(&fetch, url).await;
        // the recorder renders nothing: what came by HTTP is the answer
        assert_eq!(
            answer.rendering,
            Some(Rendering::not(RenderReason::BrowserFailed)),
            "{url}"
        );
        assert!(matches!(answer.body, Body::Html(_)));
    }
    let landed = auto(&fetch, &server.url("/landed/anywhere")).await;
    assert_eq!(
        landed.rendering,
        Some(Rendering::not(RenderReason::Readable))
    );
    let asked = recorder.asked.lock().unwrap();
    assert_eq!(*asked, BTreeSet::from(urls));
}

#[tokio::test]
async fn a_site_of_a_thousand_plain_pages_costs_no_browser() {
    let recorder = Arc::new(Recorder::default());
    let fetch = escalating(http(), Arc::clone(&recorder));
    let graph = Graph::new(1_000);
    let server = Server::start(graph.site());
    for url in graph.urls(server.url("/").trim_end_matches('/')) {
        let answer = auto(&fetch, &url).await;
        assert_eq!(
            answer.rendering,
            Some(Rendering::not(RenderReason::Readable)),
            "{url}"
        );
    }
    let realistic = Server::start(Realistic::default());
    let answer = auto(&fetch, &realistic.url("/")).await;
    assert_eq!(
        answer.rendering,
        Some(Rendering::not(RenderReason::Readable))
    );
    assert_eq!(*recorder.asked.lock().unwrap(), BTreeSet::new());
}

/// A client-routed site, followed by its links in a real browser: all of it is found, and HTTP is asked for the first
/// three pages and for every twentieth after them.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_routed_site_is_found_whole() {
    let site = Routed::new(45);
    let server = Server::start(site.clone());
    let chromium = Chromium::find(None).expect("this test needs a Chromium");
    let settings = RenderSettings {
        nav_timeout: Duration::from_secs(20),
        ..RenderSettings::default()
    };
    let http = http();
    let renderer = Renderer::new(chromium, settings, Arc::clone(&http));
    let fetch = escalating(http, Arc::clone(&renderer));
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut seen = BTreeSet::from(["/".to_owned()]);
    let mut queue = VecDeque::from(["/".to_owned()]);
    while let Some(path) = queue.pop_front() {
        let answer = auto(&fetch, &server.url(&path)).await;
        let rendering = answer.rendering.unwrap();
        assert!(rendering.rendered, "{path}: {rendering:?}");
        *reasons.entry(rendering.reason.as_str()).or_default() += 1;
        let Body::Html(body) = &answer.body else {
            panic!("{path}: {answer:?}");
        };
        let text = String::from_utf8_lossy(body);
        assert!(text.contains(&site.text(&path).unwrap()), "{path}: {text}");
        let mut links = Vec::new();
        html::scan_links(body, encoding_rs::UTF_8, |found| {
            if let html::Found::Link(link) = found {
                links.push(link.href.to_owned());
            }
        });
        assert_eq!(links, site.links(&path), "{path}");
        queue.extend(links.into_iter().filter(|link| seen.insert(link.clone())));
    }
    renderer.close().await;
    assert_eq!(seen, site.pages().into_iter().collect());
    assert_eq!(
        reasons,
        BTreeMap::from([("empty_root", 5), ("host_needs", 40)])
    );
}
