//! Quotas: 429 with the quota, `GET /v1/usage`, and requests to `/v1/scrape` that cannot start in time.

use std::time::Duration;

use crawler_store::{ApiKeys, KeyRole, NewKey, Quota};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::{Reply, call};
use crate::service::{TestService, new_key, service, service_with, settle_all};
use crate::site::{Site, page};

/// Limit for every wait.
const TIMEOUT: Duration = Duration::from_mins(1);

const PAGE: &str = "<title>A page</title><p>Some words.";

/// A site whose page `/slow` never responds.
async fn site() -> Site {
    Site::start(|path| match path {
        "/slow" => "never".to_owned(),
        _ => page(PAGE),
    })
    .await
}

pub(crate) async fn add_key(service: &TestService, name: &str, quotas: &[&str]) {
    let mut quota = Quota::default();
    for one in quotas {
        quota.set(one).unwrap();
    }
    let key = NewKey {
        quota,
        ..new_key(name, name)
    };
    service.store.add_key(key).await.unwrap();
}

pub(crate) async fn call_as(
    service: &TestService,
    key: &str,
    method: &str,
    path: &str,
    body: &Value,
) -> Reply {
    let value = format!("Bearer {key}");
    let headers = [
        ("authorization", value.as_str()),
        ("content-type", "application/json"),
    ];
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    call(service.port, method, path, &headers, &body).await
}

/// The limit of a quota and what is in use.
pub(crate) async fn quota_of(service: &TestService, key: &str, name: &str) -> (Value, Value) {
    let reply = call_as(service, key, "GET", "/v1/usage", &Value::Null).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let usage = reply.json();
    assert_eq!(usage["owner"], key);
    let quotas = usage["quotas"].as_array().unwrap();
    assert_eq!(quotas.len(), Quota::NAMES.len());
    let quota = quotas.iter().find(|quota| quota["name"] == name).unwrap();
    (quota["limit"].clone(), quota["used"].clone())
}

/// Waits until a quota is used this often.
pub(crate) async fn until_used(service: &TestService, key: &str, name: &str, used: u64) {
    let waiting = async {
        while quota_of(service, key, name).await.1 != used {
            tokio::task::yield_now().await;
        }
    };
    let waited = timeout(TIMEOUT, waiting).await;
    waited.unwrap_or_else(|_| panic!("{name} is never {used}"));
}

/// Checks that this is the refusal of a quota, and returns it.
#[track_caller]
pub(crate) fn exceeded(reply: &Reply, name: &str) -> Value {
    let problem = reply.problem(429, "quota_exceeded");
    let quota = problem["quota"].clone();
    assert_eq!(quota["name"], name, "{problem}");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains(name), "{detail}");
    quota
}

