//! A crawl by a real worker: links, redirects, robots.txt and sitemaps cannot reach private addresses.

use std::sync::Arc;
use std::time::Duration;

use crawler_engine::Stop;
use crawler_fetch::{EgressTarget, Guard, HttpFetch};
use crawler_service::job_params::{JobDefaults, JobParams};
use crawler_service::worker::{StoreFrontierSettings, Worker, WorkerSettings};
use crawler_store::JobKind;
use serde_json::{Value, json};

use crate::guard::{INNER, names};
use crate::service::{TestService, look_up, service_with_names};
use crate::site::{Site, moved, page, response};

/// The tasks of a job when it has ended.
async fn tasks_of(service: &TestService, id: &str) -> Vec<Value> {
    // The stream ends when the job does.
    let events = service.get(&format!("/v1/jobs/{id}/events")).await;
    assert!(events.body.contains("event: finished"), "{}", events.body);
    let path = format!("/v1/jobs/{id}/tasks?limit=1000");
    let tasks = service.get(&path).await.json();
    tasks["tasks"].as_array().unwrap().clone()
}

#[tokio::test]
async fn private_addresses_are_not_reached_by_links_redirects_robots_or_sitemaps() {
    let canary = Site::start(|_| page("<title>inside</title>")).await;
    let port = canary.port;
    let inner = move |at: usize, path: &str| format!("http://{}:{port}{path}", INNER[at]);
    let site = Site::start(move |path| match path {
        "/robots.txt" => {
            let maps =
                (0..INNER.len()).map(|at| format!("Sitemap: {}\n", inner(at, "/sitemap.xml")));
            response("200 OK", "text/plain", &maps.collect::<String>())
        }
        "/" => {
            let links = (0..INNER.len()).map(|at| {
                format!(
                    "<a href='{}'>a</a><a href='/to/{at}'>b</a>",
                    inner(at, "/page")
                )
            });
            page(&links.collect::<String>())
        }
        path => match path.strip_prefix("/to/") {
            Some(at) => moved(&inner(at.parse().unwrap(), "/moved")),
            None => response("404 Not Found", "text/plain", ""),
        },
    })
    .await;
    let service = service_with_names(|_| (), &names()).await;
    let mut defaults = JobDefaults::default();
    defaults.request.max_attempts = Some(1);
    let plan = JobParams::default()
        .plan(JobKind::Scrape, &defaults, 0, 0)
        .unwrap();
    let guard =
        Guard::new(false, vec![EgressTarget::parse("site.test").unwrap()]).for_service(Vec::new());
    let sniff = crawler_html::looks_like_html;
    let fetch = HttpFetch::resolving(&plan.fetch, 8, guard, sniff, look_up(&names())).unwrap();
    let settings = WorkerSettings {
        frontier: StoreFrontierSettings {
            host_interval: Duration::ZERO,
            ..StoreFrontierSettings::default()
        },
        jobs: defaults,
        sole_owner: true,
    };
    let worker = Worker::new(service.store.clone(), Arc::new(fetch), settings).unwrap();
    let stop = Stop::new();
    let working = tokio::spawn(worker.run(stop.clone()));
    let body = json!({"url": site.url("/"), "same_domain": false, "sitemaps": "include", "ignore_query": false});
    let id = service.create("/v1/crawl", &body).await;
    let tasks = tasks_of(&service, &id).await;
    let body = json!({"url": site.url("/"), "sitemaps": "only"});
    let id = service.create("/v1/crawl", &body).await;
    let only = tasks_of(&service, &id).await;
    stop.request();
    working.await.unwrap().unwrap();
    // A job without any page says what happened to a sitemap.
    let error = only[0]["error"].as_str().unwrap();
    assert!(
        error.starts_with("no sitemap lists a page of this site (http://")
            && error.contains("/sitemap.xml: ")
            && error.contains("address is not public")
            && error.contains("egress.allow"),
        "{error}"
    );
    let refused = tasks
        .iter()
        .filter(|task| task["reason"] == "address_refused")
        .count();
    assert!(
        refused >= 20,
        "{refused} of {} were refused: {tasks:#?}",
        tasks.len()
    );
    let done: Vec<&Value> = tasks
        .iter()
        .filter(|task| task["status"] == "done")
        .collect();
    assert!(
        done.iter()
            .all(|task| task["url"].as_str().unwrap().contains("site.test"))
    );
    assert_eq!(canary.connections(), 0);
}
