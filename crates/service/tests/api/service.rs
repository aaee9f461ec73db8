//! Fixture: a running service with its own port and store.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use crawler_fetch::LookupFn;
use crawler_model::DocumentMeta;
use crawler_service::api::{App, serve};
use crawler_service::config::Config;
use crawler_store::{
    Claimed, HostDefaults, KeyHash, KeyRole, NewDocument, NewKey, NewMappedUrl, Owner, Quota,
    Settlement, Store, StoreLimits, TaskOutcome, WorkerId, WrappedStore,
};
use crawler_store_sqlite::{SqliteOptions, SqliteStore};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::client::{Reply, call};
use crate::store_calls::StoreCalls;

/// A key of a user, to add to the store.
pub(crate) fn new_key(name: &str, secret: &str) -> NewKey {
    NewKey {
        name: Owner::parse(name).unwrap(),
        hash: KeyHash::of(secret),
        role: KeyRole::User,
        expires_in: None,
        quota: Quota::default(),
    }
}

/// A running service; stopped on drop.
pub(crate) struct TestService {
    pub(crate) port: u16,
    pub(crate) store: SqliteStore,
    /// What the service asks of the store.
    pub(crate) calls: StoreCalls,
    _folder: TempDir,
    _stop: oneshot::Sender<()>,
}

/// Starts a service that can reach the site of these tests and no other private address.
pub(crate) async fn service() -> TestService {
    service_with(|_| ()).await
}

pub(crate) async fn service_with(change: impl FnOnce(&mut Config)) -> TestService {
    service_with_names(change, &[]).await
}

/// Like [`service_with`], with additional host names and their addresses.
pub(crate) async fn service_with_names(
    change: impl FnOnce(&mut Config),
    names: &[(&str, IpAddr)],
) -> TestService {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.egress.allow = vec!["site.test".to_owned()];
    config.worker.max_attempts = 1;
    // Rendering is tested with the binary.
    config.browser.enabled = false;
    config.worker.per_host_concurrency = 1_000;
    config.worker.per_host_rps = 0.0;
    change(&mut config);
    let options = SqliteOptions {
        limits: StoreLimits::from(HostDefaults {
            in_flight: config.worker.per_host_concurrency,
            interval: config.host_interval(),
        }),
        ..SqliteOptions::default()
    };
    let store = SqliteStore::open(&folder.path().join("crawler.db"), options)
        .await
        .unwrap();
    let look_up = look_up(names);
    let calls = StoreCalls::default();
    let counted = WrappedStore::new(store.clone(), calls.clone());
    let app = App::resolving(counted, config, look_up).unwrap();
    let (port, stop) = start(app).await;
    TestService {
        port,
        store,
        calls,
        _folder: folder,
        _stop: stop,
    }
}

/// Serves an API; returns its port, and what stops it when dropped.
pub(crate) async fn start<S: Store>(app: App<S>) -> (u16, oneshot::Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(async move {
        let stopped = async {
            // Dropping the sender stops the service as well.
            let _ = stopped.await;
        };
        serve(app, listener, stopped, Duration::from_secs(5)).await;
    });
    (port, stop)
}

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A resolver for these names and the site of the tests with its subdomains only.
pub(crate) fn look_up(names: &[(&str, IpAddr)]) -> LookupFn {
    let own = names
        .iter()
        .map(|(name, address)| ((*name).to_owned(), *address));
    let mut names: HashMap<String, IpAddr> = own.collect();
    names.insert("site.test".to_owned(), LOOPBACK);
    Arc::new(move |name: &str| {
        let known = names.get(name).copied();
        let subdomain = name.ends_with(".site.test").then_some(LOOPBACK);
        known.or(subdomain).into_iter().collect()
    })
}

impl TestService {
    pub(crate) async fn get(&self, path: &str) -> Reply {
        call(self.port, "GET", path, &[], "").await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        call(self.port, "DELETE", path, &[], "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        let headers = [("content-type", "application/json")];
        call(self.port, "POST", path, &headers, &body.to_string()).await
    }

    /// Creates a job and returns its id.
    pub(crate) async fn create(&self, path: &str, body: &Value) -> String {
        let reply = self.post(path, body).await;
        assert_eq!(reply.status, 202, "{}", reply.body);
        reply.json()["id"].as_str().unwrap().to_owned()
    }

    /// Creates a finished batch of this many pages, each with a document and a link.
    pub(crate) async fn done_batch(&self, pages: usize, output_format: &str) -> String {
        self.batch_of(pages, output_format, 0).await
    }

    /// Like [`TestService::done_batch`], with documents of this many bytes.
    pub(crate) async fn long_batch(&self, pages: usize, bytes: usize) -> String {
        self.batch_of(pages, "markdown", bytes).await
    }

    async fn batch_of(&self, pages: usize, output_format: &str, bytes: usize) -> String {
        let urls: Vec<String> = (0..pages)
            .map(|n| format!("https://example.org/{n}"))
            .collect();
        let body = json!({"urls": urls, "output_format": output_format});
        let id = self.create("/v1/batch/scrape", &body).await;
        settle_all(&self.store, bytes).await;
        id
    }
}

/// Settles every task that is ready, each with a document of at least this many bytes and a link.
pub(crate) async fn settle_all<S: Store>(store: &S, bytes: usize) {
    let worker = WorkerId::fresh();
    loop {
        let claimed = store
            .claim(&worker, 500, Duration::from_secs(30))
            .await
            .unwrap();
        if claimed.is_empty() {
            return;
        }
        settle_as_done(store, claimed, bytes).await;
    }
}

/// Finishes tasks, each with a document of this many bytes and a link.
pub(crate) async fn settle_as_done<S: Store>(store: &S, claimed: Vec<Claimed>, bytes: usize) {
    let mut meta = DocumentMeta::default();
    meta.status_code = 200;
    let settle = |task: Claimed| Settlement {
        lease: task.lease,
        job: task.job,
        outcome: TaskOutcome::Done {
            document: Some(Box::new(NewDocument {
                requested_url: task.url.clone(),
                final_url: task.url.clone(),
                title: Some("A page".to_owned()),
                content_md: Some(format!(
                    "# A page\n\n**{}**\n{}",
                    task.url,
                    "x".repeat(bytes)
                )),
                content_raw: Some(format!("<h1>A page</h1><p><b>{}</b></p>", task.url)),
                meta: meta.clone(),
            })),
            mapped: vec![NewMappedUrl {
                source_url: task.url.clone(),
                target_url: format!("{}#next", task.url),
                depth: 1,
            }],
            bytes: 10,
        },
        browser_time: Duration::ZERO,
        found: Vec::new(),
        refused: Vec::new(),
    };
    let batch = claimed.into_iter().map(settle).collect();
    store.settle(batch).await.unwrap();
}
