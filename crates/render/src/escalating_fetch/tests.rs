//! Every case of the decision, with fake fetchers.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use crawler_fetch::FakeFetch;
use crawler_fetch::fake::status;
use crawler_model::RenderReason::{
    BrowserFailed, EmptyRoot, HostNeeds, HostPlain, LittleText, NoBrowser, NotHtml, Readable,
    Requested,
};
use crawler_weburl::CrawlUrl;

use super::*;

const URL: &str = "https://e.x/";
const NO_BROWSER: &str = "no browser is installed";

/// A fetcher that counts its requests.
struct CountingFetch {
    responses: FakeFetch,
    requests: AtomicUsize,
}

impl Fetch for CountingFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        self.requests.fetch_add(1, Relaxed);
        self.responses.fetch(request).await
    }
}

/// The page body names the need.
fn need(body: &[u8], content_type: Option<&str>) -> RenderNeed {
    assert_eq!(content_type, Some("text/html"));
    match body {
        b"certain" => RenderNeed::Certain(EmptyRoot),
        b"likely" => RenderNeed::Likely(LittleText),
        _ => RenderNeed::Plain,
    }
}

fn helped(before: &[u8], _content_type: Option<&str>, after: &[u8]) -> bool {
    after.len() > before.len() + 10
}

struct Fixture {
    fetch: EscalatingFetch<CountingFetch, CountingFetch>,
}

impl Fixture {
    fn new(http: FakeFetch, renderer: Option<FakeFetch>) -> Self {
        let counted = |responses| {
            Arc::new(CountingFetch {
                responses,
                requests: AtomicUsize::new(0),
            })
        };
        Self {
            fetch: EscalatingFetch::new(
                counted(http),
                renderer.map(counted).ok_or_else(|| NO_BROWSER.to_owned()),
                need,
                helped,
            ),
        }
    }

    async fn fetch(&self, accept: Accept, js: JsPolicy) -> Result<Fetched, Failure> {
        let url = CrawlUrl::parse(URL).unwrap();
        let mut request = FetchRequest::new(&url, accept);
        request.js = js;
        self.fetch.fetch(request).await
    }

    async fn auto(&self) -> Fetched {
        self.fetch(Accept::Page, JsPolicy::Auto).await.unwrap()
    }

    /// Returns the number of requests to HTTP and to the browser.
    fn requests(&self) -> (usize, usize) {
        let browser = self.fetch.renderer();
        (
            self.fetch.http.requests.load(Relaxed),
            browser.map_or(0, |browser| browser.requests.load(Relaxed)),
        )
    }
}

fn page(html: &str) -> FakeFetch {
    FakeFetch::default().page(URL, html)
}

fn failing(kind: FailKind) -> FakeFetch {
    FakeFetch::default().failure(URL, kind, "on purpose")
}

fn responding(response: Fetched) -> FakeFetch {
    let mut fake = FakeFetch::default();
    fake.responses.insert(URL.into(), Ok(response));
    fake
}

fn html(response: &Fetched) -> &[u8] {
    match &response.body {
        Body::Html(body) => body,
        other => panic!("{other:?} is not a page"),
    }
}

/// Returns how the page was rendered, without the time for which the browser was used.
fn untimed(response: &Fetched) -> Option<Rendering> {
    let rendering = response.rendering?;
    Some(Rendering {
        browser_time: Duration::ZERO,
        ..rendering
    })
}

const LONG: &str = "a page with considerably more text";

#[tokio::test]
async fn never_uses_http_only() {
    let fixture = Fixture::new(page("certain"), Some(page(LONG)));
    let response = fixture.fetch(Accept::Page, JsPolicy::Never).await.unwrap();
    assert_eq!(html(&response), b"certain");
    assert_eq!(response.rendering, None);
    assert_eq!(fixture.requests(), (1, 0));
}

#[tokio::test]
async fn files_are_always_fetched_by_http() {
    for js in [JsPolicy::Never, JsPolicy::Auto, JsPolicy::Always] {
        let file = FakeFetch::default().file(URL, "User-agent: *");
        let fixture = Fixture::new(file, Some(page(LONG)));
        let accept = Accept::File { max_bytes: 100 };
        let response = fixture.fetch(accept, js).await.unwrap();
        assert_eq!(response.body, Body::File(b"User-agent: *"[..].into()));
        assert_eq!(response.rendering, None);
        assert_eq!(fixture.requests(), (1, 0));
    }
}

#[tokio::test]
async fn always_uses_the_browser_only() {
    let fixture = Fixture::new(page("certain"), Some(page(LONG)));
    let response = fixture.fetch(Accept::Page, JsPolicy::Always).await.unwrap();
    assert_eq!(html(&response), LONG.as_bytes());
    assert_eq!(response.rendering, Some(Rendering::because(Requested)));
    assert_eq!(fixture.requests(), (0, 1));
}

