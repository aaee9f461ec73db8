//! Creating, listing, showing and canceling jobs.

use serde_json::json;

use crate::service::service;

const UNKNOWN_JOB: &str = "/v1/jobs/00000000-0000-7000-8000-000000000000";

#[tokio::test]
async fn a_new_job_is_accepted_with_its_location() {
    let service = service().await;
    for (path, kind, body) in [
        (
            "/v1/crawl",
            "crawl",
            json!({"url": "https://example.org/", "max_depth": 3, "max_pages": 10}),
        ),
        (
            "/v1/map",
            "map",
            json!({"url": "https://example.org/", "same_domain": false}),
        ),
        (
            "/v1/batch/scrape",
            "batch_scrape",
            json!({"urls": ["https://example.org/a", "nonsense"]}),
        ),
    ] {
        let reply = service.post(path, &body).await;
        assert_eq!(reply.status, 202, "{}", reply.body);
        let created = reply.json();
        assert_eq!(created["type"], kind);
        assert_eq!(created["status"], "queued");
        let job_path = format!("/v1/jobs/{}", created["id"].as_str().unwrap());
        assert_eq!(reply.header("location"), Some(job_path.as_str()));
        if kind == "batch_scrape" {
            assert_eq!(created["invalid_urls"][0]["url"], "nonsense", "{created}");
        }
        let shown = service.get(&job_path).await;
        assert_eq!(shown.status, 200);
        let shown = shown.json();
        assert_eq!(shown["id"], created["id"]);
        assert_eq!(shown["status"], "queued");
        assert_eq!(shown["tasks"]["queued"], 1);
        assert_eq!(shown["tasks"]["total"], 1);
        assert!(shown["created_at"].as_str().unwrap().ends_with('Z'));
        if kind == "batch_scrape" {
            // The URLs of a batch are its tasks.
            assert_eq!(shown["params"], json!({"url_count": 1}), "{shown}");
            continue;
        }
        for (field, value) in body.as_object().unwrap() {
            assert_eq!(shown["params"][field], *value, "{shown}");
        }
    }
}

#[tokio::test]
async fn jobs_are_listed_newest_first_in_pages_and_by_filter() {
    let service = service().await;
    let mut created = Vec::new();
    for n in 0..5 {
        let path = if n % 2 == 0 { "/v1/crawl" } else { "/v1/map" };
        let body = json!({"url": format!("https://example.org/{n}")});
        created.push(service.create(path, &body).await);
    }
    created.reverse();
    let (mut seen, mut path) = (Vec::new(), "/v1/jobs?limit=2".to_owned());
    loop {
        let page = service.get(&path).await.json();
        for job in page["jobs"].as_array().unwrap() {
            seen.push(job["id"].as_str().unwrap().to_owned());
        }
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/v1/jobs?limit=2&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(seen, created);
    let count = async |query: &str| {
        let page = service.get(&format!("/v1/jobs?{query}")).await.json();
        page["jobs"].as_array().unwrap().len()
    };
    assert_eq!(count("type=crawl").await, 3);
    assert_eq!(count("type=map&status=queued").await, 2);
    assert_eq!(count("status=failed").await, 0);
}

#[tokio::test]
async fn a_cancelled_job_is_final() {
    let service = service().await;
    let id = service
        .create("/v1/crawl", &json!({"url": "https://example.org/"}))
        .await;
    let job_path = format!("/v1/jobs/{id}");
    let reply = service.delete(&job_path).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.json()["status"], "cancelled");
    assert_eq!(reply.json()["tasks"]["skipped"], 1);
    let again = service.delete(&job_path).await;
    assert!(
        again.problem(409, "job_is_final")["detail"]
            .as_str()
            .unwrap()
            .contains("cancelled")
    );
}

#[tokio::test]
async fn unknown_jobs_are_404() {
    let service = service().await;
    for job_path in [UNKNOWN_JOB, "/v1/jobs/nonsense", "/v1/jobs/1"] {
        for rest in ["", "/documents", "/map", "/tasks", "/export", "/events"] {
            service
                .get(&format!("{job_path}{rest}"))
                .await
                .problem(404, "job_not_found");
        }
        service.delete(job_path).await.problem(404, "job_not_found");
    }
}

#[tokio::test]
async fn the_urls_of_a_batch_are_listed_as_tasks_only() {
    let service = service().await;
    let urls: Vec<String> = (0..50)
        .map(|n| format!("https://example.org/{n}"))
        .collect();
    let id = service
        .create("/v1/batch/scrape", &json!({"urls": urls}))
        .await;
    for path in ["/v1/jobs".to_owned(), format!("/v1/jobs/{id}")] {
        let reply = service.get(&path).await;
        assert!(!reply.body.contains("example.org"), "{}", reply.body);
        assert!(reply.body.contains("\"url_count\":50"), "{}", reply.body);
    }
    let tasks = service.get(&format!("/v1/jobs/{id}/tasks")).await.json();
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 50);
}

#[tokio::test]
async fn credentials_in_the_url_of_a_job_are_rejected() {
    let service = service().await;
    let secret = "https://bob:s3cret@example.org/a";
    for path in ["/v1/crawl", "/v1/map"] {
        let reply = service.post(path, &json!({"url": secret})).await;
        let problem = reply.problem(422, "invalid_url").to_string();
        assert!(problem.contains("/v1/scrape"), "{problem}");
        assert!(!problem.contains("s3cret"), "{problem}");
    }
    let urls = json!({"urls": [secret, "https://example.org/b"]});
    let reply = service.post("/v1/batch/scrape", &urls).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    assert!(!reply.body.contains("s3cret"), "{}", reply.body);
    let invalid = &reply.json()["invalid_urls"][0]["url"];
    assert_eq!(invalid, "https://example.org/a");
}
