//! Server-sent events.

use std::time::Duration;

use serde_json::{Value, json};
use store::{Settlement, Store, Verdict, WorkerId};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;

use crate::client::call;
use crate::stage::{Stage, stage};

/// Nothing here takes longer on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The events of a stream that has ended: name, id, data.
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
async fn pages_with_their_numbers_then_progress_then_the_end() {
    let stage = stage().await;
    let id = stage.done_batch(250, "markdown").await;
    let path = format!("/v1/jobs/{id}/events");
    let reply = stage.get(&path).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    let told = events(&reply.body);
    let pages: Vec<i64> = told
        .iter()
        .filter(|(name, _, _)| name == "page")
        .map(|(_, id, _)| id.as_deref().unwrap().parse().unwrap())
        .collect();
    assert_eq!(pages, (1..=250).collect::<Vec<i64>>());
    assert!(
        told.iter()
            .any(|(name, _, data)| name == "progress" && data["tasks"]["done"] == 250)
    );
    let (name, _, last) = told.last().unwrap();
    assert_eq!(name, "finished");
    assert_eq!(last["status"], "completed");
    // Somebody who has seen 248 of them misses two.
    let again = call(stage.port, "GET", &path, &[("last-event-id", "248")], "").await;
    let pages = events(&again.body)
        .into_iter()
        .filter(|(name, _, _)| name == "page");
    assert_eq!(
        pages.map(|(_, id, _)| id.unwrap()).collect::<Vec<_>>(),
        ["249", "250"]
    );
    let wrong = call(stage.port, "GET", &path, &[("last-event-id", "x")], "").await;
    wrong.blames("Last-Event-ID");
}

#[tokio::test]
async fn a_stream_follows_a_job_to_its_end() {
    let stage = stage().await;
    let id = stage
        .made("/v1/crawl", &json!({"url": "https://example.org/"}))
        .await;
    let (path, place) = (format!("/v1/jobs/{id}/events"), format!("/v1/jobs/{id}"));
    let (reply, cancelled) = tokio::join!(stage.get(&path), stage.delete(&place));
    assert_eq!(cancelled.status, 200);
    let told = events(&reply.body);
    let (name, _, last) = told.last().unwrap();
    assert_eq!(name, "finished");
    assert_eq!(last["status"], "cancelled");
}

/// A stream of events, read line by line while it goes on.
async fn listen(stage: &Stage, id: &str, seen: i64) -> Lines<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(("127.0.0.1", stage.port)).await.unwrap();
    let request = format!(
        "GET /v1/jobs/{id}/events HTTP/1.1\r\nhost: localhost\r\nlast-event-id: {seen}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    BufReader::new(stream).lines()
}

/// The next line that begins so; `None` at the end of the stream.
async fn next(lines: &mut Lines<BufReader<TcpStream>>, start: &str) -> Option<String> {
    let looking = async {
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
    tokio::time::timeout(PATIENCE, looking)
        .await
        .expect("no more is said")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_comes_back_again_and_again_misses_nothing_and_hears_nothing_twice() {
    let stage = stage().await;
    let urls: Vec<String> = (0..60)
        .map(|n| format!("https://example.org/{n}"))
        .collect();
    let id = stage.made("/v1/batch/scrape", &json!({"urls": urls})).await;
    let store = stage.store.clone();
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
            let settle = |task: store::Claimed| Settlement {
                lease: task.lease,
                job: task.job,
                verdict: Verdict::Done {
                    document: None,
                    mapped: Vec::new(),
                    bytes: 0,
                },
                found: Vec::new(),
            };
            let batch = claimed.into_iter().map(settle).collect();
            store.settle(batch, None).await.unwrap();
        }
    });
    let mut heard: Vec<i64> = Vec::new();
    let mut visits = 0;
    loop {
        visits += 1;
        let seen = heard.last().copied().unwrap_or(0);
        let mut lines = listen(&stage, &id, seen).await;
        let mut ended = false;
        // A few events, and the connection is gone.
        for _ in 0..7 {
            match next(&mut lines, "id:").await {
                Some(id) => heard.push(id.parse().unwrap()),
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
    assert!(visits > 5, "{visits}");
    assert_eq!(heard, (1..=60).collect::<Vec<i64>>());
}

#[tokio::test]
async fn a_quiet_stream_is_kept_open_by_comments() {
    let stage = stage().await;
    let id = stage
        .made("/v1/crawl", &json!({"url": "https://example.org/"}))
        .await;
    let mut lines = listen(&stage, &id, 0).await;
    assert!(next(&mut lines, "event: progress").await.is_some());
    assert!(next(&mut lines, ":").await.is_some());
    // It ends when the service does.
    drop(stage);
    assert!(next(&mut lines, "event: page").await.is_none());
}