/// Sends a request and returns its connection without reading the response.
pub(crate) async fn send(service: &TestService, key: &str, path: &str, body: &Value) -> TcpStream {
    let address = ("127.0.0.1", service.port);
    let mut stream = TcpStream::connect(address).await.unwrap();
    let (method, body) = match body {
        Value::Null => ("GET", String::new()),
        body => ("POST", body.to_string()),
    };
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parallel_requests_create_as_many_jobs_as_the_quota_allows() {
    let service = service().await;
    add_key(&service, "alice", &["open_jobs=1"]).await;
    add_key(&service, "bob", &["queued_tasks=3"]).await;
    let body = json!({"url": "https://example.org/"});
    let requests = (0..100).map(|_| call_as(&service, "alice", "POST", "/v1/crawl", &body));
    let replies = futures_util::future::join_all(requests).await;
    let (created, refused): (Vec<_>, Vec<_>) =
        replies.iter().partition(|reply| reply.status == 202);
    assert_eq!((created.len(), refused.len()), (1, 99));
    for reply in refused {
        let quota = exceeded(reply, "open_jobs");
        assert_eq!((&quota["limit"], &quota["used"]), (&json!(1), &json!(1)));
        assert_eq!(reply.header("retry-after"), Some("30"));
    }
    assert_eq!(
        quota_of(&service, "alice", "open_jobs").await,
        (json!(1), json!(1))
    );
    let urls: Vec<String> = (0..4).map(|n| format!("https://example.org/{n}")).collect();
    let batch = |count: usize| json!({"urls": urls[..count]});
    let path = "/v1/batch/scrape";
    let reply = call_as(&service, "bob", "POST", path, &batch(4)).await;
    exceeded(&reply, "queued_tasks");
    assert_eq!(reply.header("retry-after"), Some("30"));
    let reply = call_as(&service, "bob", "POST", path, &batch(3)).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    let reply = call_as(&service, "bob", "POST", "/v1/map", &body).await;
    exceeded(&reply, "queued_tasks");
    settle_all(&service.store, 0).await;
    for key in ["alice", "bob"] {
        let used = quota_of(&service, key, "queued_tasks").await.1;
        assert_eq!(used, 0);
        let reply = call_as(&service, key, "POST", "/v1/crawl", &body).await;
        assert_eq!(reply.status, 202, "{}", reply.body);
    }
}

/// The pages of a day end with jobs as with single pages, and both are counted.
#[tokio::test]
async fn pages_of_a_day_are_counted_for_jobs_and_scrapes() {
    let (service, site) = (service().await, site().await);
    add_key(&service, "alice", &["pages_per_day=3"]).await;
    let scrape = json!({"url": site.url("/")});
    let path = "/v1/scrape";
    let reply = call_as(&service, "alice", "POST", path, &scrape).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let urls = ["https://example.org/1", "https://example.org/2"];
    let batch = json!({"urls": urls});
    let reply = call_as(&service, "alice", "POST", "/v1/batch/scrape", &batch).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    settle_all(&service.store, 0).await;
    assert_eq!(
        quota_of(&service, "alice", "pages_per_day").await,
        (json!(3), json!(3))
    );
    let stored = quota_of(&service, "alice", "stored_bytes").await;
    assert!(stored.1.as_u64() > Some(100), "{stored:?}");
    // A reading may be two seconds old.
    let refused = async {
        loop {
            let reply = call_as(&service, "alice", "POST", path, &scrape).await;
            if reply.status != 200 {
                return reply;
            }
        }
    };
    let reply = timeout(TIMEOUT, refused).await.unwrap();
    exceeded(&reply, "pages_per_day");
    let seconds = reply.header("retry-after").unwrap().parse::<u64>();
    assert!((1..=86_400).contains(&seconds.unwrap()));
    // A job is refused as soon as the pages of scrapes have been written to the store.
    let refused = async {
        loop {
            let reply = call_as(&service, "alice", "POST", "/v1/batch/scrape", &batch).await;
            if reply.status != 202 {
                return reply;
            }
        }
    };
    let reply = timeout(TIMEOUT, refused).await.unwrap();
    exceeded(&reply, "pages_per_day");
    assert!(reply.header("retry-after").is_some());
}

/// A page counts when it was requested, whether or not somebody waits for it, and as long as it may be.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_a_day_include_those_that_nobody_waited_for() {
    let site = site().await;
    let service = service_with(|config| config.crawl.respect_robots = false).await;
    add_key(&service, "alice", &["pages_per_day=1"]).await;
    let slow = json!({"url": site.url("/slow")});
    let gone = send(&service, "alice", "/v1/scrape", &slow).await;
    let requested = async {
        while site.connections() == 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(TIMEOUT, requested).await.unwrap();
    // The page in flight is the last one of the day.
    let fast = json!({"url": site.url("/")});
    let reply = call_as(&service, "alice", "POST", "/v1/scrape", &fast).await;
    exceeded(&reply, "pages_per_day");
    assert_eq!(reply.header("retry-after"), Some("1"));
    drop(gone);
    until_used(&service, "alice", "pages_per_day", 1).await;
    let reply = call_as(&service, "alice", "POST", "/v1/scrape", &fast).await;
    exceeded(&reply, "pages_per_day");
    assert_eq!(site.connections(), 1);
}

#[tokio::test]
async fn the_rate_of_an_owner_is_limited() {
    let service = service().await;
    add_key(&service, "alice", &["requests_per_second=0.01"]).await;
    add_key(&service, "bob", &[]).await;
    // Refused before anything is fetched.
    let body = json!({"url": "http://nowhere.test/"});
    let path = "/v1/scrape";
    let reply = call_as(&service, "alice", "POST", path, &body).await;
    reply.problem(502, "fetch_failed");
    let reply = call_as(&service, "alice", "POST", path, &body).await;
    let quota = exceeded(&reply, "requests_per_second");
    assert_eq!(quota["limit"], 0.01);
    let seconds = reply.header("retry-after").unwrap().parse::<u64>();
    assert!((1..=100).contains(&seconds.unwrap()));
    let reply = call_as(&service, "bob", "POST", path, &body).await;
    reply.problem(502, "fetch_failed");
    assert_eq!(
        quota_of(&service, "alice", "requests_per_second").await,
        (json!(0.01), Value::Null)
    );
}

/// A client that disconnects gives its place back at once; so does a response that is never read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_is_gone_or_never_reads_holds_nothing() {
    let (service, site) = (service().await, site().await);
    add_key(&service, "alice", &["requests_in_flight=1"]).await;
    let slow = json!({"url": site.url("/slow")});
    let gone = send(&service, "alice", "/v1/scrape", &slow).await;
    until_used(&service, "alice", "requests_in_flight", 1).await;
    let reply = call_as(&service, "alice", "POST", "/v1/scrape", &slow).await;
    let quota = exceeded(&reply, "requests_in_flight");
    assert_eq!((&quota["limit"], &quota["used"]), (&json!(1), &json!(1)));
    assert_eq!(reply.header("retry-after"), Some("1"));
    drop(gone);
    until_used(&service, "alice", "requests_in_flight", 0).await;
    // Twenty responses that nobody reads, one after the other.
    let fast = json!({"url": site.url("/")});
    let mut unread = Vec::new();
    for _ in 0..20 {
        let sent = send(&service, "alice", "/v1/scrape", &fast).await;
        // The response is there, or on its way, once the place is free.
        sent.readable().await.unwrap();
        until_used(&service, "alice", "requests_in_flight", 0).await;
        unread.push(sent);
    }
    let reply = call_as(&service, "alice", "POST", "/v1/scrape", &fast).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
}

