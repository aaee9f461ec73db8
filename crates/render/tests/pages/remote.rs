//! Pages rendered for another process, over a Unix socket.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crawler_fetch::{Accept, Body, Fetch, FetchRequest, Fetched, Guard, HttpFetch, RequestedUrl};
use crawler_model::{FailKind, Failure, JsPolicy, PageBudgets, RequestSpec, ScrapePlan};
use crawler_render::{BrowserState, RemoteRenderer, RenderServer, RenderSettings};
use crawler_weburl::CrawlUrl;
use tempfile::TempDir;
use testsite::{Pages, Request, Server, SiteResponse, SocketStep};
use tokio::net::UnixListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::process_tree::{descendants, until};
use crate::test_renderer::{TestRenderer, markup};

/// A server and a client; both are in this process.
struct Remote {
    test: TestRenderer,
    renderer: Arc<RemoteRenderer>,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
    _folder: TempDir,
}

impl Remote {
    fn new(
        spec: &RequestSpec,
        client: RenderSettings,
        change: impl FnOnce(&mut RenderSettings),
    ) -> Self {
        let test = TestRenderer::new(change);
        let folder = tempfile::tempdir().unwrap();
        let socket: PathBuf = folder.path().join("render.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let server = RenderServer::new(Arc::clone(&test.renderer));
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(async move {
            server
                .serve(listener, stopped, Duration::from_secs(5))
                .await;
        });
        let plan = ScrapePlan::resolve(spec, "crawler/test").unwrap();
        let sniff = crawler_html::looks_like_html;
        let http = HttpFetch::new(&plan.fetch, 8, Guard::anywhere(), sniff).unwrap();
        Self {
            renderer: Arc::new(RemoteRenderer::new(socket, client, Arc::new(http))),
            test,
            stop,
            serving,
            _folder: folder,
        }
    }

    async fn document(&self, url: &str) -> Result<Fetched, Failure> {
        let requested = RequestedUrl {
            url: CrawlUrl::parse(url).unwrap(),
            userinfo: None,
        };
        let request = FetchRequest {
            js: JsPolicy::Always,
            requested: Some(&requested),
            ..FetchRequest::new(&requested.url, Accept::Document)
        };
        self.renderer.fetch(request).await
    }

    async fn close(self) {
        self.stop.send(()).unwrap();
        self.serving.await.unwrap();
        self.test.renderer.close().await;
        until("all have exited", || descendants().is_empty()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_rendered_with_the_settings_of_the_process_that_asks() {
    let other = Server::start(Pages::new().page("/x", SiteResponse::text("x")));
    let foreign = other.url("/x");
    let site = Server::start(
        Pages::new()
            .html(
                "/",
                &format!(
                    "<p id=said><script>fetch('/own'); fetch('{foreign}', {{ mode: 'no-cors' }});
                    said.textContent = `${{innerWidth}}x${{innerHeight}}, ${{navigator.userAgent}}`</script>"
                ),
            )
            .page("/own", SiteResponse::text("own"))
            .page("/moved", SiteResponse::redirect(302, "/"))
            .page("/text", SiteResponse::text("only text"))
            .page("/gone", SiteResponse::new(404, "text/html", "<p>gone")),
    );
    let spec = RequestSpec {
        headers: vec![("X-Key".to_owned(), "s3cret".to_owned())],
        user_agent: Some("asker/2.0".to_owned()),
        ..RequestSpec::default()
    };
    let client = RenderSettings {
        viewport: (640, 480),
        ..RenderSettings::default()
    };
    let remote = Remote::new(&spec, client, |_| ());
    let (state, counts) = remote.renderer.status().await;
    assert_eq!((state, counts.starts), (BrowserState::NotRunning, 0));
    let page = remote.document(&site.url("/")).await.unwrap();
    assert_eq!(page.status, 200);
    let text = markup(&page);
    assert!(
        text.contains("640x480") && text.contains("asker/2.0"),
        "{text}"
    );
    assert!(page.rendering.unwrap().browser_time > Duration::ZERO);
    // The caller's headers go to the page's own origin only.
    let key = |server: &Server, path: &str| {
        let hits = server.hits();
        let hit = hits.iter().find(|hit| hit.path_and_query == path).unwrap();
        let named = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("x-key");
        let header = hit.headers.iter().find(named);
        header.map(|(_, value)| value.clone())
    };
    assert_eq!(key(&site, "/").as_deref(), Some("s3cret"));
    assert_eq!(key(&site, "/own").as_deref(), Some("s3cret"));
    assert_eq!(key(&other, "/x"), None);
    let moved = remote.document(&site.url("/moved")).await.unwrap();
    assert_eq!((moved.status, moved.location.as_deref()), (302, Some("/")));
    let gone = remote.document(&site.url("/gone")).await.unwrap();
    assert_eq!((gone.status, markup(&gone).contains("gone")), (404, true));
    // Fetched by the process that asks.
    let text = remote.document(&site.url("/text")).await.unwrap();
    assert!(!matches!(text.body, Body::Unread), "{text:?}");
    assert!(!text.rendering.unwrap().rendered);
    let (state, counts) = remote.renderer.status().await;
    assert_eq!((state, counts.starts), (BrowserState::Running, 1));
    assert_eq!((counts.pages, counts.failed, counts.busy), (4, 0, 0));
    remote.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_budgets_are_those_of_the_render_process() {
    let site = Server::start(|_: &Request| {
        SiteResponse::html("<script>for (let i = 0; i < 50; i++) fetch('/' + i)</script>")
    });
    let client = RenderSettings {
        budgets: PageBudgets::UNLIMITED,
        ..RenderSettings::default()
    };
    let remote = Remote::new(&RequestSpec::default(), client, |settings| {
        settings.budgets.requests = 10;
    });
    let failure = remote.document(&site.url("/")).await.unwrap_err();
    assert_eq!(failure.kind, FailKind::RenderBudget);
    assert!(
        failure.message.contains("more than 10 requests"),
        "{failure}"
    );
    remote.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_nobody_waits_for_is_canceled() {
    let site = Server::start(
        Pages::new()
            .html("/", "<p>healthy")
            .html("/slow", "<p>slow<script>fetch('/hang')</script>")
            .page("/hang", SiteResponse::script(vec![SocketStep::Hang])),
    );
    let client = RenderSettings {
        nav_timeout: Duration::from_mins(10),
        ..RenderSettings::default()
    };
    let remote = Remote::new(&RequestSpec::default(), client, |settings| {
        settings.tabs = 1;
    });
    let url = site.url("/slow");
    let page = remote.document(&url);
    let loading = until("the page is loading", || site.count("/hang") > 0);
    tokio::select! {
        page = page => panic!("{page:?}"),
        () = loading => (),
    }
    until("the tab is free", || {
        remote.test.renderer.numbers().busy == 0
    })
    .await;
    let page = remote.document(&site.url("/")).await.unwrap();
    assert!(markup(&page).contains("healthy"));
    remote.close().await;
}

/// The guard of the render process decides what a page loads, so it has to know what the other process denies.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_refused_if_the_render_process_does_not_deny_the_same() {
    let site = Server::start(Pages::new().html("/", "<p>text"));
    let denying = |entries: &[&str]| RenderSettings {
        denied: entries.iter().map(|entry| (*entry).to_owned()).collect(),
        ..RenderSettings::default()
    };
    let client = denying(&["198.51.100.0/24", "bad.example"]);
    let remote = Remote::new(&RequestSpec::default(), client.clone(), |own| {
        own.denied = vec!["bad.example".to_owned()];
    });
    let failure = remote.document(&site.url("/")).await.unwrap_err();
    assert_eq!(failure.kind, FailKind::NoBrowser);
    assert!(
        failure
            .message
            .contains("does not list 198.51.100.0/24: give it the same egress.deny"),
        "{}",
        failure.message
    );
    remote.close().await;
    let remote = Remote::new(&RequestSpec::default(), client.clone(), |own| {
        own.denied = client.denied;
    });
    assert_eq!(remote.document(&site.url("/")).await.unwrap().status, 200);
    remote.close().await;
}