#[tokio::test]
async fn always_without_a_browser_reports_why_there_is_none() {
    let fixture = Fixture::new(page("certain"), None);
    let failure = fixture
        .fetch(Accept::Page, JsPolicy::Always)
        .await
        .unwrap_err();
    assert_eq!(failure.kind, FailKind::NoBrowser);
    assert_eq!(failure.message, NO_BROWSER);
    assert_eq!(fixture.requests(), (0, 0));
}

#[tokio::test]
async fn always_returns_the_browsers_failure() {
    for kind in [FailKind::Browser, FailKind::Timeout, FailKind::Dns] {
        let fixture = Fixture::new(page("certain"), Some(failing(kind)));
        let failure = fixture
            .fetch(Accept::Page, JsPolicy::Always)
            .await
            .unwrap_err();
        assert_eq!(failure.kind, kind);
        assert_eq!(fixture.requests(), (0, 1));
    }
}

#[tokio::test]
async fn non_html_responses_are_returned_unchanged() {
    let file = FakeFetch::default().file(URL, "%PDF");
    let fixture = Fixture::new(page("certain"), Some(file));
    let response = fixture
        .fetch(Accept::Document, JsPolicy::Always)
        .await
        .unwrap();
    assert_eq!(response.body, Body::File(b"%PDF"[..].into()));
    assert_eq!(response.rendering, Some(Rendering::not(NotHtml)));
}

#[tokio::test]
async fn a_readable_page_needs_no_browser() {
    let fixture = Fixture::new(page("plain"), Some(page(LONG)));
    for _ in 0..1_000 {
        let response = fixture.auto().await;
        assert_eq!(html(&response), b"plain");
        assert_eq!(response.rendering, Some(Rendering::not(Readable)));
    }
    assert_eq!(fixture.requests(), (1_000, 0));
}

#[tokio::test]
async fn time_and_bytes_of_http_and_browser_are_added() {
    let page_with_cost = |html: &str| {
        let mut response = status(200);
        response.content_type = Some("text/html".into());
        response.body = Body::Html(html.to_owned().into());
        response.wire_bytes = 100;
        response.elapsed = Duration::from_secs(2);
        responding(response)
    };
    for (body, reason) in [("certain", EmptyRoot), ("likely", LittleText)] {
        let fixture = Fixture::new(page_with_cost(body), Some(page_with_cost(LONG)));
        let response = fixture.auto().await;
        assert_eq!(html(&response), LONG.as_bytes());
        assert_eq!(response.rendering, Some(Rendering::because(reason)));
        assert_eq!(response.wire_bytes, 200);
        assert_eq!(response.elapsed, Duration::from_secs(4));
        assert_eq!(fixture.requests(), (1, 1));
    }
}

#[tokio::test]
async fn the_wait_for_a_tab_is_reported_and_not_part_of_elapsed() {
    let second = Duration::from_secs(1);
    let waiting = |body: Body| {
        let mut response = status(200);
        response.content_type = Some("text/html".into());
        response.body = body;
        response.elapsed = second;
        response.rendering = Some(Rendering::because(Requested).after(40 * second));
        responding(response)
    };
    let rendered = || waiting(Body::Html(LONG.into()));
    let fixture = Fixture::new(page("certain"), Some(rendered()));
    let response = fixture.fetch(Accept::Page, JsPolicy::Always).await.unwrap();
    assert_eq!(
        response.rendering,
        Some(Rendering::because(Requested).after(40 * second))
    );
    for _ in 0..10 {
        let response = fixture.auto().await;
        let rendering = response.rendering.unwrap();
        // Whether or not the host is already known to need rendering.
        assert!(rendering.rendered && rendering.waited == 40 * second);
        assert!(response.elapsed < 2 * second, "{:?}", response.elapsed);
    }
    // The browser's response is worse, but the wait is still reported.
    let fixture = Fixture::new(page("certain"), Some(waiting(Body::Unread)));
    let response = fixture.auto().await;
    assert_eq!(
        response.rendering,
        Some(Rendering::not(BrowserFailed).after(40 * second))
    );
    assert!(response.elapsed < second, "{:?}", response.elapsed);
}

