//! Responses other than pages, and what is reported besides the document.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crawler_fetch::{Accept, Body, Fetch, FetchRequest, RequestedUrl, TabMeter};
use crawler_model::{FailKind, JsPolicy, RenderReason, Rendering, RequestSpec};
use crawler_weburl::CrawlUrl;
use testsite::{Pages, Request, Server, SiteResponse};

use crate::test_renderer::{TestRenderer, markup};

fn site() -> Server {
    let pages = Pages::new()
        .page(
            "/moved",
            SiteResponse::redirect(301, "/there").header("Retry-After", "7"),
        )
        .page(
            "/gone",
            SiteResponse::new(
                404,
                "text/html",
                "<p>gone<script>document.title = 'and rendered'</script>",
            ),
        )
        .page("/gone-empty", SiteResponse::new(404, "text/html", ""))
        .page(
            "/busy",
            SiteResponse::new(503, "text/html", "<p>busy").header("Retry-After", "7"),
        )
        .page("/nothing", SiteResponse::status(204))
        .page(
            "/data.json",
            SiteResponse::new(200, "application/json", "{\"a\":1}"),
        )
        .page("/words.txt", SiteResponse::text("just words"))
        .page(
            "/paper.pdf",
            SiteResponse::new(200, "application/pdf", "%PDF-1.4"),
        )
        .page(
            "/archive",
            SiteResponse::new(200, "application/octet-stream", vec![0_u8; 64]),
        )
        .page(
            "/kept.html",
            SiteResponse::html("<p>kept")
                .header("Content-Disposition", "attachment; filename=x.html"),
        )
        .html("/there", "<p>there");
    Server::start(pages)
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_errors_and_non_html_responses_are_returned() {
    let site = site();
    let test = TestRenderer::new(|_| ());
    let counted = Arc::<AtomicUsize>::default();
    let tabs = Arc::clone(&counted);
    let meter = TabMeter::new(move |_| {
        tabs.fetch_add(1, Ordering::SeqCst);
    });
    let get = async |path: &str, accept: Accept| {
        let url = CrawlUrl::parse(&site.url(path)).unwrap();
        let request = FetchRequest {
            js: JsPolicy::Always,
            tab_meter: Some(&meter),
            ..FetchRequest::new(&url, accept)
        };
        let before = counted.load(Ordering::SeqCst);
        let fetched = test.renderer.fetch(request).await.unwrap();
        // The time of its tab is known with the page, once.
        assert_eq!(counted.load(Ordering::SeqCst), before + 1, "{path}");
        fetched
    };
    for accept in [Accept::Page, Accept::Document] {
        let moved = get("/moved", accept).await;
        assert_eq!(
            (moved.status, moved.location.as_deref()),
            (301, Some("/there"))
        );
        assert!(!moved.moved_by_script && moved.body == Body::Unread);
        assert_eq!(site.count("/there"), 0, "the redirect is not followed");
        let busy = get("/busy", accept).await;
        assert_eq!(
            (busy.status, busy.retry_after),
            (503, Some(Duration::from_secs(7)))
        );
        let nothing = get("/nothing", accept).await;
        assert_eq!((nothing.status, nothing.body), (204, Body::Unread));
        for path in ["/paper.pdf", "/archive"] {
            let file = get(path, accept).await;
            assert_eq!((file.status, file.body), (200, Body::Unread), "{path}");
            let rendering = file.rendering.unwrap();
            let not = Rendering {
                browser_time: rendering.browser_time,
                ..Rendering::not(RenderReason::NotHtml)
            };
            assert_eq!(rendering, not, "{path}");
        }
    }
    let gone = get("/gone", Accept::Document).await;
    assert!(
        markup(&gone).contains("and rendered</title>"),
        "an error page is a page: {gone:?}"
    );
    assert_eq!(gone.status, 404);
    assert_eq!(get("/gone", Accept::Page).await.body, Body::Unread);
    let empty = get("/gone-empty", Accept::Document).await;
    assert_eq!(empty.status, 404);
    assert_eq!(
        get("/data.json", Accept::Document).await.body,
        Body::File(b"{\"a\":1}"[..].into())
    );
    assert_eq!(
        get("/words.txt", Accept::Document).await.body,
        Body::File(b"just words"[..].into())
    );
    assert_eq!(get("/words.txt", Accept::Page).await.body, Body::Unread);
    let kept = get("/kept.html", Accept::Document).await;
    assert_eq!(kept.body, Body::Html(b"<p>kept"[..].into()));
    test.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_reported_as_by_http() {
    let test = TestRenderer::new(|settings| settings.nav_timeout = Duration::from_secs(4));
    let closed = {
        let server = Server::start(Pages::new());
        server.url("/")
    };
    let refused = test.document(&closed).await.unwrap_err();
    assert_eq!(
        (refused.kind, refused.message.as_str()),
        (FailKind::Connect, "connection refused")
    );
    let nowhere = test.document("http://nowhere.invalid/").await.unwrap_err();
    assert_eq!(nowhere.kind, FailKind::Dns, "{nowhere}");
    let broken = Server::start(Pages::new().page("/", SiteResponse::raw("nonsense\r\n\r\n")));
    let failure = test.document(&broken.url("/")).await.unwrap_err();
    assert!(
        matches!(failure.kind, FailKind::Protocol | FailKind::Reset),
        "{failure}"
    );
    let secure = Server::start_tls(
        Pages::new().html("/", "<p>hidden"),
        &testsite::Tls::generate(),
    );
    let failure = test.document(&secure.url("/")).await.unwrap_err();
    assert_eq!(failure.kind, FailKind::Tls, "{failure}");
    test.renderer.close().await;
}

/// Responds with the request headers.
fn mirror(request: &Request) -> SiteResponse {
    if request.path() == "/app.js" {
        return SiteResponse::new(
            200,
            "text/javascript",
            "fetch('/inner').then((a) => a.text()).then((t) => document.body.append('inner ' + t))",
        );
    }
    let value = |name: &str| request.header(name).unwrap_or("none").to_owned();
    let lines = format!(
        "agent={} key={} auth={}",
        value("user-agent"),
        value("x-key"),
        value("authorization")
    );
    match request.path() {
        "/inner" => SiteResponse::text(lines).header("Access-Control-Allow-Origin", "*"),
        _ => SiteResponse::html(format!("<p>{lines}<script src=/app.js></script>")),
    }
}

/// Renders a page on behalf of a URL that the caller requested. Returns its markup.
async fn rendered_for(test: &TestRenderer, requested: &RequestedUrl, url: &str) -> String {
    let url = CrawlUrl::parse(url).unwrap();
    let request = FetchRequest {
        requested: Some(requested),
        js: JsPolicy::Always,
        ..FetchRequest::new(&url, Accept::Document)
    };
    markup(&test.renderer.fetch(request).await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn user_agent_and_caller_headers_are_sent_to_their_origin_only() {
    let (own, other) = (Server::start(mirror), Server::start(mirror));
    let spec = RequestSpec {
        headers: vec![("X-Key".into(), "s3cret".into())],
        ..RequestSpec::default()
    };
    let test = TestRenderer::with(&spec, |_| ());
    let typed = own.url("/").replace("http://", "http://me:pw@");
    let requested = RequestedUrl::parse(&typed).unwrap();
    let get = async |url: &str| rendered_for(&test, &requested, url).await;
    let page = get(&own.url("/")).await;
    let basic = "key=s3cret auth=Basic bWU6cHc=";
    assert_eq!(page.matches(basic).count(), 2, "page and script: {page}");
    assert!(
        page.contains("like Gecko; compatible; crawler/test) Chrome/"),
        "{page}"
    );
    let page = get(&other.url("/")).await;
    assert_eq!(page.matches("key=none auth=none").count(), 2, "{page}");
    // And again, in any tab.
    assert!(get(&own.url("/again")).await.contains(basic));
    test.renderer.close().await;
    let named = TestRenderer::new(|settings| settings.user_agent = Some("mine/1".into()));
    let page = markup(&named.document(&own.url("/")).await.unwrap());
    assert_eq!(page.matches("agent=mine/1 ").count(), 2, "{page}");
    named.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_document_is_truncated_and_marked() {
    let page = "<p>start<script>for (let i = 0; i < 1e4; i++) document.body.append('äöü '.repeat(9))</script>";
    let site = Server::start(Pages::new().html("/", page));
    let test = TestRenderer::new(|settings| settings.max_body = 10_001);
    let fetched = test.document(&site.url("/")).await.unwrap();
    let markup = markup(&fetched);
    assert!(fetched.truncated && markup.contains("start"));
    let length = markup.trim_start_matches('\u{feff}').len();
    assert!((9_990..=10_001).contains(&length), "{length}");
    test.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn images_media_and_fonts_are_not_loaded_by_default() {
    let page = "<style>@font-face { font-family: F; src: url(/f.woff2) } p { font-family: F }</style>
        <p>text<img src=/i.png><video src=/v.mp4 preload=auto></video><link rel=stylesheet href=/s.css>";
    let site = Server::start(Pages::new().html("/", page));
    let test = TestRenderer::new(|_| ());
    test.document(&site.url("/")).await.unwrap();
    assert_eq!(
        (
            site.count("/i.png"),
            site.count("/v.mp4"),
            site.count("/f.woff2"),
            site.count("/s.css")
        ),
        (0, 0, 0, 1)
    );
    test.renderer.close().await;
    let all = TestRenderer::new(|settings| settings.blocked.clear());
    all.document(&site.url("/")).await.unwrap();
    for path in ["/i.png", "/v.mp4", "/f.woff2"] {
        assert!(site.count(path) > 0, "{path}");
    }
    all.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_origin_cannot_use_the_callers_headers() {
    let own = Server::start(mirror);
    let ask = format!(
        "<p>evil<script>fetch('{}').then((a) => a.text()).then((t) => document.body.append(t))</script>",
        own.url("/inner")
    );
    let other = Server::start(Pages::new().html("/", &ask));
    let spec = RequestSpec {
        headers: vec![("X-Key".into(), "s3cret".into())],
        ..RequestSpec::default()
    };
    let test = TestRenderer::with(&spec, |settings| settings.tabs = 1);
    let requested = RequestedUrl::parse(&own.url("/")).unwrap();
    let get = async |url: &str| rendered_for(&test, &requested, url).await;
    assert!(get(&own.url("/")).await.contains("key=s3cret"));
    let page = get(&other.url("/")).await;
    assert!(page.contains("key=none"), "{page}");
    test.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lone_surrogates_non_ascii_locations_and_shadowing_names_are_handled() {
    let shadowing = "<p>before<img name=querySelectorAll><img name=documentElement><form name=head>\
        <input name=childNodes><input name=shadowRoot><input name=outerHTML></form><div id=x></div><p>after\
        <script>x.attachShadow({ mode: 'open' }).innerHTML = '<b>in the shade</b>'</script>";
    let site = Pages::new()
        .html(
            "/half",
            "<p>start<script>document.body.append('a\\ud83d end')</script>",
        )
        .html("/shadowing", shadowing)
        .page("/moved", SiteResponse::redirect(301, "/straße"));
    let site = Server::start(site);
    let test = TestRenderer::new(|_| ());
    let half = markup(&test.document(&site.url("/half")).await.unwrap());
    assert!(half.contains("a\u{fffd} end"), "{half}");
    let shadowing = markup(&test.document(&site.url("/shadowing")).await.unwrap());
    for text in [
        "before",
        "after",
        "<b>in the shade</b>",
        "name=\"childNodes\"",
    ] {
        assert!(shadowing.contains(text), "{text}: {shadowing}");
    }
    let moved = test.document(&site.url("/moved")).await.unwrap();
    assert_eq!(moved.location.as_deref(), Some("/straße"));
    assert_eq!(test.renderer.numbers().crashes, 0);
    test.renderer.close().await;
}
