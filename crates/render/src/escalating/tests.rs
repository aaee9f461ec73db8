//! Every row of the decision, over fetchers without a network.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use fetch::FakeFetch;
use fetch::fake::status;
use model::RenderReason::{
    Asked, BrowserFailed, EmptyRoot, HostNeeds, HostPlain, LittleText, NoBrowser, NotHtml, Readable,
};
use weburl::CrawlUrl;

use super::*;

const URL: &str = "https://e.x/";
const NONE: &str = "there is none, because";

/// A fetcher that counts how often it was asked.
struct Counted {
    answers: FakeFetch,
    asked: AtomicUsize,
}

impl Fetch for Counted {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        self.asked.fetch_add(1, Relaxed);
        self.answers.fetch(request).await
    }
}

/// The need is what the page says it is.
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

struct Bench {
    escalating: Escalating<Counted, Counted>,
}

impl Bench {
    fn new(http: FakeFetch, renderer: Option<FakeFetch>) -> Self {
        let counted = |answers| {
            Arc::new(Counted {
                answers,
                asked: AtomicUsize::new(0),
            })
        };
        Self {
            escalating: Escalating::new(
                counted(http),
                renderer.map(counted).ok_or_else(|| NONE.to_owned()),
                need,
                helped,
            ),
        }
    }

    async fn ask(&self, want: Want, js: JsPolicy) -> Result<Fetched, Failure> {
        let url = CrawlUrl::parse(URL).unwrap();
        let mut request = FetchRequest::new(&url, want);
        request.js = js;
        self.escalating.fetch(request).await
    }

    async fn auto(&self) -> Fetched {
        self.ask(Want::Page, JsPolicy::Auto).await.unwrap()
    }

    /// How often HTTP and the browser were asked.
    fn asked(&self) -> (usize, usize) {
        let browser = self.escalating.renderer();
        (
            self.escalating.http.asked.load(Relaxed),
            browser.map_or(0, |browser| browser.asked.load(Relaxed)),
        )
    }
}

fn page(html: &str) -> FakeFetch {
    FakeFetch::default().page(URL, html)
}

fn failing(kind: FailKind) -> FakeFetch {
    FakeFetch::default().failure(URL, kind, "on purpose")
}

fn answering(answer: Fetched) -> FakeFetch {
    let mut fake = FakeFetch::default();
    fake.answers.insert(URL.into(), Ok(answer));
    fake
}

fn html(answer: &Fetched) -> &[u8] {
    match &answer.body {
        Body::Html(body) => body,
        other => panic!("{other:?} is no page"),
    }
}

const LONG: &str = "a page with a good deal more to say";

#[tokio::test]
async fn never_is_http_and_no_question() {
    let bench = Bench::new(page("certain"), Some(page(LONG)));
    let answer = bench.ask(Want::Page, JsPolicy::Never).await.unwrap();
    assert_eq!(html(&answer), b"certain");
    assert_eq!(answer.rendering, None);
    assert_eq!(bench.asked(), (1, 0));
}

#[tokio::test]
async fn a_file_is_http_whatever_was_asked() {
    for js in [JsPolicy::Never, JsPolicy::Auto, JsPolicy::Always] {
        let file = FakeFetch::default().file(URL, "User-agent: *");
        let bench = Bench::new(file, Some(page(LONG)));
        let want = Want::File { max_bytes: 100 };
        let answer = bench.ask(want, js).await.unwrap();
        assert_eq!(answer.body, Body::File(b"User-agent: *"[..].into()));
        assert_eq!(answer.rendering, None);
        assert_eq!(bench.asked(), (1, 0));
    }
}

#[tokio::test]
async fn always_is_the_browser_alone() {
    let bench = Bench::new(page("certain"), Some(page(LONG)));
    let answer = bench.ask(Want::Page, JsPolicy::Always).await.unwrap();
    assert_eq!(html(&answer), LONG.as_bytes());
    assert_eq!(answer.rendering, Some(Rendering::because(Asked)));
    assert_eq!(bench.asked(), (0, 1));
}

#[tokio::test]
async fn always_without_a_browser_says_why_there_is_none() {
    let bench = Bench::new(page("certain"), None);
    let failure = bench.ask(Want::Page, JsPolicy::Always).await.unwrap_err();
    assert_eq!(failure.kind, FailKind::NoBrowser);
    assert_eq!(failure.words, NONE);
    assert_eq!(bench.asked(), (0, 0));
}