#[tokio::test]
async fn redirects_errors_and_other_types_are_not_rendered() {
    let mut missing = status(404);
    missing.content_type = Some("text/html".into());
    missing.body = Body::Html(b"certain"[..].into());
    let mut picture = status(200);
    picture.content_type = Some("image/png".into());
    let moved = FakeFetch::default().redirect(URL, "/elsewhere");
    for http in [responding(missing.clone()), responding(picture), moved] {
        let fixture = Fixture::new(http, Some(page(LONG)));
        let response = fixture.auto().await;
        assert_eq!(response.rendering, Some(Rendering::not(NotHtml)));
        assert_eq!(fixture.requests(), (1, 0));
    }
    // For `Document` the error page is rendered, with its own status.
    let mut rendered = missing.clone();
    rendered.body = Body::Html(LONG.into());
    let fixture = Fixture::new(responding(missing), Some(responding(rendered)));
    let response = fixture
        .fetch(Accept::Document, JsPolicy::Auto)
        .await
        .unwrap();
    assert_eq!((response.status, html(&response)), (404, LONG.as_bytes()));
    assert_eq!(response.rendering, Some(Rendering::because(EmptyRoot)));
}

#[tokio::test]
async fn a_failure_of_http_is_returned() {
    let fixture = Fixture::new(failing(FailKind::Connect), Some(page(LONG)));
    let failure = fixture
        .fetch(Accept::Page, JsPolicy::Auto)
        .await
        .unwrap_err();
    assert_eq!(failure.kind, FailKind::Connect);
    assert_eq!(fixture.requests(), (1, 0));
}

#[tokio::test]
async fn without_a_working_browser_the_http_response_is_returned() {
    let mut refused = status(403);
    refused.content_type = Some("text/html".into());
    refused.body = Body::Html(b"go away"[..].into());
    let renderers = [
        (None, NoBrowser),
        (Some(failing(FailKind::NoBrowser)), NoBrowser),
        (Some(failing(FailKind::Browser)), BrowserFailed),
        (Some(failing(FailKind::Timeout)), BrowserFailed),
        (Some(failing(FailKind::RenderBudget)), BrowserFailed),
        (Some(failing(FailKind::Connect)), BrowserFailed),
        (Some(responding(refused)), BrowserFailed),
        (Some(FakeFetch::default().file(URL, "%PDF")), BrowserFailed),
        (Some(responding(status(200))), BrowserFailed),
    ];
    for (renderer, reason) in renderers {
        let fixture = Fixture::new(page("certain"), renderer);
        let response = fixture.auto().await;
        assert_eq!(html(&response), b"certain");
        assert_eq!(response.status, 200);
        assert_eq!(untimed(&response), Some(Rendering::not(reason)));
    }
}

#[tokio::test]
async fn a_navigation_by_script_is_a_redirect() {
    let mut moved = status(200);
    moved.moved_by_script = true;
    moved.location = Some("https://e.x/there".into());
    let fixture = Fixture::new(page("certain"), Some(responding(moved)));
    for _ in 0..10 {
        let response = fixture.auto().await;
        assert!(response.is_redirect());
        assert_eq!(response.rendering, Some(Rendering::because(EmptyRoot)));
    }
    // Redirects are not recorded for the host: HTTP comes first every time.
    assert_eq!(fixture.requests(), (10, 10));
}

#[tokio::test]
async fn a_host_that_needs_rendering_uses_the_browser_first_except_every_twentieth() {
    let fixture = Fixture::new(page("certain"), Some(page(LONG)));
    for _ in 0..3 {
        let response = fixture.auto().await;
        assert_eq!(response.rendering, Some(Rendering::because(EmptyRoot)));
    }
    for _ in 0..40 {
        fixture.auto().await;
    }
    assert_eq!(fixture.requests(), (5, 43));
    let response = fixture.auto().await;
    assert_eq!(html(&response), LONG.as_bytes());
    assert_eq!(response.rendering, Some(Rendering::because(HostNeeds)));
}

fn html_with(code: u16, body: &str) -> Fetched {
    let mut response = status(code);
    response.content_type = Some("text/html".into());
    response.body = Body::Html(body.to_owned().into());
    response
}

impl Fixture {
    /// As after three pages that rendering improved.
    fn for_host_that_needs_rendering(http: FakeFetch, renderer: FakeFetch) -> Self {
        let fixture = Self::new(http, Some(renderer));
        let origin = CrawlUrl::parse(URL).unwrap().origin();
        for _ in 0..3 {
            let need = RenderNeed::Certain(EmptyRoot);
            let mut history = fixture.fetch.history();
            history.record(&origin, need, RenderEffect::Improved, Instant::now());
        }
        fixture
    }

    fn goes_to_browser_first(&self) -> bool {
        let origin = CrawlUrl::parse(URL).unwrap().origin();
        let mut history = self.fetch.history();
        history.goes_to_browser_first(&origin, Instant::now())
    }
}

