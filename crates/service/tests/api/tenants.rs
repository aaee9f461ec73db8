//! Owners do not see each other's jobs, through any endpoint and on both stores. The endpoints are those of the OpenAPI
//! description, so that a new one cannot be forgotten.

use std::str::FromStr;

use crawler_service::api::{App, openapi_json};
use crawler_service::config::Config;
use crawler_store::{Access, JobFilter, JobId, KeyRole, NewKey, Store};
use crawler_store_postgres::{PostgresOptions, PostgresStore};
use serde_json::{Value, json};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection, Executor};

use crate::client::{Reply, call};
use crate::service::{look_up, new_key, service, settle_all, start};

const BATCH: &str = "/v1/batch/scrape";

/// A client with a key.
struct Client {
    port: u16,
    key: &'static str,
}

impl Client {
    async fn call(&self, method: &str, path: &str) -> Reply {
        let value = format!("Bearer {}", self.key);
        let headers = [("authorization", value.as_str())];
        call(self.port, method, path, &headers, "").await
    }

    /// Creates a batch with an idempotency key that all clients use, and returns its id.
    async fn create(&self) -> String {
        let body = json!({"urls": ["https://example.org/page-of-alice"]}).to_string();
        let value = format!("Bearer {}", self.key);
        let headers = [
            ("authorization", value.as_str()),
            ("content-type", "application/json"),
            ("idempotency-key", "the-same"),
        ];
        let reply = call(self.port, "POST", BATCH, &headers, &body).await;
        assert_eq!(reply.status, 202, "{}", reply.body);
        reply.json()["id"].as_str().unwrap().to_owned()
    }
}

/// The methods and paths of the description for which `wanted` is true.
fn endpoints(wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let described: Value = serde_json::from_str(&openapi_json()).unwrap();
    let mut found = Vec::new();
    for (path, methods) in described["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            if wanted(path) {
                found.push((method.to_uppercase(), path.clone()));
            }
        }
    }
    found
}

/// What a client can see of a response, besides what differs between any two responses.
fn seen(reply: &Reply) -> (u16, String, String) {
    let differs = |line: &&str| {
        let line = line.to_lowercase();
        !line.starts_with("x-request-id:") && !line.starts_with("date:")
    };
    let head: Vec<&str> = reply.head.lines().filter(differs).collect();
    (reply.status, head.join("\n"), reply.body.clone())
}

/// For every endpoint with an id: the job of another owner is answered like one that does not exist.
async fn foreign_jobs_do_not_exist(alice: &Client, bob: &Client, root: &Client, job: &str) {
    let endpoints = endpoints(|path| path.contains('{'));
    assert!(endpoints.len() >= 7, "{endpoints:?}");
    for (method, path) in endpoints {
        let path_of = |id: &str| {
            let filled = path.replace("{id}", id);
            assert!(
                !filled.contains('{'),
                "teach this test the parameters of {path}"
            );
            filled
        };
        let unknown = JobId::fresh().to_string();
        for query in ["", "?limit=0", "?nothing=1"] {
            let foreign = bob.call(&method, &(path_of(job) + query)).await;
            let missing = bob.call(&method, &(path_of(&unknown) + query)).await;
            assert_eq!(seen(&foreign), seen(&missing), "{method} {path}{query}");
            if query.is_empty() {
                foreign.problem(404, "job_not_found");
            }
        }
        for client in [alice, root] {
            let own = client.call(&method, &path_of(job)).await;
            assert_ne!(own.status, 404, "{method} {path}");
        }
    }
}