#[tokio::test]
async fn always_fails_as_the_browser_fails() {
    for kind in [FailKind::Browser, FailKind::Timeout, FailKind::Dns] {
        let bench = Bench::new(page("certain"), Some(failing(kind)));
        let failure = bench.ask(Want::Page, JsPolicy::Always).await.unwrap_err();
        assert_eq!(failure.kind, kind);
        assert_eq!(bench.asked(), (0, 1));
    }
}

#[tokio::test]
async fn what_is_no_page_goes_through_the_browser_as_it_came() {
    let file = FakeFetch::default().file(URL, "%PDF");
    let bench = Bench::new(page("certain"), Some(file));
    let answer = bench.ask(Want::Document, JsPolicy::Always).await.unwrap();
    assert_eq!(answer.body, Body::File(b"%PDF"[..].into()));
    assert_eq!(answer.rendering, Some(Rendering::not(NotHtml)));
}

#[tokio::test]
async fn a_readable_page_costs_no_browser() {
    let bench = Bench::new(page("plain"), Some(page(LONG)));
    for _ in 0..1_000 {
        let answer = bench.auto().await;
        assert_eq!(html(&answer), b"plain");
        assert_eq!(answer.rendering, Some(Rendering::not(Readable)));
    }
    assert_eq!(bench.asked(), (1_000, 0));
}

#[tokio::test]
async fn a_page_in_need_is_rendered_and_both_are_paid_for() {
    let paid = |html: &str| {
        let mut answer = status(200);
        answer.content_type = Some("text/html".into());
        answer.body = Body::Html(html.to_owned().into());
        answer.wire_bytes = 100;
        answer.elapsed = Duration::from_secs(2);
        answering(answer)
    };
    for (body, reason) in [("certain", EmptyRoot), ("likely", LittleText)] {
        let bench = Bench::new(paid(body), Some(paid(LONG)));
        let answer = bench.auto().await;
        assert_eq!(html(&answer), LONG.as_bytes());
        assert_eq!(answer.rendering, Some(Rendering::because(reason)));
        assert_eq!(answer.wire_bytes, 200);
        assert_eq!(answer.elapsed, Duration::from_secs(4));
        assert_eq!(bench.asked(), (1, 1));
    }
}

#[tokio::test]
async fn a_wait_for_a_tab_is_told_and_is_not_the_pages_own_time() {
    let second = Duration::from_secs(1);
    let waiting = |body: Body| {
        let mut answer = status(200);
        answer.content_type = Some("text/html".into());
        answer.body = body;
        answer.elapsed = second;
        answer.rendering = Some(Rendering::because(Asked).after(40 * second));
        answering(answer)
    };
    let drawn = || waiting(Body::Html(LONG.into()));
    let bench = Bench::new(page("certain"), Some(drawn()));
    let answer = bench.ask(Want::Page, JsPolicy::Always).await.unwrap();
    assert_eq!(
        answer.rendering,
        Some(Rendering::because(Asked).after(40 * second))
    );
    for _ in 0..10 {
        let answer = bench.auto().await;
        let rendering = answer.rendering.unwrap();
        // Whether it is known by then that the host needs it, or not.
        assert!(rendering.rendered && rendering.waited == 40 * second);
        assert!(answer.elapsed < 2 * second, "{:?}", answer.elapsed);
    }
    // What the browser had is worse, and the wait for it is known all the same.
    let bench = Bench::new(page("certain"), Some(waiting(Body::Unread)));
    let answer = bench.auto().await;
    assert_eq!(
        answer.rendering,
        Some(Rendering::not(BrowserFailed).after(40 * second))
    );
    assert!(answer.elapsed < second, "{:?}", answer.elapsed);
}

#[tokio::test]
async fn redirects_errors_and_other_types_stay_with_http() {
    let mut missing = status(404);
    missing.content_type = Some("text/html".into());
    missing.body = Body::Html(b"certain"[..].into());
    let mut picture = status(200);
    picture.content_type = Some("image/png".into());
    let moved = FakeFetch::default().redirect(URL, "/elsewhere");
    for http in [answering(missing.clone()), answering(picture), moved] {
        let bench = Bench::new(http, Some(page(LONG)));
        let answer = bench.auto().await;
        assert_eq!(answer.rendering, Some(Rendering::not(NotHtml)));
        assert_eq!(bench.asked(), (1, 0));
    }
    // whoever wants the error page too gets it rendered, with its own status
    let mut rendered = missing.clone();
    rendered.body = Body::Html(LONG.into());
    let bench = Bench::new(answering(missing), Some(answering(rendered)));
    let answer = bench.ask(Want::Document, JsPolicy::Auto).await.unwrap();
    assert_eq!((answer.status, html(&answer)), (404, LONG.as_bytes()));
    assert_eq!(answer.rendering, Some(Rendering::because(EmptyRoot)));
}

