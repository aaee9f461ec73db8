//! The four job types with `use_js`, on both stores.

use serde_json::{Value, json};
use testsite::Server;
use testsite::spa::{Applications, ClientRoutedSite};

use crate::api::Api;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::rendering::database::Database;
use crate::rendering::test_folder::{CONFIG, TestFolder};

const PAGES: usize = 7;

/// Asserts that a document was rendered and contains the text that its script wrote.
fn check_document(document: &Value, text: &str, reasons: &[&str]) {
    let content = document["content"].as_str().unwrap();
    assert!(content.contains(text), "{text}: {document}");
    assert_eq!(document["meta"]["rendered"], true, "{document}");
    assert_eq!(document["meta"]["status_code"], 200, "{document}");
    let reason = document["meta"]["render_reason"].as_str().unwrap();
    assert!(reasons.contains(&reason), "{document}");
}

fn every_job_type(service: &Api, use_js: &Value, reasons: &[&str]) {
    let site = Server::start(ClientRoutedSite::new(PAGES));
    let known = ClientRoutedSite::new(PAGES);
    let path_of = |url: &Value| url.as_str().unwrap().replace(&site.origin(), "");

    let body = json!({"url": site.url("/p/3"), "use_js": use_js, "output_format": "text"});
    let (status, scraped) = service.post_json("/v1/scrape", &body);
    assert_eq!(status, 200, "{scraped}");
    check_document(&scraped, &known.text("/p/3").unwrap(), reasons);

    let urls = [site.url("/p/1"), site.url("/p/2")];
    let batch = service.run_job("/v1/batch/scrape", &json!({"urls": urls, "use_js": use_js}));
    assert_eq!(service.get_json(&batch)["status"], "completed");
    let documents = service.get_json(&format!("{batch}/documents"));
    let documents = documents["documents"].as_array().unwrap();
    assert_eq!(documents.len(), 2);
    for document in documents {
        let path = path_of(&document["final_url"]);
        check_document(document, &known.text(&path).unwrap(), reasons);
    }

    let body = json!({"url": site.url("/"), "use_js": use_js, "max_depth": 5});
    let crawl = service.run_job("/v1/crawl", &body);
    assert_eq!(service.get_json(&crawl)["status"], "completed");
    let documents = service.get_json(&format!("{crawl}/documents?limit=100"));
    let documents = documents["documents"].as_array().unwrap();
    let mut paths: Vec<String> = documents
        .iter()
        .map(|document| {
            let path = path_of(&document["final_url"]);
            check_document(document, &known.text(&path).unwrap(), reasons);
            path
        })
        .collect();
    paths.sort();
    let mut all = known.pages();
    all.sort();
    assert_eq!(paths, all);

    let map = service.run_job("/v1/map", &body);
    assert_eq!(service.get_json(&map)["status"], "completed");
    let mapped = service.get_json(&format!("{map}/map?limit=1000"));
    let mapped = mapped["urls"].as_array().unwrap();
    let has = |from: &str, to: &str| {
        mapped
            .iter()
            .any(|link| path_of(&link["source_url"]) == from && path_of(&link["target_url"]) == to)
    };
    for page in known.pages() {
        for link in known.links(&page) {
            assert!(has(&page, &link), "{page} -> {link}: {mapped:?}");
        }
    }
}

fn on_a_store(database: Option<&Database>) {
    let folder = TestFolder::new();
    let service = folder.serve(CONFIG, |command| {
        if let Some(database) = database {
            command.env("DATABASE_URL", database.url());
        }
    });
    assert_eq!(service.get_json("/readyz")["browser"], "asleep");
    every_job_type(&service, &json!(true), &["asked"]);
    assert_eq!(service.get_json("/readyz")["browser"], "running");
    every_job_type(&service, &json!("auto"), &["empty_root", "host_needs"]);
    let numbers = service.get_json("/metrics");
    let numbers = numbers.as_str().unwrap();
    assert!(
        numbers.contains("crawler_render_starts_total 1\n"),
        "{numbers}"
    );
    assert!(
        numbers.contains("crawler_render_deaths_total 0\n"),
        "{numbers}"
    );
    // Without rendering, only the first page is found.
    let site = Server::start(ClientRoutedSite::new(PAGES));
    let plain = service.run_job("/v1/crawl", &json!({"url": site.url("/"), "use_js": false}));
    assert_eq!(service.get_json(&plain)["tasks"]["total"], 1);
    assert_eq!(service.terminate(), Some(0));
    folder.wait_for_cleanup();
}

#[test]
fn every_job_type_renders_on_sqlite() {
    on_a_store(None);
}

#[test]
fn every_job_type_renders_on_postgres() {
    let database = Database::fresh();
    on_a_store(Some(&database));
}

