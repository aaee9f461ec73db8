//! Server-sent events.

use serde_json::{Value, json};

use crate::client::call;
use crate::stage::stage;

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
