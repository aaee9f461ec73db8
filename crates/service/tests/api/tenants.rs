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
use crate::described_endpoints::{Endpoint, ParameterValues, Variant, endpoints};
use crate::service::{look_up, new_key, service, settle_all, start};

const BATCH: &str = "/v1/batch/scrape";

/// A client with a key.
struct Client {
    port: u16,
    key: &'static str,
}

impl Client {
    async fn call(&self, method: &str, path: &str) -> Reply {
        self.request(method, path, &Variant::default()).await
    }

    /// Sends a request with the headers of a variant.
    async fn request(&self, method: &str, target: &str, variant: &Variant) -> Reply {
        let value = format!("Bearer {}", self.key);
        let mut headers = vec![("authorization", value.as_str())];
        let added = variant.headers.iter();
        headers.extend(added.map(|(name, value)| (name.as_str(), value.as_str())));
        call(self.port, method, target, &headers, "").await
    }

    /// Creates a batch with an idempotency key that all clients use, and returns its id.
    async fn create(&self) -> String {
        let urls = ["1", "2"].map(|page| format!("https://example.org/{page}-of-alice"));
        let body = json!({ "urls": urls }).to_string();
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

/// The described endpoints, with the name and the cursors of alice as values of their parameters.
async fn described(alice: &Client, job: &str) -> Vec<Endpoint> {
    let mut cursors = vec!["1".to_owned()];
    for list in ["documents", "map", "tasks"] {
        let list = alice
            .call("GET", &format!("/v1/jobs/{job}/{list}?limit=1"))
            .await;
        let cursor = list.json()["next_cursor"].as_str().unwrap().to_owned();
        cursors.push(cursor);
    }
    let description = serde_json::from_str(&openapi_json()).unwrap();
    let values = ParameterValues {
        owner: "alice",
        cursors: &cursors,
        idempotency_key: "the-same",
    };
    endpoints(&description, &values)
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
async fn foreign_jobs_do_not_exist(
    endpoints: &[Endpoint],
    alice: &Client,
    bob: &Client,
    root: &Client,
    job: &str,
) {
    let unknown = JobId::fresh().to_string();
    let wrong = ["?limit=0", "?nothing=1"].map(|query| Variant {
        query: query.to_owned(),
        ..Variant::default()
    });
    let with_id: Vec<&Endpoint> = endpoints.iter().filter(|one| one.has_id()).collect();
    assert!(with_id.len() >= 7, "{with_id:?}");
    for endpoint in with_id {
        let method = &endpoint.method;
        for variant in endpoint.variants.iter().chain(&wrong) {
            let target = endpoint.target(job, variant);
            let foreign = bob.request(method, &target, variant).await;
            let missing = endpoint.target(&unknown, variant);
            let missing = bob.request(method, &missing, variant).await;
            assert_eq!(seen(&foreign), seen(&missing), "{method} {target}");
            if !target.contains("?limit=0") && !target.contains("?nothing=1") {
                foreign.problem(404, "job_not_found");
            }
        }
        let target = endpoint.target(job, &Variant::default());
        for client in [alice, root] {
            let own = client.call(method, &target).await;
            assert_ne!(own.status, 404, "{method} {target}");
        }
    }
}

/// Endpoints without an id show nothing of other owners.
async fn lists_show_own_jobs_only(
    endpoints: &[Endpoint],
    alice: &Client,
    bob: &Client,
    root: &Client,
    job: &str,
) {
    for endpoint in endpoints.iter().filter(|one| !one.has_id()) {
        for variant in endpoint
            .variants
            .iter()
            .filter(|_| endpoint.method == "GET")
        {
            let target = endpoint.target("", variant);
            let reply = bob.request("GET", &target, variant).await;
            let leaks = reply.body.contains(job) || reply.body.contains("\"alice\"");
            assert!(!leaks, "{target}: {}", reply.body);
        }
    }
    let count = async |client: &Client, query: &str| {
        let reply = client.call("GET", &format!("/v1/jobs{query}")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json()["jobs"].as_array().unwrap().len()
    };
    assert_eq!(count(bob, "").await, 1);
    assert_eq!(count(bob, "?owner=bob").await, 1);
    assert_eq!(count(alice, "?owner=alice").await, 1);
    assert_eq!(count(root, "").await, 2);
    assert_eq!(count(root, "?owner=alice").await, 1);
    for (client, owner) in [(bob, "alice"), (bob, "carol"), (root, "carol")] {
        let reply = client.call("GET", &format!("/v1/jobs?owner={owner}")).await;
        reply.problem(404, "owner_not_found");
    }
    // They are those of all owners.
    let reply = bob.call("GET", "/metrics").await;
    reply.problem(403, "admin_required");
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
    let described = described(&alice, &job).await;
    foreign_jobs_do_not_exist(&described, &alice, &bob, &root, &job).await;
    lists_show_own_jobs_only(&described, &alice, &bob, &root, &job).await;
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