/// Endpoints without an id show nothing of other owners.
async fn lists_show_own_jobs_only(alice: &Client, bob: &Client, root: &Client, job: &str) {
    let lists = endpoints(|path| !path.contains('{'));
    for (_, path) in lists.iter().filter(|(method, _)| method == "GET") {
        for query in ["", "?owner=alice", "?status=completed"] {
            let reply = bob.call("GET", &format!("{path}{query}")).await;
            let leaks = reply.body.contains(job) || reply.body.contains("\"alice\"");
            assert!(!leaks, "{path}{query}: {}", reply.body);
        }
    }
    let count = async |client: &Client, query: &str| {
        let reply = client.call("GET", &format!("/v1/jobs{query}")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json()["jobs"].as_array().unwrap().len()
    };
    assert_eq!(count(bob, "").await, 1);
    assert_eq!(count(bob, "?owner=bob").await, 1);
    assert_eq!(count(bob, "?owner=alice").await, 0);
    assert_eq!(count(alice, "?owner=alice").await, 1);
    assert_eq!(count(root, "").await, 2);
    assert_eq!(count(root, "?owner=alice").await, 1);
    assert_eq!(count(root, "?owner=carol").await, 0);
    let metrics = bob.call("GET", "/metrics").await.body;
    assert!(metrics.contains("crawler_owner_requests_total{owner=\"bob\"}"));
    let metrics = root.call("GET", "/metrics").await.body;
    assert!(metrics.contains("crawler_owner_requests_total{owner=\"alice\"}"));
}

async fn owners_are_isolated<S: Store>(store: S) {
    for name in ["alice", "bob"] {
        store.add_key(new_key(name, name)).await.unwrap();
    }
    let admin = NewKey {
        role: KeyRole::Admin,
        ..new_key("root", "root")
    };
    store.add_key(admin).await.unwrap();
    let mut config = Config::default();
    config.browser.enabled = false;
    let app = App::resolving(store.clone(), config, look_up(&[])).unwrap();
    let (port, _stop) = start(app).await;
    let [alice, bob, root] = ["alice", "bob", "root"].map(|key| Client { port, key });
    let job = alice.create().await;
    settle_all(&store, 0).await;
    assert_eq!(alice.create().await, job, "the key finds the job");
    let other = bob.create().await;
    assert_ne!(other, job, "idempotency keys are not shared");
    foreign_jobs_do_not_exist(&alice, &bob, &root, &job).await;
    lists_show_own_jobs_only(&alice, &bob, &root, &job).await;
    let stored = store
        .jobs(&Access::AllOwners, JobFilter::default(), 10, None)
        .await
        .unwrap();
    assert_eq!(stored.entries.len(), 2);
}

#[tokio::test]
async fn owners_are_isolated_in_sqlite() {
    let service = service().await;
    owners_are_isolated(service.store.clone()).await;
}

#[tokio::test]
async fn owners_are_isolated_in_postgres() {
    let cluster = std::env::var("TEST_DATABASE_URL").unwrap_or_else(|_| {
        panic!("this test needs Postgres: run `cargo xtask test`, or set TEST_DATABASE_URL")
    });
    let options = PgConnectOptions::from_str(&cluster).unwrap();
    let mut admin = PgConnection::connect_with(&options).await.unwrap();
    let name = format!("tenants_test_{}", JobId::fresh().0.simple());
    let create = AssertSqlSafe(format!("CREATE DATABASE {name}"));
    admin.execute(create).await.unwrap();
    let (before, after) = cluster.rsplit_once('/').unwrap();
    let query = after.find('?').map_or("", |at| &after[at..]);
    let url = format!("{before}/{name}{query}");
    let store = PostgresStore::open(&url, PostgresOptions::default()).await;
    let store = store.unwrap();
    let tested = tokio::spawn(owners_are_isolated(store.clone())).await;
    store.close().await;
    let drop = AssertSqlSafe(format!("DROP DATABASE {name} WITH (FORCE)"));
    admin.execute(drop).await.unwrap();
    tested.unwrap();
}

/// The priority of a request is stored, and one out of range is refused with the range.
#[tokio::test]
async fn a_job_has_the_priority_of_its_request() {
    let service = service().await;
    let body = |priority: Value| json!({"url": "https://example.org/", "priority": priority});
    for (path, sent, stored) in [
        ("/v1/crawl", json!(0), 0),
        ("/v1/map", json!(9.0), 9),
        ("/v1/crawl", Value::Null, 5),
    ] {
        let id = service.create(path, &body(sent)).await;
        let job = service.get(&format!("/v1/jobs/{id}")).await.json();
        assert_eq!(job["priority"], stored);
        assert_eq!(job["owner"], "local");
    }
    let batch = json!({"urls": ["https://example.org/"], "priority": 10});
    for (path, body) in [("/v1/crawl", body(json!(10))), (BATCH, batch)] {
        let reply = service.post(path, &body).await;
        reply.names_field("priority");
        assert!(reply.body.contains("allowed: 0 to 9"), "{}", reply.body);
    }
    for wrong in [json!(-1), json!(1.5), json!("high")] {
        let reply = service.post("/v1/crawl", &body(wrong)).await;
        reply.names_field("priority");
    }
}
