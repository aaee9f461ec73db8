//! The four job types with `use_js`, on both stores.

use serde_json::{Value, json};
use testsite::Server;
use testsite::spa::{Applications, Routed};

use crate::database::Database;
use crate::ground::{Ground, until};
use crate::service::{CONFIG, Service};

const PAGES: usize = 7;

/// What every document must be: rendered, and with the words that its script wrote.
fn check_document(document: &Value, text: &str, reasons: &[&str]) {
    let content = document["content"].as_str().unwrap();
    assert!(content.contains(text), "{text}: {document}");
    assert_eq!(document["meta"]["rendered"], true, "{document}");
    assert_eq!(document["meta"]["status_code"], 200, "{document}");
    let reason = document["meta"]["render_reason"].as_str().unwrap();
    assert!(reasons.contains(&reason), "{document}");
}

fn every_job_type(service: &Service, use_js: &Value, reasons: &[&str]) {
    let site = Server::start(Routed::new(PAGES));
    let known = Routed::new(PAGES);
    let path_of = |url: &Value| url.as_str().unwrap().replace(&site.origin(), "");

    let asked = json!({"url": site.url("/p/3"), "use_js": use_js, "output_format": "text"});
    let (status, scraped) = service.post("/v1/scrape", &asked);
    assert_eq!(status, 200, "{scraped}");
    check_document(&scraped, &known.text("/p/3").unwrap(), reasons);

    let urls = [site.url("/p/1"), site.url("/p/2")];
    let batch = service.job("/v1/batch/scrape", &json!({"urls": urls, "use_js": use_js}));
    assert_eq!(service.get(&batch)["status"], "completed");
    let documents = service.get(&format!("{batch}/documents"));
    let documents = documents["documents"].as_array().unwrap();
    assert_eq!(documents.len(), 2);
    for document in documents {
        let path = path_of(&document["final_url"]);
        check_document(document, &known.text(&path).unwrap(), reasons);
    }

    let body = json!({"url": site.url("/"), "use_js": use_js, "max_depth": 5});
    let crawl = service.job("/v1/crawl", &body);
    assert_eq!(service.get(&crawl)["status"], "completed");
    let documents = service.get(&format!("{crawl}/documents?limit=100"));
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

    let map = service.job("/v1/map", &body);
    assert_eq!(service.get(&map)["status"], "completed");
    let mapped = service.get(&format!("{map}/map?limit=1000"));
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
    let ground = Ground::new();
    let service = Service::start(&ground, CONFIG, |command| {
        if let Some(database) = database {
            command.env("DATABASE_URL", database.url());
        }
    });
    assert_eq!(service.get("/readyz")["browser"], "asleep");
    every_job_type(&service, &json!(true), &["asked"]);
    assert_eq!(service.get("/readyz")["browser"], "running");
    every_job_type(&service, &json!("auto"), &["empty_root", "host_needs"]);
    let numbers = service.get("/metrics");
    let numbers = numbers.as_str().unwrap();
    assert!(
        numbers.contains("crawler_render_starts_total 1\n"),
        "{numbers}"
    );
    assert!(
        numbers.contains("crawler_render_deaths_total 0\n"),
        "{numbers}"
    );
    // Without it nothing of the site can be read.
    let site = Server::start(Routed::new(PAGES));
    let plain = service.job("/v1/crawl", &json!({"url": site.url("/"), "use_js": false}));
    assert_eq!(service.get(&plain)["tasks"]["total"], 1);
    assert_eq!(service.terminate(), Some(0));
    ground.until_nothing_is_left();
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
fn the_configuration_may_ask_for_it_and_forbid_it() {
    let site = Server::start(Applications);
    let scrape = |service: &Service, use_js: Option<Value>| {
        let mut body = json!({"url": site.url("/lazy")});
        if let Some(use_js) = use_js {
            body["use_js"] = use_js;
        }
        service.post("/v1/scrape", &body)
    };
    let ground = Ground::new();
    let service = Service::start(&ground, &format!("{CONFIG}  force: true\n"), |_| ());
    for use_js in [None, Some(json!(false)), Some(json!("auto"))] {
        let (_, page) = scrape(&service, use_js);
        assert_eq!(page["meta"]["render_reason"], "asked", "{page}");
    }
    assert_eq!(service.terminate(), Some(0));
    let service = Service::start(&ground, CONFIG, |command| {
        command.env("USE_JS_DEFAULT", "auto");
    });
    let (_, page) = scrape(&service, None);
    assert_eq!(page["meta"]["rendered"], true, "{page}");
    let (_, page) = scrape(&service, Some(json!(false)));
    assert_eq!(page["meta"]["rendered"], false, "{page}");
    assert_eq!(service.terminate(), Some(0));
    let service = Service::start(&ground, &format!("{CONFIG}  enabled: false\n"), |_| ());
    assert_eq!(service.get("/readyz")["browser"], "off");
    for path in ["/v1/scrape", "/v1/batch/scrape", "/v1/crawl", "/v1/map"] {
        for use_js in [json!(true), json!("auto")] {
            let mut body = json!({"url": site.url("/lazy"), "use_js": use_js});
            if path == "/v1/batch/scrape" {
                body = json!({"urls": [site.url("/lazy")], "use_js": use_js});
            }
            let (status, problem) = service.post(path, &body);
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
    ground.until_nothing_is_left();
}

#[test]
fn without_a_browser_scrapes_are_refused_and_pages_of_jobs_fail_in_clear_words() {
    let site = Server::start(Applications);
    let ground = Ground::new();
    let service = Service::start(&ground, CONFIG, |command| {
        command.env("CHROME", "/nonexistent/chromium");
    });
    let ready = service.get("/readyz");
    assert_eq!(ready["browser"], "missing", "{ready}");
    let reason = ready["browser_reason"].as_str().unwrap();
    assert!(reason.contains("/nonexistent/chromium"), "{ready}");
    let body = json!({"url": site.url("/lazy"), "use_js": true});
    let (status, problem) = service.post("/v1/scrape", &body);
    assert_eq!(status, 422, "{problem}");
    assert_eq!(problem["code"], "use_js_unavailable");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("apt-get install chromium"), "{problem}");
    let body = json!({"url": site.url("/lazy"), "use_js": "auto"});
    let (status, page) = service.post("/v1/scrape", &body);
    assert_eq!(status, 200, "{page}");
    assert_eq!(page["meta"]["rendered"], false, "{page}");
    assert_eq!(page["meta"]["render_reason"], "no_browser", "{page}");
    let body = json!({"urls": [site.url("/lazy")], "use_js": true});
    let place = service.job("/v1/batch/scrape", &body);
    assert_eq!(service.get(&place)["status"], "failed");
    let tasks = service.get(&format!("{place}/tasks"));
    let task = &tasks["tasks"][0];
    assert_eq!(task["reason"], "no_browser", "{task}");
    assert_eq!(task["attempts"], 1, "{task}");
    let error = task["error"].as_str().unwrap();
    for told in ["/nonexistent/chromium", "apt-get install chromium"] {
        assert!(error.contains(told), "{task}");
    }
    assert_eq!(service.terminate(), Some(0));
}

#[test]
fn a_worker_that_does_not_render_names_the_setting() {
    let site = Server::start(Applications);
    let ground = Ground::new();
    let api = Service::start(&ground, CONFIG, |command| {
        command.args(["--mode", "api"]);
    });
    let body = json!({"urls": [site.url("/lazy")], "use_js": true});
    let place = api.begun("/v1/batch/scrape", &body);
    assert_eq!(api.terminate(), Some(0));
    let off = format!("{CONFIG}  enabled: false\n");
    let service = Service::start(&ground, &off, |_| ());
    until("the job ends", || service.get(&place)["status"] == "failed");
    let tasks = service.get(&format!("{place}/tasks"));
    let task = &tasks["tasks"][0];
    assert_eq!(task["reason"], "no_browser", "{task}");
    let error = task["error"].as_str().unwrap();
    assert!(error.contains("browser.enabled"), "{task}");
    assert!(!error.contains("install"), "{task}");
    assert_eq!(service.terminate(), Some(0));
}