#[tokio::test]
async fn a_failed_browser_first_request_falls_back_to_http() {
    for (kind, reason, remains) in [
        (FailKind::Browser, BrowserFailed, true),
        (FailKind::NoBrowser, NoBrowser, true),
        // Our own load may be the cause: one timeout is not enough.
        (FailKind::Timeout, BrowserFailed, true),
        (FailKind::Dns, BrowserFailed, false),
        (FailKind::RenderBudget, BrowserFailed, false),
        (FailKind::Connect, BrowserFailed, false),
        (FailKind::AddressRefused, BrowserFailed, false),
    ] {
        let fixture = Fixture::for_host_that_needs_rendering(page("certain"), failing(kind));
        let response = fixture.auto().await;
        assert_eq!(html(&response), b"certain", "{kind}");
        assert_eq!(untimed(&response), Some(Rendering::not(reason)), "{kind}");
        // If the browser died, the page is tried once more, and nothing is recorded.
        let times = if kind == FailKind::Browser { 2 } else { 1 };
        assert_eq!(fixture.requests(), (1, times), "{kind}");
        assert_eq!(fixture.goes_to_browser_first(), remains, "{kind}");
        // If HTTP fails too, its failure is returned.
        let fixture = Fixture::for_host_that_needs_rendering(failing(FailKind::Tls), failing(kind));
        let failure = fixture
            .fetch(Accept::Page, JsPolicy::Auto)
            .await
            .unwrap_err();
        assert_eq!(failure.kind, FailKind::Tls, "{kind}");
        assert!(fixture.goes_to_browser_first(), "{kind}");
    }
}

#[tokio::test]
async fn a_host_that_blocks_browsers_is_fetched_by_http_again() {
    for (http, plain) in [
        (page("certain"), RenderReason::BrowserFailed),
        (FakeFetch::default().redirect(URL, "/elsewhere"), NotHtml),
    ] {
        for rendered in [
            responding(html_with(403, "go away")),
            responding(status(403)),
            responding(status(204)),
        ] {
            let fixture = Fixture::for_host_that_needs_rendering(http.clone(), rendered);
            let response = fixture.auto().await;
            assert!(response.status < 400);
            assert_eq!(untimed(&response), Some(Rendering::not(plain)));
            assert_eq!(fixture.requests(), (1, 1));
            assert!(!fixture.goes_to_browser_first());
        }
    }
}

#[tokio::test]
async fn an_error_in_both_is_not_recorded_for_the_host() {
    let rendered = responding(html_with(404, LONG));
    let missing = responding(html_with(404, "certain"));
    for http in [missing, failing(FailKind::Connect), responding(status(500))] {
        let fixture = Fixture::for_host_that_needs_rendering(http, rendered.clone());
        let response = fixture
            .fetch(Accept::Document, JsPolicy::Auto)
            .await
            .unwrap();
        assert_eq!((response.status, html(&response)), (404, LONG.as_bytes()));
        assert_eq!(response.rendering, Some(Rendering::because(HostNeeds)));
        assert_eq!(fixture.requests(), (1, 1));
        assert!(fixture.goes_to_browser_first());
    }
}

#[tokio::test]
async fn non_html_responses_are_not_fetched_again() {
    let mut file = status(200);
    file.body = Body::File(b"%PDF"[..].into());
    file.rendering = Some(Rendering::not(NotHtml));
    let fixture = Fixture::for_host_that_needs_rendering(page("certain"), responding(file));
    let response = fixture.auto().await;
    assert_eq!(response.rendering, Some(Rendering::not(NotHtml)));
    assert_eq!(fixture.requests(), (0, 1));
    assert!(fixture.goes_to_browser_first());
}

#[tokio::test]
async fn a_history_can_be_shared() {
    let one = Fixture::new(page("certain"), Some(page(LONG)));
    let mut other = Fixture::new(page("certain"), Some(page(LONG)));
    other.fetch = other.fetch.with_history(Arc::clone(&one.fetch.history));
    for _ in 0..3 {
        one.auto().await;
    }
    let response = other.auto().await;
    assert_eq!(response.rendering, Some(Rendering::because(HostNeeds)));
}

#[tokio::test]
async fn rendering_that_does_not_help_stops_except_every_twentieth() {
    let fixture = Fixture::new(page("likely"), Some(page("likely")));
    for round in 0..42 {
        let response = fixture.auto().await;
        let expected = if [0, 1, 21, 41].contains(&round) {
            Rendering::because(LittleText)
        } else {
            Rendering::not(HostPlain)
        };
        assert_eq!(response.rendering, Some(expected), "{round}");
    }
    assert_eq!(fixture.requests(), (42, 4));
    // Five pages that timed out, or that the host refused to the browser, are enough.
    for renderer in [failing(FailKind::Timeout), responding(status(403))] {
        let fixture = Fixture::new(page("certain"), Some(renderer));
        for _ in 0..24 {
            fixture.auto().await;
        }
        assert_eq!(fixture.requests(), (24, 5));
    }
}
