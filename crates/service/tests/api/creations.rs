//! Many requests of one owner that create jobs: how many wait, what they hold, and that others do not wait for them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::client::Reply;
use crate::quotas::{add_key, call_as};
use crate::service::{TestService, service, service_with};

/// Limit for every wait.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A batch with a body of more than 64 KB.
fn large_batch() -> Value {
    let urls: Vec<String> = (0..5_000)
        .map(|n| format!("https://example.org/{n}"))
        .collect();
    json!({"urls": urls})
}

/// Sends a request; its response arrives at the channel.
fn send(
    service: &Arc<TestService>,
    key: &'static str,
    body: &Value,
    replies: &mpsc::UnboundedSender<Reply>,
) {
    let (service, body, replies) = (Arc::clone(service), body.clone(), replies.clone());
    tokio::spawn(async move {
        let reply = call_as(&service, key, "POST", "/v1/batch/scrape", &body).await;
        replies.send(reply)
    });
}

async fn next(replies: &mut mpsc::UnboundedReceiver<Reply>) -> Reply {
    let reply = timeout(TIMEOUT, replies.recv()).await;
    reply.expect("a response in time").unwrap()
}

async fn until_called(service: &TestService, times: usize) {
    let calling = async {
        while service.calls.of("create_job") < times {
            tokio::task::yield_now().await;
        }
    };
    timeout(TIMEOUT, calling).await.unwrap();
}

/// While one is being stored, four more wait, and none of those is parsed. The others are refused, and other owners do not wait.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_batches_of_one_key_are_limited_and_delay_nobody() {
    let service = Arc::new(service().await);
    add_key(&service, "alice", &[]).await;
    add_key(&service, "bob", &[]).await;
    let (replies, mut received) = mpsc::unbounded_channel();
    let batch = large_batch();
    service.calls.hold("create_job");
    send(&service, "alice", &batch, &replies);
    until_called(&service, 1).await;
    for _ in 0..40 {
        send(&service, "alice", &batch, &replies);
    }
    for _ in 0..36 {
        let reply = next(&mut received).await;
        let problem = reply.problem(429, "too_many_requests");
        let detail = problem["detail"].as_str().unwrap();
        assert!(
            detail.contains("5 requests") && detail.contains("long body"),
            "{detail}"
        );
        assert_eq!(reply.header("retry-after"), Some("1"));
    }
    // Only those wait; a small one waits too, and is not refused.
    let small = json!({"urls": ["https://example.org/"]});
    send(&service, "alice", &small, &replies);
    send(&service, "bob", &batch, &replies);
    let reply = next(&mut received).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    assert_eq!(
        service.calls.of("create_job"),
        2,
        "the first one, and bob's"
    );
    service.calls.release();
    for _ in 0..6 {
        let reply = next(&mut received).await;
        assert_eq!(reply.status, 202, "{}", reply.body);
    }
}

/// A request that waits for another one ends before the time limit of the server, and so does a job that is not confirmed: its
/// response says that it may have been created.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_creation_ends_within_the_time_of_one_request() {
    let limit = Duration::from_secs(6);
    let service = Arc::new(service_with(|config| config.server.request_timeout = limit).await);
    add_key(&service, "alice", &[]).await;
    let (replies, mut received) = mpsc::unbounded_channel();
    let small = json!({"urls": ["https://example.org/"]});
    service.calls.hold("create_job");
    send(&service, "alice", &small, &replies);
    until_called(&service, 1).await;
    send(&service, "alice", &small, &replies);
    // Half of the time may be spent on waiting.
    let problem = next(&mut received).await.problem(503, "busy");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("other jobs of this API key"), "{detail}");
    let problem = next(&mut received).await.problem(503, "store_unavailable");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("may have been created"), "{detail}");
}
