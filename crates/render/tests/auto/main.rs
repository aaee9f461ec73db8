//! The escalation decision over real sockets: which pages are rendered.

#![expect(clippy::unwrap_used, reason = "a failing step should fail the test")]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_fetch::{Accept, Body, Fetch, FetchRequest, Fetched, Guard, HttpFetch};
use crawler_model::{
    FailKind, Failure, JsPolicy, RenderReason, Rendering, RequestSpec, ScrapePlan,
};
use crawler_render::{Chromium, EscalatingFetch, RenderSettings, Renderer};
use crawler_weburl::CrawlUrl;
use testsite::spa::{APPLICATIONS, Applications, ClientRoutedSite};
use testsite::{Graph, Realistic, Server};

/// A replacement for the browser that records the requested URLs.
#[derive(Default)]
struct RecordingFetch {
    requested: Mutex<BTreeSet<String>>,
}

impl Fetch for RecordingFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let mut requested = self.requested.lock().unwrap();
        requested.insert(request.url.as_str().to_owned());
        Err(Failure::new(FailKind::Browser, "recorded only"))
    }
}

fn http() -> Arc<HttpFetch> {
    let plan = ScrapePlan::resolve(&RequestSpec::default(), "crawler/test").unwrap();
    let guard = Guard::anywhere();
    Arc::new(HttpFetch::new(&plan.fetch, 8, guard, crawler_html::looks_like_html).unwrap())
}

fn escalating_fetch<R: Fetch>(
    http: Arc<HttpFetch>,
    renderer: Arc<R>,
) -> EscalatingFetch<HttpFetch, R> {
    EscalatingFetch::new(
        http,
        Ok(renderer),
        crawler_html::render_need,
        crawler_html::rendering_helped,
    )
}

async fn auto<R: Fetch>(fetch: &EscalatingFetch<HttpFetch, R>, url: &str) -> Fetched {
    let url = CrawlUrl::parse(url).unwrap();
    let request = FetchRequest {
        js: JsPolicy::Auto,
        ..FetchRequest::new(&url, Accept::Page)
    };
    fetch.fetch(request).await.unwrap()
}

#[tokio::test]
async fn every_application_is_sent_to_the_browser() {
    let recorder = Arc::new(RecordingFetch::default());
    let fetch = escalating_fetch(http(), Arc::clone(&recorder));
    let server = Server::start(Applications);
    let urls = APPLICATIONS.map(|application| server.url(application.path));
    for url in &urls {
        let response = auto(&fetch, url).await;
        // The recorder renders nothing, so the HTTP response is returned.
        let rendering = response.rendering.unwrap();
        let tried = Rendering {
            browser_time: rendering.browser_time,
            ..Rendering::not(RenderReason::BrowserFailed)
        };
        assert_eq!(rendering, tried, "{url}");
        assert!(matches!(response.body, Body::Html(_)));
    }
    let plain = auto(&fetch, &server.url("/landed/anywhere")).await;
    assert_eq!(
        plain.rendering,
        Some(Rendering::not(RenderReason::Readable))
    );
    let requested = recorder.requested.lock().unwrap();
    assert_eq!(*requested, BTreeSet::from(urls));
}

#[tokio::test]
async fn a_site_of_a_thousand_plain_pages_needs_no_browser() {
    let recorder = Arc::new(RecordingFetch::default());
    let fetch = escalating_fetch(http(), Arc::clone(&recorder));
    let graph = Graph::new(1_000);
    let server = Server::start(graph.site());
    for url in graph.urls(server.url("/").trim_end_matches('/')) {
        let response = auto(&fetch, &url).await;
        assert_eq!(
            response.rendering,
            Some(Rendering::not(RenderReason::Readable)),
            "{url}"
        );
    }
    let realistic = Server::start(Realistic::default());
    let response = auto(&fetch, &realistic.url("/")).await;
    assert_eq!(
        response.rendering,
        Some(Rendering::not(RenderReason::Readable))
    );
    assert_eq!(*recorder.requested.lock().unwrap(), BTreeSet::new());
}

/// Crawls a client-routed site in a real browser: all pages are found, and HTTP is used only for the first three pages
/// and for every twentieth after them.
#[tokio::test(flavor = "multi_thread")]
async fn all_pages_of_a_client_routed_site_are_found() {
    let site = ClientRoutedSite::new(45);
    let server = Server::start(site.clone());
    let chromium = Chromium::find(None).expect("this test needs a Chromium");
    let settings = RenderSettings {
        nav_timeout: Duration::from_mins(1),
        ..RenderSettings::default()
    };
    let http = http();
    let renderer = Renderer::new(chromium, settings, Arc::clone(&http));
    let fetch = escalating_fetch(http, Arc::clone(&renderer));
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut seen = BTreeSet::from(["/".to_owned()]);
    let mut queue = VecDeque::from(["/".to_owned()]);
    while let Some(path) = queue.pop_front() {
        let response = auto(&fetch, &server.url(&path)).await;
        let rendering = response.rendering.unwrap();
        assert!(rendering.rendered, "{path}: {rendering:?}");
        *reasons.entry(rendering.reason.as_str()).or_default() += 1;
        let Body::Html(body) = &response.body else {
            panic!("{path}: {response:?}");
        };
        let text = String::from_utf8_lossy(body);
        assert!(text.contains(&site.text(&path).unwrap()), "{path}: {text}");
        let mut links = Vec::new();
        crawler_html::scan_links(body, encoding_rs::UTF_8, |found| {
            if let crawler_html::ScanEvent::Link(link) = found {
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
