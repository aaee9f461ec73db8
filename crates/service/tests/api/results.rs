//! Results of a job: documents, map, tasks, export.

use serde_json::Value;

use crate::service::{TestService, service};

async fn all(service: &TestService, path: &str, field: &str, limit: usize) -> Vec<Value> {
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let reply = service.get(&format!("{path}?limit={limit}{cursor}")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        let page = reply.json();
        let entries = page[field].as_array().unwrap();
        assert!(entries.len() <= limit);
        seen.extend(entries.iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return seen,
        }
    }
}

#[tokio::test]
async fn documents_are_listed_in_pages_in_the_format_of_the_job() {
    let service = service().await;
    for (format, expected) in [
        ("markdown", "# A page\n\n**https://example.org/0**\n"),
        ("html", "<h1>A page</h1><p><b>https://example.org/0</b></p>"),
        ("text", "A page\n\nhttps://example.org/0\n"),
    ] {
        let id = service.done_batch(7, format).await;
        let documents = all(
            &service,
            &format!("/v1/jobs/{id}/documents"),
            "documents",
            3,
        )
        .await;
        assert_eq!(documents.len(), 7);
        let first = documents
            .iter()
            .find(|one| one["final_url"] == "https://example.org/0")
            .unwrap();
        assert_eq!(first["content"], expected, "{format}");
        assert_eq!(first["requested_url"], "https://example.org/0");
        assert_eq!(first["title"], "A page");
        assert_eq!(first["meta"]["status_code"], 200);
        assert!(first["created_at"].is_string() && first["id"].is_number());
        let job = service.get(&format!("/v1/jobs/{id}")).await.json();
        assert_eq!(job["status"], "completed");
        assert_eq!(job["documents"], 7);
        assert_eq!(job["mapped_urls"], 7);
        assert_eq!(job["tasks"]["done"], 7);
    }
}

#[tokio::test]
async fn the_map_and_the_tasks_are_listed_in_pages() {
    let service = service().await;
    let id = service.done_batch(5, "markdown").await;
    let urls = all(&service, &format!("/v1/jobs/{id}/map"), "urls", 2).await;
    assert_eq!(urls.len(), 5);
    for url in &urls {
        let source = url["source_url"].as_str().unwrap();
        assert_eq!(url["target_url"], format!("{source}#next"));
        assert_eq!(url["depth"], 1);
    }
    let tasks = all(&service, &format!("/v1/jobs/{id}/tasks"), "tasks", 2).await;
    assert_eq!(tasks.len(), 5);
    assert!(
        tasks
            .iter()
            .all(|task| task["status"] == "done" && task["attempts"] == 1)
    );
    let queued = service
        .get(&format!("/v1/jobs/{id}/tasks?status=queued"))
        .await
        .json();
    assert_eq!(queued["tasks"].as_array().unwrap().len(), 0);
}

#[tokio::test]
async fn invalid_parameters_are_named() {
    let service = service().await;
    let id = service.done_batch(1, "markdown").await;
    let job = format!("/v1/jobs/{id}");
    for (path, field) in [
        ("/v1/jobs?limit=0".to_owned(), "limit"),
        ("/v1/jobs?limit=201".to_owned(), "limit"),
        ("/v1/jobs?limit=many".to_owned(), "limit"),
        ("/v1/jobs?status=done".to_owned(), "status"),
        ("/v1/jobs?type=site".to_owned(), "type"),
        ("/v1/jobs?offset=5".to_owned(), "offset"),
        ("/v1/jobs?cursor=nonsense".to_owned(), "cursor"),
        (format!("{job}/documents?limit=101"), "limit"),
        (format!("{job}/documents?cursor=nonsense"), "cursor"),
        (format!("{job}/documents?page=2"), "page"),
        (format!("{job}/map?limit=1001"), "limit"),
        (format!("{job}/map?cursor=nonsense"), "cursor"),
        (format!("{job}/tasks?status=running"), "status"),
        (format!("{job}/tasks?cursor=nonsense"), "cursor"),
        (format!("{job}/export?format=csv"), "format"),
        (format!("{job}/export?type=tasks"), "type"),
    ] {
        let reply = service.get(&path).await;
        assert_eq!(reply.status, 422, "{path}: {}", reply.body);
        reply.names_field(field);
    }
}

#[tokio::test]
async fn an_export_has_one_line_per_entry() {
    let service = service().await;
    let id = service.done_batch(120, "text").await;
    let reply = service
        .get(&format!(
            "/v1/jobs/{id}/export?type=documents&format=ndjson"
        ))
        .await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-type"), Some("application/x-ndjson"));
    let lines: Vec<Value> = reply
        .body
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 120);
    assert!(
        lines
            .iter()
            .all(|line| line["content"].as_str().unwrap().starts_with("A page"))
    );
    let listed = all(
        &service,
        &format!("/v1/jobs/{id}/documents"),
        "documents",
        100,
    )
    .await;
    assert_eq!(lines, listed);
    let map = service.get(&format!("/v1/jobs/{id}/export?type=map")).await;
    assert_eq!(map.body.lines().count(), 120);
}

#[tokio::test]
async fn a_page_of_documents_is_limited_by_size() {
    let service = service().await;
    let id = service.long_batch(60, 500_000).await;
    let documents_path = format!("/v1/jobs/{id}/documents");
    let first = service.get(&format!("{documents_path}?limit=100")).await;
    assert!(first.body.len() < 25_000_000, "{}", first.body.len());
    assert!(first.json()["next_cursor"].is_string());
    assert_eq!(
        all(&service, &documents_path, "documents", 100).await.len(),
        60
    );
}