#[tokio::test]
async fn a_failure_of_http_is_the_answer() {
    let bench = Bench::new(failing(FailKind::Connect), Some(page(LONG)));
    let failure = bench.ask(Want::Page, JsPolicy::Auto).await.unwrap_err();
    assert_eq!(failure.kind, FailKind::Connect);
    assert_eq!(bench.asked(), (1, 0));
}

#[tokio::test]
async fn without_a_browser_that_works_http_is_all_there_is() {
    let mut refused = status(403);
    refused.content_type = Some("text/html".into());
    refused.body = Body::Html(b"go away"[..].into());
    let renderers = [
        (None, NoBrowser),
        (Some(failing(FailKind::NoBrowser)), NoBrowser),
        (Some(failing(FailKind::Browser)), BrowserFailed),
        (Some(failing(FailKind::Timeout)), BrowserFailed),
        (Some(failing(FailKind::Connect)), BrowserFailed),
        (Some(answering(refused)), BrowserFailed),
        (Some(FakeFetch::default().file(URL, "%PDF")), BrowserFailed),
        (Some(answering(status(200))), BrowserFailed),
    ];
    for (renderer, reason) in renderers {
        let bench = Bench::new(page("certain"), renderer);
        let answer = bench.auto().await;
        assert_eq!(html(&answer), b"certain");
        assert_eq!(answer.status, 200);
        assert_eq!(answer.rendering, Some(Rendering::not(reason)));
    }
}

#[tokio::test]
async fn a_script_that_sends_the_reader_elsewhere_is_a_hop() {
    let mut moved = status(200);
    moved.moved_by_script = true;
    moved.location = Some("https://e.x/there".into());
    let bench = Bench::new(page("certain"), Some(answering(moved)));
    for _ in 0..10 {
        let answer = bench.auto().await;
        assert!(answer.is_redirect());
        assert_eq!(answer.rendering, Some(Rendering::because(EmptyRoot)));
    }
    // hops are no sign for the host: HTTP is asked first, every time
    assert_eq!(bench.asked(), (10, 10));
}

#[tokio::test]
async fn a_host_that_needs_it_goes_straight_but_for_every_twentieth() {
    let bench = Bench::new(page("certain"), Some(page(LONG)));
    for _ in 0..3 {
        let answer = bench.auto().await;
        assert_eq!(answer.rendering, Some(Rendering::because(EmptyRoot)));
    }
    for _ in 0..40 {
        bench.auto().await;
    }
    assert_eq!(bench.asked(), (5, 43));
    let answer = bench.auto().await;
    assert_eq!(html(&answer), LONG.as_bytes());
    assert_eq!(answer.rendering, Some(Rendering::because(HostNeeds)));
}

fn html_with(code: u16, body: &str) -> Fetched {
    let mut answer = status(code);
    answer.content_type = Some("text/html".into());
    answer.body = Body::Html(body.to_owned().into());
    answer
}

impl Bench {
    /// As after three pages that gained.
    fn of_a_host_that_needs_it(http: FakeFetch, renderer: FakeFetch) -> Self {
        let bench = Self::new(http, Some(renderer));
        let origin = CrawlUrl::parse(URL).unwrap().origin();
        for _ in 0..3 {
            let need = RenderNeed::Certain(EmptyRoot);
            let mut verdicts = bench.escalating.verdicts();
            verdicts.learn(&origin, need, Brought::More, Instant::now());
        }
        bench
    }

    fn goes_straight(&self) -> bool {
        let origin = CrawlUrl::parse(URL).unwrap().origin();
        let mut verdicts = self.escalating.verdicts();
        verdicts.goes_straight(&origin, Instant::now())
    }
}

