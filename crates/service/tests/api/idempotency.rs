//! `Idempotency-Key`, and the response to a request whose job could not be confirmed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use crawler_service::api::App;
use crawler_service::config::{Config, Secret};
use crawler_store::{
    Access, CallWrapper, JobFilter, JobQueue, Jobs, StoreError, StoreResult, WorkerId, WrappedStore,
};
use serde_json::{Value, json};

use crate::client::{Reply, call};
use crate::service::{look_up, service, service_with, settle_as_done, start};

async fn post(port: u16, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut all = vec![("content-type", "application/json")];
    all.extend(headers);
    call(port, "POST", path, &all, body).await
}

async fn count_jobs(store: &impl Jobs) -> usize {
    let jobs = store
        .jobs(&Access::AllOwners, JobFilter::default(), 100, None)
        .await;
    jobs.unwrap().entries.len()
}

#[tokio::test]
async fn a_request_repeated_with_its_key_gets_the_same_response() {
    let service = service().await;
    let requests = [
        (
            "/v1/batch/scrape",
            r#"{"urls": ["https://example.org/", "bad"]}"#,
            r#"{ "urls":["https://example.org/","bad"], "use_js": null }"#,
            r#"{"urls": ["https://example.org/2"]}"#,
        ),
        (
            "/v1/crawl",
            r#"{"url": "https://example.org/", "max_depth": 1}"#,
            r#"{"max_depth": 1.0, "url": "https://example.org/"}"#,
            r#"{"url": "https://example.org/", "max_depth": 2}"#,
        ),
        (
            "/v1/map",
            r#"{"url": "https://example.org/"}"#,
            r#"{"url": "https://example.org/"}"#,
            r#"{"url": "https://example.org/other"}"#,
        ),
    ];
    for (path, body, same, other) in requests {
        let key = [("Idempotency-Key", path)];
        let first = post(service.port, path, &key, body).await;
        assert_eq!(first.status, 202, "{}", first.body);
        for repeated in [body, same] {
            let repeated = post(service.port, path, &key, repeated).await;
            assert_eq!((repeated.status, repeated.json()), (202, first.json()));
            assert_eq!(repeated.header("location"), first.header("location"));
        }
        let refused = post(service.port, path, &key, other).await;
        let problem = refused.problem(409, "idempotency_key_reused");
        assert_eq!(problem["field"], "Idempotency-Key");
    }
    // The same body for another kind of job is another request.
    let (path, body) = ("/v1/map", requests[1].1);
    let refused = post(
        service.port,
        path,
        &[("Idempotency-Key", "/v1/crawl")],
        body,
    )
    .await;
    refused.problem(409, "idempotency_key_reused");
    assert_eq!(count_jobs(&service.store).await, 3);
    // Without a key, every request creates a job.
    for _ in 0..2 {
        assert_eq!(post(service.port, path, &[], body).await.status, 202);
    }
    assert_eq!(count_jobs(&service.store).await, 5);
}

/// The job may have been started, finished or cancelled since.
#[tokio::test]
async fn a_repeated_request_gets_the_status_of_its_job() {
    let service = service().await;
    let (path, body) = ("/v1/batch/scrape", r#"{"urls": ["https://example.org/"]}"#);
    let create = async |key: &str| {
        let reply = post(service.port, path, &[("Idempotency-Key", key)], body).await;
        assert_eq!(reply.status, 202, "{}", reply.body);
        let job = reply.json();
        let field = |name: &str| job[name].as_str().unwrap().to_owned();
        (field("id"), field("status"))
    };
    let (id, status) = create("one").await;
    assert_eq!(status, "queued");
    let worker = WorkerId::fresh();
    let lease = Duration::from_secs(30);
    let claimed = service.store.claim(&worker, 10, lease).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!(create("one").await, (id.clone(), "running".to_owned()));
    settle_as_done(&service.store, claimed, 0).await;
    assert_eq!(create("one").await, (id, "completed".to_owned()));

    let (id, _) = create("two").await;
    let cancelled = service.delete(&format!("/v1/jobs/{id}")).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
    assert_eq!(create("two").await, (id, "cancelled".to_owned()));
    assert_eq!(count_jobs(&service.store).await, 2);
}

#[tokio::test]
async fn an_invalid_key_is_refused() {
    let service = service().await;
    let body = json!({"url": "https://example.org/"}).to_string();
    let long = "k".repeat(256);
    for keys in [vec![""], vec!["two words"], vec![&long], vec!["one", "two"]] {
        let headers: Vec<_> = keys.iter().map(|key| ("Idempotency-Key", *key)).collect();
        let refused = post(service.port, "/v1/crawl", &headers, &body).await;
        refused.problem(422, "invalid_request");
        refused.names_field("Idempotency-Key");
    }
    assert_eq!(count_jobs(&service.store).await, 0);
}

#[tokio::test]
async fn callers_do_not_share_keys() {
    let keys = ["alice-key-0123456789", "bob-key-0123456789ab"];
    let service = service_with(|config| {
        config.server.api_keys = keys.map(Secret::new).to_vec();
    })
    .await;
    let body = json!({"url": "https://example.org/"}).to_string();
    let create = async |key: &str| {
        let authorization = format!("Bearer {key}");
        let headers = [
            ("authorization", authorization.as_str()),
            ("Idempotency-Key", "the-same"),
        ];
        let reply = post(service.port, "/v1/crawl", &headers, &body).await;
        reply.json()["id"].clone()
    };
    let (alice, bob) = (create(keys[0]).await, create(keys[1]).await);
    assert_ne!(alice, bob);
    assert_eq!(create(keys[0]).await, alice);
}

/// Drops the result of the next call that creates a job.
#[derive(Clone)]
struct LostAnswer(Arc<AtomicBool>);

impl CallWrapper for LostAnswer {
    async fn call<T: Send>(
        &self,
        verb: &'static str,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        let result = call.await;
        if verb == "create_job" && self.0.swap(false, SeqCst) {
            return Err(StoreError::Unavailable("connection reset".to_owned()));
        }
        result
    }
}

#[tokio::test]
async fn a_job_that_was_not_confirmed_can_be_found() {
    let service = service().await;
    let fault = LostAnswer(Arc::new(AtomicBool::new(true)));
    let store = WrappedStore::new(service.store.clone(), fault.clone());
    let app = App::resolving(store, Config::default(), look_up(&[])).unwrap();
    let (port, _stop) = start(app).await;
    let body = json!({"url": "https://example.org/"}).to_string();
    let detail = |problem: &Value| problem["detail"].as_str().unwrap().to_owned();
    let lost = post(port, "/v1/crawl", &[], &body).await;
    let said = detail(&lost.problem(503, "store_unavailable"));
    let path = said
        .split_whitespace()
        .find(|word| word.starts_with("/v1/jobs/"));
    let found = call(port, "GET", path.expect("a path"), &[], "").await;
    assert_eq!(found.status, 200, "{said}: {}", found.body);
    assert!(said.contains("may have been created"), "{said}");

    fault.0.store(true, SeqCst);
    let key = [("Idempotency-Key", "key")];
    let lost = post(port, "/v1/crawl", &key, &body).await;
    let said = detail(&lost.problem(503, "store_unavailable"));
    assert!(said.contains("with the same Idempotency-Key"), "{said}");
    let repeated = post(port, "/v1/crawl", &key, &body).await;
    assert_eq!(repeated.status, 202, "{}", repeated.body);
    assert_eq!(count_jobs(&service.store).await, 2);
}
