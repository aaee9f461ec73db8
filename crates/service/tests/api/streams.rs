//! Event streams and exports: how many an owner has, what they cost, and that they end with their key.

use std::time::{Duration, Instant};

use crawler_store::{ApiKeys, KeyRole, NewKey};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::quotas::{add_key, call_as, exceeded, send, until_used};
use crate::service::{TestService, new_key, service, service_with, settle_all};

/// Limit for every wait.
const TIMEOUT: Duration = Duration::from_mins(1);
/// An export of so many pages of so many bytes does not fit into the buffers of a connection.
const PAGES: usize = 60;
const PAGE_BYTES: usize = 500_000;

/// Opens a stream, which is not read beyond its status.
async fn open(service: &TestService, key: &str, path: &str) -> TcpStream {
    let mut stream = send(service, key, path, &Value::Null).await;
    let mut start = [0; 12];
    stream.read_exact(&mut start).await.unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");
    stream
}

/// Reads until the service closes the connection.
async fn rest(mut stream: TcpStream) -> Vec<u8> {
    let mut received = Vec::new();
    let reading = stream.read_to_end(&mut received);
    let ended = timeout(TIMEOUT, reading).await;
    // A reset ends it as well.
    let _ = ended.expect("the stream does not end");
    received
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_number_of_event_streams_is_limited() {
    let service = service().await;
    add_key(&service, "alice", &["event_streams=2"]).await;
    let body = json!({"url": "https://example.org/"});
    let reply = call_as(&service, "alice", "POST", "/v1/crawl", &body).await;
    let path = format!("/v1/jobs/{}/events", reply.json()["id"].as_str().unwrap());
    let mut streams = Vec::new();
    for _ in 0..2 {
        let mut stream = send(&service, "alice", &path, &Value::Null).await;
        let mut start = [0; 12];
        stream.read_exact(&mut start).await.unwrap();
        assert_eq!(&start, b"HTTP/1.1 200");
        streams.push(stream);
    }
    let reply = call_as(&service, "alice", "GET", &path, &Value::Null).await;
    let quota = exceeded(&reply, "event_streams");
    assert_eq!(reply.header("retry-after"), Some("5"));
    assert_eq!((&quota["limit"], &quota["used"]), (&json!(2), &json!(2)));
    streams.pop();
    until_used(&service, "alice", "event_streams", 1).await;
    let mut again = send(&service, "alice", &path, &Value::Null).await;
    let mut start = [0; 12];
    again.read_exact(&mut start).await.unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");
}

/// An export that is read slowly holds a connection, as an event stream does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exports_count_like_event_streams() {
    let service = service().await;
    add_key(&service, "alice", &["event_streams=1"]).await;
    add_key(&service, "bob", &[]).await;
    let urls: Vec<String> = (0..PAGES)
        .map(|n| format!("https://example.org/{n}"))
        .collect();
    let body = json!({"urls": urls});
    let reply = call_as(&service, "alice", "POST", "/v1/batch/scrape", &body).await;
    let path = format!("/v1/jobs/{}", reply.json()["id"].as_str().unwrap());
    settle_all(&service.store, PAGE_BYTES).await;
    let unread = open(&service, "alice", &format!("{path}/export")).await;
    for stream in ["export", "events"] {
        let path = format!("{path}/{stream}");
        let reply = call_as(&service, "alice", "GET", &path, &Value::Null).await;
        let quota = exceeded(&reply, "event_streams");
        assert_eq!((&quota["limit"], &quota["used"]), (&json!(1), &json!(1)));
        let detail = reply.json()["detail"].to_string();
        assert!(detail.contains("export"), "{detail}");
        // The path of a job is that of its owner only.
        let reply = call_as(&service, "bob", "GET", &path, &Value::Null).await;
        reply.problem(404, "job_not_found");
    }
    drop(unread);
    until_used(&service, "alice", "event_streams", 0).await;
    let path = format!("{path}/export");
    let reply = call_as(&service, "alice", "GET", &path, &Value::Null).await;
    assert!(reply.body.len() > PAGES * PAGE_BYTES);
    until_used(&service, "alice", "event_streams", 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_and_exports_end_when_their_key_is_revoked() {
    let service = service().await;
    let done = service.long_batch(PAGES, PAGE_BYTES).await;
    let body = json!({"url": "https://example.org/"});
    let running = service.create("/v1/crawl", &body).await;
    let admin = |name| NewKey {
        role: KeyRole::Admin,
        ..new_key(name, name)
    };
    let alice = service.store.add_key(admin("alice")).await.unwrap();
    service.store.add_key(admin("bob")).await.unwrap();
    let events = format!("/v1/jobs/{running}/events");
    let mut streams = Vec::new();
    for _ in 0..10 {
        streams.push(open(&service, "alice", &events).await);
    }
    let export = open(&service, "alice", &format!("/v1/jobs/{done}/export")).await;
    let mut other = open(&service, "bob", &events).await;
    let lookups = service.calls.of("key");
    let opened = Instant::now();
    assert!(service.store.revoke_key(alice.id).await.unwrap());
    for stream in streams {
        rest(stream).await;
    }
    // Each key is looked up once in three seconds, for all of its streams.
    let lookups = service.calls.of("key") - lookups;
    let allowed = 2 * (opened.elapsed().as_secs() / 3 + 2);
    assert!(lookups as u64 <= allowed, "{lookups} lookups");
    let received = rest(export).await;
    assert!(received.len() < PAGES * PAGE_BYTES, "{}", received.len());
    // The last chunk of a complete response.
    assert!(!received.ends_with(b"0\r\n\r\n"));
    // The stream of the other key continues.
    settle_all(&service.store, 0).await;
    let mut received = Vec::new();
    let mut buffer = [0; 4_096];
    while !String::from_utf8_lossy(&received).contains("event: finished") {
        let read = timeout(TIMEOUT, other.read(&mut buffer)).await;
        let read = read.unwrap().unwrap();
        assert!(read > 0, "it ended early");
        received.extend_from_slice(&buffer[..read]);
    }
}

/// Many streams of one job get every event, and the store is polled once for all of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_streams_of_a_job_get_every_event() {
    let service = service_with(|config| config.quotas.event_streams = 0).await;
    let urls: Vec<String> = (0..300)
        .map(|n| format!("https://example.org/{n}"))
        .collect();
    let body = json!({"urls": urls});
    let id = service.create("/v1/batch/scrape", &body).await;
    let path = format!("/v1/jobs/{id}/events");
    let (opened, mut openings) = mpsc::unbounded_channel();
    let mut streams = Vec::new();
    for number in 0..50_i64 {
        // Some have seen a part of it, one claims to have seen what does not exist yet, one does not read at first.
        let seen = match number % 5 {
            4 => 100_000,
            part => part * 50,
        };
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nlast-event-id: {seen}\r\n\r\n"
        );
        let mut stream = TcpStream::connect(("127.0.0.1", service.port))
            .await
            .unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let opened = opened.clone();
        streams.push(tokio::spawn(async move {
            let mut received = vec![0; 12];
            stream.read_exact(&mut received).await.unwrap();
            opened.send(()).unwrap();
            let reading = stream.read_to_end(&mut received);
            timeout(TIMEOUT, reading).await.unwrap().unwrap();
            let text = String::from_utf8(received).unwrap();
            let ids = text.lines().filter_map(|line| line.strip_prefix("id: "));
            let ids: Vec<i64> = ids.map(|id| id.parse().unwrap()).collect();
            let first = seen.min(300) + 1;
            assert_eq!(ids, (first..=300).collect::<Vec<_>>(), "after {seen}");
            assert!(text.contains("event: finished"), "after {seen}");
        }));
    }
    for _ in 0..50 {
        openings.recv().await.unwrap();
    }
    let (polls, started) = (service.calls.of("job"), Instant::now());
    settle_all(&service.store, 0).await;
    for stream in streams {
        stream.await.unwrap();
    }
    // One poll in 500 ms, a few more while there are pages, and the forty streams whose id does not exist yet look up once where
    // to begin. If each stream polled the job, there would be a hundred more.
    let polls = service.calls.of("job") - polls;
    let allowed = started.elapsed().as_millis() / 500 + 10 + 40;
    assert!(polls as u128 <= allowed, "{polls} polls, {allowed} allowed");
}