#[tokio::test]
async fn straight_to_a_browser_that_fails_falls_back() {
    for (kind, reason, remains) in [
        (FailKind::Browser, BrowserFailed, true),
        (FailKind::NoBrowser, NoBrowser, true),
        // our own load may be the cause: once is no sign
        (FailKind::Timeout, BrowserFailed, true),
        (FailKind::Dns, BrowserFailed, false),
        (FailKind::Connect, BrowserFailed, false),
        (FailKind::AddressRefused, BrowserFailed, false),
    ] {
        let bench = Bench::of_a_host_that_needs_it(page("certain"), failing(kind));
        let answer = bench.auto().await;
        assert_eq!(html(&answer), b"certain", "{kind}");
        assert_eq!(answer.rendering, Some(Rendering::not(reason)), "{kind}");
        // one that died says nothing of the page, and is asked once more
        let times = if kind == FailKind::Browser { 2 } else { 1 };
        assert_eq!(bench.asked(), (1, times), "{kind}");
        assert_eq!(bench.goes_straight(), remains, "{kind}");
        // what fails by HTTP too fails as HTTP does
        let bench = Bench::of_a_host_that_needs_it(failing(FailKind::Tls), failing(kind));
        let failure = bench.ask(Want::Page, JsPolicy::Auto).await.unwrap_err();
        assert_eq!(failure.kind, FailKind::Tls, "{kind}");
        assert!(bench.goes_straight(), "{kind}");
    }
}

#[tokio::test]
async fn a_host_that_shuts_its_door_to_browsers_is_asked_by_http_again() {
    for (http, plain) in [
        (page("certain"), RenderReason::BrowserFailed),
        (FakeFetch::default().redirect(URL, "/elsewhere"), NotHtml),
    ] {
        for drawn in [
            answering(html_with(403, "go away")),
            answering(status(403)),
            answering(status(204)),
        ] {
            let bench = Bench::of_a_host_that_needs_it(http.clone(), drawn);
            let answer = bench.auto().await;
            assert!(answer.status < 400);
            assert_eq!(answer.rendering, Some(Rendering::not(plain)));
            assert_eq!(bench.asked(), (1, 1));
            assert!(!bench.goes_straight());
        }
    }
}

#[tokio::test]
async fn an_error_that_is_one_for_both_says_nothing_of_the_host() {
    let drawn = answering(html_with(404, LONG));
    let missing = answering(html_with(404, "certain"));
    for http in [missing, failing(FailKind::Connect), answering(status(500))] {
        let bench = Bench::of_a_host_that_needs_it(http, drawn.clone());
        let answer = bench.ask(Want::Document, JsPolicy::Auto).await.unwrap();
        assert_eq!((answer.status, html(&answer)), (404, LONG.as_bytes()));
        assert_eq!(answer.rendering, Some(Rendering::because(HostNeeds)));
        assert_eq!(bench.asked(), (1, 1));
        assert!(bench.goes_straight());
    }
}

#[tokio::test]
async fn what_the_browser_was_given_that_is_no_page_is_not_asked_for_again() {
    let mut file = status(200);
    file.body = Body::File(b"%PDF"[..].into());
    file.rendering = Some(Rendering::not(NotHtml));
    let bench = Bench::of_a_host_that_needs_it(page("certain"), answering(file));
    let answer = bench.auto().await;
    assert_eq!(answer.rendering, Some(Rendering::not(NotHtml)));
    assert_eq!(bench.asked(), (0, 1));
    assert!(bench.goes_straight());
}

#[tokio::test]
async fn a_memory_may_have_several_users() {
    let one = Bench::new(page("certain"), Some(page(LONG)));
    let mut other = Bench::new(page("certain"), Some(page(LONG)));
    other.escalating = other
        .escalating
        .remembering(Arc::clone(&one.escalating.verdicts));
    for _ in 0..3 {
        one.auto().await;
    }
    let answer = other.auto().await;
    assert_eq!(answer.rendering, Some(Rendering::because(HostNeeds)));
}

#[tokio::test]
async fn where_rendering_brings_nothing_it_stops_but_for_every_twentieth() {
    let bench = Bench::new(page("likely"), Some(page("likely")));
    for round in 0..42 {
        let answer = bench.auto().await;
        let expected = if [0, 1, 21, 41].contains(&round) {
            Rendering::because(LittleText)
        } else {
            Rendering::not(HostPlain)
        };
        assert_eq!(answer.rendering, Some(expected), "{round}");
    }
    assert_eq!(bench.asked(), (42, 4));
    // five pages that were late, or that were not given to the browser, are enough
    for renderer in [failing(FailKind::Timeout), answering(status(403))] {
        let bench = Bench::new(page("certain"), Some(renderer));
        for _ in 0..24 {
            bench.auto().await;
        }
        assert_eq!(bench.asked(), (24, 5));
    }
}