#[test]
fn the_configuration_can_force_and_disable_rendering() {
    let site = Server::start(Applications);
    let scrape = |service: &Api, use_js: Option<Value>| {
        let mut body = json!({"url": site.url("/lazy")});
        if let Some(use_js) = use_js {
            body["use_js"] = use_js;
        }
        service.post_json("/v1/scrape", &body)
    };
    let folder = TestFolder::new();
    let service = folder.serve(&format!("{CONFIG}  force: true\n"), |_| ());
    for use_js in [None, Some(json!(false)), Some(json!("auto"))] {
        let (_, page) = scrape(&service, use_js);
        assert_eq!(page["meta"]["render_reason"], "asked", "{page}");
    }
    assert_eq!(service.terminate(), Some(0));
    let service = folder.serve(CONFIG, |command| {
        command.env("USE_JS_DEFAULT", "auto");
    });
    let (_, page) = scrape(&service, None);
    assert_eq!(page["meta"]["rendered"], true, "{page}");
    let (_, page) = scrape(&service, Some(json!(false)));
    assert_eq!(page["meta"]["rendered"], false, "{page}");
    assert_eq!(service.terminate(), Some(0));
    let service = folder.serve(&format!("{CONFIG}  enabled: false\n"), |_| ());
    assert_eq!(service.get_json("/readyz")["browser"], "off");
    for path in ["/v1/scrape", "/v1/batch/scrape", "/v1/crawl", "/v1/map"] {
        for use_js in [json!(true), json!("auto")] {
            let mut body = json!({"url": site.url("/lazy"), "use_js": use_js});
            if path == "/v1/batch/scrape" {
                body = json!({"urls": [site.url("/lazy")], "use_js": use_js});
            }
            let (status, problem) = service.post_json(path, &body);
            assert_eq!(status, 422, "{problem}");
            assert_eq!(problem["code"], "use_js_unavailable");
            assert!(
                problem["detail"]
                    .as_str()
                    .unwrap()
                    .contains("browser.enabled")
            );
        }
    }
    assert_eq!(scrape(&service, Some(json!(false))).0, 200);
    assert_eq!(service.terminate(), Some(0));
    folder.wait_for_cleanup();
}

#[test]
fn without_a_browser_scrapes_are_rejected_and_pages_of_jobs_fail() {
    let site = Server::start(Applications);
    let folder = TestFolder::new();
    let service = folder.serve(CONFIG, |command| {
        command.env("CHROME", "/nonexistent/chromium");
    });
    let ready = service.get_json("/readyz");
    assert_eq!(ready["browser"], "missing", "{ready}");
    // Anyone may ask: the path is in the log only.
    assert!(!ready.to_string().contains("chromium"), "{ready}");
    assert!(service.log().contains("/nonexistent/chromium"));
    let body = json!({"url": site.url("/lazy"), "use_js": true});
    let (status, problem) = service.post_json("/v1/scrape", &body);
    assert_eq!(status, 422, "{problem}");
    assert_eq!(problem["code"], "use_js_unavailable");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("apt-get install chromium"), "{problem}");
    let body = json!({"url": site.url("/lazy"), "use_js": "auto"});
    let (status, page) = service.post_json("/v1/scrape", &body);
    assert_eq!(status, 200, "{page}");
    assert_eq!(page["meta"]["rendered"], false, "{page}");
    assert_eq!(page["meta"]["render_reason"], "no_browser", "{page}");
    let body = json!({"urls": [site.url("/lazy")], "use_js": true});
    let job_path = service.run_job("/v1/batch/scrape", &body);
    assert_eq!(service.get_json(&job_path)["status"], "failed");
    let tasks = service.get_json(&format!("{job_path}/tasks"));
    let task = &tasks["tasks"][0];
    assert_eq!(task["reason"], "no_browser", "{task}");
    assert_eq!(task["attempts"], 1, "{task}");
    let error = task["error"].as_str().unwrap();
    for text in ["/nonexistent/chromium", "apt-get install chromium"] {
        assert!(error.contains(text), "{task}");
    }
    assert_eq!(service.terminate(), Some(0));
}

#[test]
fn a_worker_that_does_not_render_names_the_setting() {
    let site = Server::start(Applications);
    let folder = TestFolder::new();
    let api = folder.serve(CONFIG, |command| {
        command.args(["--mode", "api"]);
    });
    let body = json!({"urls": [site.url("/lazy")], "use_js": true});
    let job_path = api.create_job("/v1/batch/scrape", &body);
    assert_eq!(api.terminate(), Some(0));
    let off = format!("{CONFIG}  enabled: false\n");
    let service = folder.serve(&off, |_| ());
    wait_until("the job ends", TIMEOUT, || {
        service.get_json(&job_path)["status"] == "failed"
    });
    let tasks = service.get_json(&format!("{job_path}/tasks"));
    let task = &tasks["tasks"][0];
    assert_eq!(task["reason"], "no_browser", "{task}");
    let error = task["error"].as_str().unwrap();
    assert!(error.contains("browser.enabled"), "{task}");
    assert!(!error.contains("install"), "{task}");
    assert_eq!(service.terminate(), Some(0));
}