/// An admin key can see the usage of any owner, other keys only their own.
#[tokio::test]
async fn usage_is_shown_to_its_owner_and_to_admins() {
    let service = service_with(|config| config.quotas.open_jobs = 7).await;
    let reply = service.get("/v1/usage").await;
    assert_eq!(reply.json()["owner"], "local");
    let quota = ["open_jobs=3", "event_streams=0", "weight=3"];
    add_key(&service, "alice", &quota).await;
    add_key(&service, "bob", &[]).await;
    let admin = NewKey {
        role: KeyRole::Admin,
        ..new_key("root", "root")
    };
    service.store.add_key(admin).await.unwrap();
    // Whether there are keys is cached.
    let known = async { while service.get("/v1/usage").await.status != 401 {} };
    timeout(TIMEOUT, known).await.unwrap();
    let of = |name: &str| format!("/v1/usage?owner={name}");
    let open_jobs = |reply: &Reply| {
        let usage = reply.json();
        assert!(
            usage["day_ends_at"]
                .as_str()
                .unwrap()
                .ends_with("T00:00:00.000Z")
                || {
                    // The two clocks may differ by a moment.
                    usage["day_ends_at"].as_str().unwrap().len() == 24
                }
        );
        let quotas = usage["quotas"].as_array().unwrap();
        let quota = quotas.iter().find(|quota| quota["name"] == "open_jobs");
        quota.unwrap()["limit"].clone()
    };
    for (key, name, limit) in [
        ("root", "alice", 3),
        ("alice", "alice", 3),
        ("root", "bob", 7),
        ("root", "local", 7),
    ] {
        let reply = call_as(&service, key, "GET", &of(name), &Value::Null).await;
        assert_eq!(open_jobs(&reply), limit, "{key} {name}");
        assert_eq!(reply.json()["owner"], name);
    }
    for path in ["/v1/usage", "/v1/jobs"] {
        let of = |name: &str| format!("{path}?owner={name}");
        for (key, name) in [("bob", "alice"), ("bob", "nobody"), ("root", "nobody")] {
            let reply = call_as(&service, key, "GET", &of(name), &Value::Null).await;
            reply.problem(404, "owner_not_found");
        }
        for (key, name) in [("bob", "bob"), ("root", "alice"), ("root", "local")] {
            let reply = call_as(&service, key, "GET", &of(name), &Value::Null).await;
            assert_eq!(reply.status, 200, "{key} {name}: {}", reply.body);
        }
    }
    let weight = async |key| quota_of(&service, key, "weight").await;
    assert_eq!(weight("alice").await, (json!(3), Value::Null));
    assert_eq!(weight("bob").await, (json!(1), Value::Null));
    assert_eq!(
        quota_of(&service, "alice", "event_streams").await.0,
        Value::Null
    );
}

/// A request that cannot start in time is refused with what it waited for, whatever it waited for; it is not a timeout.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_for_a_turn_is_not_a_slow_page() {
    let site = site().await;
    let service = service_with(|config| {
        config.worker.per_host_concurrency = 1;
        config.server.scrape_wait = Duration::from_millis(700);
        config.http.timeout = Duration::from_mins(2);
        config.crawl.respect_robots = false;
    })
    .await;
    let slow = json!({"url": site.url("/slow")});
    let held = send(&service, "local", "/v1/scrape", &slow).await;
    until_used(&service, "local", "requests_in_flight", 1).await;
    let refused = async {
        loop {
            // The first request may not have its turn yet.
            let reply = service
                .post("/v1/scrape", &json!({"url": site.url("/")}))
                .await;
            if reply.status != 200 {
                return reply;
            }
        }
    };
    let reply = timeout(TIMEOUT, refused).await.unwrap();
    let problem = reply.problem(503, "busy");
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("for its turn") && detail.contains("host"),
        "{detail}"
    );
    assert!(reply.header("retry-after").is_some());
    // A client that is gone frees its turn.
    drop(held);
    let served = async {
        while service
            .post("/v1/scrape", &json!({"url": site.url("/")}))
            .await
            .status
            != 200
        {}
    };
    timeout(TIMEOUT, served).await.unwrap();
}

/// When the interval of a host is longer than a request may wait, the request is refused at once and told when to come again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_interval_is_refused_at_once() {
    let site = site().await;
    let service = service_with(|config| {
        config.worker.per_host_rps = 0.001;
        config.crawl.respect_robots = false;
    })
    .await;
    let body = json!({"url": site.url("/")});
    let reply = service.post("/v1/scrape", &body).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let refused = service.post("/v1/scrape", &body);
    // Waiting first would take 30 s.
    let reply = timeout(Duration::from_secs(20), refused).await.unwrap();
    reply.problem(503, "busy");
    let seconds = reply.header("retry-after").unwrap().parse::<u64>();
    assert!((900..=1_050).contains(&seconds.unwrap()));
}
