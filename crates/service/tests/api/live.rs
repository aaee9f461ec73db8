//! Server-sent events.

use std::time::Duration;

use crawler_store::{JobQueue, Settlement, TaskOutcome, WorkerId};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;

use crate::client::call;
use crate::service::{TestService, service};

/// Limit for every wait.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Parses the events of a complete stream: name, id, data.
fn events(body: &str) -> Vec<(String, Option<String>, Value)> {
    body.split("\n\n")
        .filter(|block| !block.trim().is_empty())
        .map(|block| {
            let field = |name: &str| {
                let line = block.lines().find_map(|line| line.strip_prefix(name));
                line.map(|value| value.trim().to_owned())
            };
            let data = serde_json::from_str(&field("data:").unwrap()).unwrap();
            (field("event:").unwrap(), field("id:"), data)
        })
        .collect()
}

#[tokio::test]
async fn a_stream_has_page_events_then_progress_then_finished() {
    let service = service().await;
    let id = service.done_batch(250, "markdown").await;
    let path = format!("/v1/jobs/{id}/events");
    let reply = service.get(&path).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    let received = events(&reply.body);
    let pages: Vec<i64> = received
        .iter()
        .filter(|(name, _, _)| name == "page")
        .map(|(_, id, _)| id.as_deref().unwrap().parse().unwrap())
        .collect();
    assert_eq!(pages, (1..=250).collect::<Vec<i64>>());
    assert!(
        received
            .iter()
            .any(|(name, _, data)| name == "progress" && data["tasks"]["done"] == 250)
    );
    let (name, _, last) = received.last().unwrap();
    assert_eq!(name, "finished");
    assert_eq!(last["status"], "completed");
    // A client that has seen 248 of them gets the other two.
    let again = call(service.port, "GET", &path, &[("last-event-id", "248")], "").await;
    let pages = events(&again.body)
        .into_iter()
        .filter(|(name, _, _)| name == "page");
    assert_eq!(
        pages.map(|(_, id, _)| id.unwrap()).collect::<Vec<_>>(),
        ["249", "250"]
    );
    let wrong = call(service.port, "GET", &path, &[("last-event-id", "x")], "").await;
    wrong.names_field("Last-Event-ID");
}

#[tokio::test]
async fn a_stream_follows_a_job_to_its_end() {
    let service = service().await;
    let id = service
        .create("/v1/crawl", &json!({"url": "https://example.org/"}))
        .await;
    let (path, job_path) = (format!("/v1/jobs/{id}/events"), format!("/v1/jobs/{id}"));
    let (reply, cancelled) = tokio::join!(service.get(&path), service.delete(&job_path));
    assert_eq!(cancelled.status, 200);
    let received = events(&reply.body);
    let (name, _, last) = received.last().unwrap();
    assert_eq!(name, "finished");
    assert_eq!(last["status"], "cancelled");
}

/// Opens a stream of events to read line by line.
async fn listen(service: &TestService, id: &str, seen: i64) -> Lines<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(("127.0.0.1", service.port))
        .await
        .unwrap();
    let request = format!(
        "GET /v1/jobs/{id}/events HTTP/1.1\r\nhost: localhost\r\nlast-event-id: {seen}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    BufReader::new(stream).lines()
}

/// Returns the rest of the next line with this prefix; `None` at the end of the stream.
async fn next(lines: &mut Lines<BufReader<TcpStream>>, start: &str) -> Option<String> {
    let search = async {
        while let Ok(Some(line)) = lines.next_line().await {
            if let Some(rest) = line.strip_prefix(start) {
                return Some(rest.trim().to_owned());
            }
            if line == "event: finished" {
                return None;
            }
        }
        None
    };
    tokio::time::timeout(TIMEOUT, search)
        .await
        .expect("no further events")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reconnects_gets_every_event_exactly_once() {
    let service = service().await;
    let urls: Vec<String> = (0..60)
        .map(|n| format!("https://example.org/{n}"))
        .collect();
    let id = service
        .create("/v1/batch/scrape", &json!({"urls": urls}))
        .await;
    let store = service.store.clone();
    let working = tokio::spawn(async move {
        let worker = WorkerId::fresh();
        loop {
            let claimed = store
                .claim(&worker, 3, Duration::from_secs(30))
                .await
                .unwrap();
            if claimed.is_empty() {
                return;
            }
            let settle = |task: crawler_store::Claimed| Settlement {
                lease: task.lease,
                job: task.job,
                outcome: TaskOutcome::Done {
                    document: None,
                    mapped: Vec::new(),
                    bytes: 0,
                },
                browser_time: Duration::ZERO,
                found: Vec::new(),
                refused: Vec::new(),
            };
            let batch = claimed.into_iter().map(settle).collect();
            store.settle(batch).await.unwrap();
        }
    });
    let mut ids: Vec<i64> = Vec::new();
    let mut connections = 0;
    loop {
        connections += 1;
        let seen = ids.last().copied().unwrap_or(0);
        let mut lines = listen(&service, &id, seen).await;
        let mut ended = false;
        // Disconnect after a few events.
        for _ in 0..7 {
            match next(&mut lines, "id:").await {
                Some(id) => ids.push(id.parse().unwrap()),
                None => ended = true,
            }
            if ended {
                break;
            }
        }
        if ended {
            break;
        }
    }
    working.await.unwrap();
    assert!(connections > 5, "{connections}");
    assert_eq!(ids, (1..=60).collect::<Vec<i64>>());
}

#[tokio::test]
async fn an_idle_stream_is_kept_open_by_comments() {
    let service = service().await;
    let id = service
        .create("/v1/crawl", &json!({"url": "https://example.org/"}))
        .await;
    let mut lines = listen(&service, &id, 0).await;
    assert!(next(&mut lines, "event: progress").await.is_some());
    assert!(next(&mut lines, ":").await.is_some());
    // The stream ends when the service stops.
    drop(service);
    assert!(next(&mut lines, "event: page").await.is_none());
}
