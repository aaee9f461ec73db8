//! What is no page, and what is told besides the document.

use std::time::Duration;

use fetch::{Asked, Body, Fetch, FetchRequest, Want};
use model::{FailKind, JsPolicy, RenderReason, Rendering, ScrapeSpec};
use testsite::{Answer, Pages, Request, Server};
use weburl::CrawlUrl;

use crate::stage::{Stage, markup};

fn site() -> Server {
    let pages = Pages::new()
        .page(
            "/moved",
            Answer::redirect(301, "/there").header("Retry-After", "7"),
        )
        .page(
            "/gone",
            Answer::new(
                404,
                "text/html",
                "<p>gone<script>document.title = 'and rendered'</script>",
            ),
        )
        .page("/gone-empty", Answer::new(404, "text/html", ""))
        .page(
            "/busy",
            Answer::new(503, "text/html", "<p>busy").header("Retry-After", "7"),
        )
        .page("/nothing", Answer::status(204))
        .page(
            "/data.json",
            Answer::new(200, "application/json", "{\"a\":1}"),
        )
        .page("/words.txt", Answer::text("just words"))
        .page(
            "/paper.pdf",
            Answer::new(200, "application/pdf", "%PDF-1.4"),
        )
        .page(
            "/archive",
            Answer::new(200, "application/octet-stream", vec![0_u8; 64]),
        )
        .page(
            "/kept.html",
            Answer::html("<p>kept").header("Content-Disposition", "attachment; filename=x.html"),
        )
        .html("/there", "<p>there");
    Server::start(pages)
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_errors_and_what_is_no_page() {
    let site = site();
    let stage = Stage::new(|_| ());
    let get = async |path: &str, want: Want| {
        let url = CrawlUrl::parse(&site.url(path)).unwrap();
        let request = FetchRequest {
            js: JsPolicy::Always,
            ..FetchRequest::new(&url, want)
        };
        stage.renderer.fetch(request).await.unwrap()
    };
    for want in [Want::Page, Want::Document] {
        let moved = get("/moved", want).await;
        assert_eq!(
            (moved.status, moved.location.as_deref()),
            (301, Some("/there"))
        );
        assert!(!moved.moved_by_script && moved.body == Body::Unread);
        assert_eq!(site.count("/there"), 0, "the hop is not ours to walk");
        let busy = get("/busy", want).await;
        assert_eq!(
            (busy.status, busy.retry_after),
            (503, Some(Duration::from_secs(7)))
        );
        let nothing = get("/nothing", want).await;
        assert_eq!((nothing.status, nothing.body), (204, Body::Unread));
        for path in ["/paper.pdf", "/archive"] {
            let file = get(path, want).await;
            assert_eq!((file.status, file.body), (200, Body::Unread), "{path}");
            let not = Rendering::not(RenderReason::NotHtml);
            assert_eq!(file.rendering, Some(not), "{path}");
        }
    }
    let gone = get("/gone", Want::Document).await;
    assert!(
        markup(&gone).contains("and rendered</title>"),
        "an error page is a page: {gone:?}"
    );
    assert_eq!(gone.status, 404);
    assert_eq!(get("/gone", Want::Page).await.body, Body::Unread);
    let empty = get("/gone-empty", Want::Document).await;
    assert_eq!(empty.status, 404);
    assert_eq!(
        get("/data.json", Want::Document).await.body,
        Body::File(b"{\"a\":1}"[..].into())
    );
    assert_eq!(
        get("/words.txt", Want::Document).await.body,
        Body::File(b"just words"[..].into())
    );
    assert_eq!(get("/words.txt", Want::Page).await.body, Body::Unread);
    let kept = get("/kept.html", Want::Document).await;
    assert_eq!(kept.body, Body::Html(b"<p>kept"[..].into()));
    stage.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_had_is_told_as_by_http() {
    let stage = Stage::new(|settings| settings.nav_timeout = Duration::from_secs(4));
    let closed = {
        let server = Server::start(Pages::new());
        server.url("/")
    };
    let refused = stage.document(&closed).await.unwrap_err();
    assert_eq!(
        (refused.kind, refused.words.as_str()),
        (FailKind::Connect, "connection refused")
    );
    let nowhere = stage.document("http://nowhere.invalid/").await.unwrap_err();
    assert_eq!(nowhere.kind, FailKind::Dns, "{nowhere}");
    let broken = Server::start(Pages::new().page("/", Answer::raw("nonsense\r\n\r\n")));
    let failure = stage.document(&broken.url("/")).await.unwrap_err();
    assert!(
        matches!(failure.kind, FailKind::Protocol | FailKind::Reset),
        "{failure}"
    );
    let secure = Server::start_tls(
        Pages::new().html("/", "<p>hidden"),
        &testsite::Tls::generate(),
    );
    let failure = stage.document(&secure.url("/")).await.unwrap_err();
    assert_eq!(failure.kind, FailKind::Tls, "{failure}");
    stage.renderer.close().await;
}

/// Shows what it was asked with.
fn mirror(request: &Request) -> Answer {
    if request.path() == "/app.js" {
        return Answer::new(
            200,
            "text/javascript",
            "fetch('/inner').then((a) => a.text()).then((t) => document.body.append('inner ' + t))",
        );
    }
    let told = |name: &str| request.header(name).unwrap_or("none").to_owned();
    let lines = format!(
        "agent={} key={} auth={}",
        told("user-agent"),
        told("x-key"),
        told("authorization")
    );
    match request.path() {
        "/inner" => Answer::text(lines).header("Access-Control-Allow-Origin", "*"),
        _ => Answer::html(format!("<p>{lines}<script src=/app.js></script>")),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn our_name_and_the_callers_headers_go_along_and_stay_at_home() {
    let (own, other) = (Server::start(mirror), Server::start(mirror));
    let spec = ScrapeSpec {
        headers: vec!["X-Key: s3cret".into()],
        ..ScrapeSpec::default()
    };
    let stage = Stage::with(&spec, |_| ());
    let typed = own.url("/").replace("http://", "http://me:pw@");
    let asked = Asked::parse(&typed).unwrap();
    let get = async |url: &str| {
        let url = CrawlUrl::parse(url).unwrap();
        let request = FetchRequest {
            asked: Some(&asked),
            js: JsPolicy::Always,
            ..FetchRequest::new(&url, Want::Document)
        };
        markup(&stage.renderer.fetch(request).await.unwrap())
    };
    let page = get(&own.url("/")).await;
    let basic = "key=s3cret auth=Basic bWU6cHc=";
    assert_eq!(page.matches(basic).count(), 2, "page and script: {page}");
    assert!(
        page.contains("like Gecko; compatible; crawler/test) Chrome/"),
        "{page}"
    );
    let page = get(&other.url("/")).await;
    assert_eq!(page.matches("key=none auth=none").count(), 2, "{page}");
    // And back, in whatever tab.
    assert!(get(&own.url("/again")).await.contains(basic));
    stage.renderer.close().await;
    let named = Stage::new(|settings| settings.user_agent = Some("mine/1".into()));
    let page = markup(&named.document(&own.url("/")).await.unwrap());
    assert_eq!(page.matches("agent=mine/1 ").count(), 2, "{page}");
    named.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_document_is_cut_and_says_so() {
    let page = "<p>start<script>for (let i = 0; i < 1e4; i++) document.body.append('äöü '.repeat(9))</script>";
    let site = Server::start(Pages::new().html("/", page));
    let stage = Stage::new(|settings| settings.max_body = 10_001);
    let fetched = stage.document(&site.url("/")).await.unwrap();
    let markup = markup(&fetched);
    assert!(fetched.truncated && markup.contains("start"));
    let length = markup.trim_start_matches('\u{feff}').len();
    assert!((9_990..=10_001).contains(&length), "{length}");
    stage.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_sound_and_fonts_are_not_loaded_unless_they_are_wanted() {
    let page = "<style>@font-face { font-family: F; src: url(/f.woff2) } p { font-family: F }</style>
        <p>text<img src=/i.png><video src=/v.mp4 preload=auto></video><link rel=stylesheet href=/s.css>";
    let site = Server::start(Pages::new().html("/", page));
    let stage = Stage::new(|_| ());
    stage.document(&site.url("/")).await.unwrap();
    assert_eq!(
        (
            site.count("/i.png"),
            site.count("/v.mp4"),
            site.count("/f.woff2"),
            site.count("/s.css")
        ),
        (0, 0, 0, 1)
    );
    stage.renderer.close().await;
    let all = Stage::new(|settings| settings.blocked.clear());
    all.document(&site.url("/")).await.unwrap();
    for path in ["/i.png", "/v.mp4", "/f.woff2"] {
        assert!(site.count(path) > 0, "{path}");
    }
    all.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_elsewhere_cannot_borrow_the_callers_headers() {
    let own = Server::start(mirror);
    let ask = format!(
        "<p>evil<script>fetch('{}').then((a) => a.text()).then((t) => document.body.append(t))</script>",
        own.url("/inner")
    );
    let other = Server::start(Pages::new().html("/", &ask));
    let spec = ScrapeSpec {
        headers: vec!["X-Key: s3cret".into()],
        ..ScrapeSpec::default()
    };
    let stage = Stage::with(&spec, |settings| settings.tabs = 1);
    let asked = Asked::parse(&own.url("/")).unwrap();
    let get = async |url: &str| {
        let url = CrawlUrl::parse(url).unwrap();
        let request = FetchRequest {
            asked: Some(&asked),
            js: JsPolicy::Always,
            ..FetchRequest::new(&url, Want::Document)
        };
        markup(&stage.renderer.fetch(request).await.unwrap())
    };
    assert!(get(&own.url("/")).await.contains("key=s3cret"));
    let page = get(&other.url("/")).await;
    assert!(page.contains("key=none"), "{page}");
    stage.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_character_foreign_letters_and_clever_names() {
    let clever = "<p>before<img name=querySelectorAll><img name=documentElement><form name=head>\
        <input name=childNodes><input name=shadowRoot><input name=outerHTML></form><div id=x></div><p>after\
        <script>x.attachShadow({ mode: 'open' }).innerHTML = '<b>in the shade</b>'</script>";
    let site = Pages::new()
        .html(
            "/half",
            "<p>start<script>document.body.append('a\\ud83d end')</script>",
        )
        .html("/clever", clever)
        .page("/moved", Answer::redirect(301, "/straße"));
    let site = Server::start(site);
    let stage = Stage::new(|_| ());
    let half = markup(&stage.document(&site.url("/half")).await.unwrap());
    assert!(half.contains("a\u{fffd} end"), "{half}");
    let clever = markup(&stage.document(&site.url("/clever")).await.unwrap());
    for text in [
        "before",
        "after",
        "<b>in the shade</b>",
        "name=\"childNodes\"",
    ] {
        assert!(clever.contains(text), "{text}: {clever}");
    }
    let moved = stage.document(&site.url("/moved")).await.unwrap();
    assert_eq!(moved.location.as_deref(), Some("/straße"));
    assert_eq!(stage.renderer.numbers().crashes, 0);
    stage.renderer.close().await;
}
