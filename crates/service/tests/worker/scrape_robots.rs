//! `POST /v1/scrape` obeys the robots.txt files that any process of the service has read, on both stores.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crawler_service::SharedBrowser;
use crawler_service::api::{App, serve};
use crawler_service::config::Config;
use crawler_service::job_params::JobParams;
use crawler_store::{CallWrapper, JobKind, Store, StoreError, StoreResult, WrappedStore};
use serde_json::json;
use testsite::{Request, Server, SiteResponse};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::client::{Reply, call};
use crate::postgres;
use crate::test_store::{TestStore, fast};

/// A process that serves the API; it ends when this is dropped.
struct ApiProcess {
    port: u16,
    _stop: oneshot::Sender<()>,
}

impl ApiProcess {
    async fn start<S: Store>(store: S) -> Self {
        let mut config = Config::default();
        config.egress.allow_private = true;
        config.browser.enabled = false;
        config.worker.max_attempts = 1;
        let app = App::new(store, config.clone(), SharedBrowser::open(&config).unwrap());
        let app = app.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            serve(app, listener, stopped, Duration::from_secs(5)).await;
        });
        Self { port, _stop: stop }
    }

    async fn scrape(&self, url: &str) -> Reply {
        let headers = [("content-type", "application/json")];
        let body = json!({ "url": url }).to_string();
        call(self.port, "POST", "/v1/scrape", &headers, &body).await
    }
}

/// A site whose robots.txt can fail.
struct Site {
    server: Server,
    fails: Arc<AtomicBool>,
}

impl Site {
    fn start() -> Self {
        let fails = Arc::<AtomicBool>::default();
        let failing = Arc::clone(&fails);
        let server = Server::start(move |request: &Request| match request.path() {
            "/robots.txt" if failing.load(Ordering::SeqCst) => SiteResponse::status(503),
            "/robots.txt" => SiteResponse::text("User-agent: *\nDisallow: /no"),
            _ => SiteResponse::html("<title>a page</title><p>words"),
        });
        Self { server, fails }
    }

    /// A process that has not read robots.txt scrapes while it fails.
    async fn check<S: Store>(&self, store: &S) {
        self.fails.store(true, Ordering::SeqCst);
        let process = ApiProcess::start(store.clone()).await;
        let reply = process.scrape(&self.server.url("/no")).await;
        reply.problem(403, "blocked_by_robots");
        assert_eq!(self.server.count("/no"), 0);
        let reply = process.scrape(&self.server.url("/yes")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
}

async fn rules_that_a_worker_has_read_are_obeyed<S: Store, P>(test_store: TestStore<S, P>) {
    let site = Site::start();
    let params = JobParams::for_url(site.server.url("/"));
    test_store.run(JobKind::Scrape, &params).await;
    assert_eq!(site.server.count("/robots.txt"), 1);
    site.check(&test_store.store).await;
    // It used what was stored.
    assert_eq!(site.server.count("/robots.txt"), 1);
}

async fn rules_are_obeyed_after_a_restart<S: Store, P>(test_store: TestStore<S, P>) {
    let site = Site::start();
    let process = ApiProcess::start(test_store.store.clone()).await;
    for _ in 0..2 {
        let reply = process.scrape(&site.server.url("/yes")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
    assert_eq!(site.server.count("/robots.txt"), 1);
    drop(process);
    site.check(&test_store.store).await;
    let stored = test_store.store.robots(&site.server.origin()).await;
    assert!(stored.unwrap().unwrap().read.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scrape_obeys_what_a_worker_has_read() {
    rules_that_a_worker_has_read_are_obeyed(TestStore::fresh(fast()).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scrape_obeys_what_a_worker_has_read_on_postgres() {
    rules_that_a_worker_has_read_are_obeyed(postgres::fresh(fast()).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scrape_obeys_what_was_read_before_a_restart() {
    rules_are_obeyed_after_a_restart(TestStore::fresh(fast()).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scrape_obeys_what_was_read_before_a_restart_on_postgres() {
    rules_are_obeyed_after_a_restart(postgres::fresh(fast()).await).await;
}

/// Fails the lookups of robots.txt while it is set.
#[derive(Clone, Default)]
struct NoLookups(Arc<AtomicBool>);

impl CallWrapper for NoLookups {
    async fn call<T: Send>(
        &self,
        verb: &'static str,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        if verb == "robots" && self.0.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("injected".to_owned()));
        }
        call.await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scrape_fetches_nothing_while_the_store_cannot_say_what_is_known() {
    let test_store = TestStore::fresh(fast()).await;
    let site = Site::start();
    let params = JobParams::for_url(site.server.url("/"));
    test_store.run(JobKind::Scrape, &params).await;
    let away = NoLookups::default();
    let store = WrappedStore::new(test_store.store.clone(), away.clone());
    let known = ApiProcess::start(store.clone()).await;
    assert_eq!(known.scrape(&site.server.url("/yes")).await.status, 200);
    site.fails.store(true, Ordering::SeqCst);
    away.0.store(true, Ordering::SeqCst);
    let process = ApiProcess::start(store).await;
    let reply = process.scrape(&site.server.url("/no")).await;
    assert!(reply.status >= 500, "{}", reply.body);
    assert_eq!(
        (site.server.count("/no"), site.server.count("/robots.txt")),
        (0, 1)
    );
    // A process that knows the origin does not ask the store.
    assert_eq!(known.scrape(&site.server.url("/yes")).await.status, 200);
    away.0.store(false, Ordering::SeqCst);
    let reply = process.scrape(&site.server.url("/no")).await;
    reply.problem(403, "blocked_by_robots");
    assert_eq!(site.server.count("/no"), 0);
}
