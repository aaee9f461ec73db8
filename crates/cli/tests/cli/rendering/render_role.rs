//! `serve --mode render`: a process with the browser and without the database, asked over a Unix socket.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use testsite::spa::ClientRoutedSite;
use testsite::{Pages, Server};

use crate::api::Api;
use crate::harness::service::Service;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::rendering::test_folder::{CONFIG, TestFolder};

const RENDER: [&str; 7] = [
    "serve",
    "--mode",
    "render",
    "--config",
    "render.yaml",
    "--log-format",
    "json",
];

fn socket(folder: &TestFolder) -> PathBuf {
    folder.path().join("render.sock")
}

/// Writes the configuration of the render process.
fn configure(folder: &TestFolder, config: &str) {
    std::fs::write(folder.path().join("render.yaml"), config).unwrap();
}

/// Starts the render process and waits until it listens.
fn start(folder: &TestFolder) -> Service {
    let mut command = folder.command(&RENDER);
    command.env_remove("DATABASE_URL");
    command.env("BROWSER_SOCKET", socket(folder));
    let service = Service::start(command);
    service.wait_for_log("rendering");
    service
}

/// Starts an API with a worker that asks it. There is no browser that they could start.
fn serve(folder: &TestFolder) -> Api {
    folder.serve(CONFIG, |command| {
        command.env("BROWSER_SOCKET", socket(folder));
        command.env("CHROME", "/no/such/browser");
    })
}

fn browser_state(api: &Api) -> String {
    let ready = api.get_json("/readyz");
    ready["browser"].as_str().unwrap().to_owned()
}

#[test]
fn it_refuses_credentials_and_needs_a_socket() {
    let folder = TestFolder::new();
    configure(&folder, "");
    let refused = |expected: &str, change: &dyn Fn(&mut std::process::Command)| {
        let mut command = folder.command(&RENDER);
        command.env_remove("DATABASE_URL");
        command.env("BROWSER_SOCKET", socket(&folder));
        change(&mut command);
        let output = command.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(expected), "{expected}: {stderr}");
        assert!(!stderr.contains("s3cret"), "{stderr}");
        output.status.code()
    };
    let url = "postgres://crawler:s3cret@localhost/crawler";
    let code = refused("DATABASE_URL is set, but --mode render", &|command| {
        command.env("DATABASE_URL", url);
    });
    assert_eq!(code, Some(2));
    let code = refused("--mode render needs browser.socket", &|command| {
        command.env_remove("BROWSER_SOCKET");
    });
    assert_eq!(code, Some(2));
    for (config, setting) in [
        (
            format!("store:\n  database_url: {url}\n"),
            "store.database_url is set",
        ),
        (
            "server:\n  api_keys: [s3cret-s3cret-s3cret]\n".to_owned(),
            "server.api_keys is set",
        ),
    ] {
        configure(&folder, &config);
        assert_eq!(refused(setting, &|_| ()), Some(2));
    }
    configure(&folder, "");
    std::fs::write(socket(&folder), "a file").unwrap();
    let code = refused("exists and is not a socket", &|_| ());
    assert_eq!(code, Some(1));
    assert_eq!(std::fs::read(socket(&folder)).unwrap(), b"a file");
}

#[test]
fn pages_are_rendered_by_it() {
    use std::os::unix::fs::PermissionsExt as _;

    let site = Server::start(ClientRoutedSite::new(7));
    let folder = TestFolder::new();
    let api = serve(&folder);
    // The API starts without it, and says so.
    assert_eq!(browser_state(&api), "down");
    // Anyone may ask: where the socket is, is in the log only.
    let ready = api.get_json("/readyz").to_string();
    assert!(!ready.contains("sock"), "{ready}");
    wait_until("it is logged", TIMEOUT, || {
        api.log().contains(socket(&folder).to_str().unwrap())
            && api.log().contains("crawler serve --mode render")
    });
    configure(&folder, CONFIG);
    let mut render = start(&folder);
    let mode = std::fs::metadata(socket(&folder)).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o660);
    wait_until("it is seen", TIMEOUT, || browser_state(&api) == "asleep");
    let body = json!({"url": site.url("/"), "use_js": true, "max_depth": 5});
    let crawl = api.run_job("/v1/crawl", &body);
    let job = api.get_json(&crawl);
    assert_eq!(job["status"], "completed", "{job}");
    assert_eq!(job["tasks"]["done"], 7, "{job}");
    wait_until("it is seen", TIMEOUT, || browser_state(&api) == "running");
    let numbers = api.get_json("/metrics");
    let numbers = numbers.as_str().unwrap();
    assert!(
        numbers.contains("crawler_render_starts_total 1\n"),
        "{numbers}"
    );
    // A second one does not take its socket.
    let mut second = folder.command(&RENDER);
    second.env_remove("DATABASE_URL");
    let second = second
        .env("BROWSER_SOCKET", socket(&folder))
        .output()
        .unwrap();
    let stderr = String::from_utf8(second.stderr).unwrap();
    assert!(
        stderr.contains("is in use by another render process"),
        "{stderr}"
    );
    render.signal("TERM");
    let (status, _) = render.wait_for_exit(TIMEOUT);
    assert_eq!(status.code(), Some(0));
    assert!(!socket(&folder).exists());
    folder.wait_for_cleanup();
    assert_eq!(api.terminate(), Some(0));
}

#[test]
fn while_it_is_down_scrapes_are_refused_and_pages_of_jobs_wait() {
    let site = Server::start(Pages::new().html("/", "<p>text"));
    let folder = TestFolder::new();
    configure(&folder, CONFIG);
    // A page that counted as failed, or its attempt, would end the job.
    let config = CONFIG.replace(
        "worker:",
        "worker:\n  max_attempts: 1\n  backoff_base: 100ms\n  backoff_max: 200ms",
    );
    let api = folder.serve(&config, |command| {
        command.env("BROWSER_SOCKET", socket(&folder));
        command.env("CHROME", "/no/such/browser");
    });
    let body = json!({"url": site.url("/"), "use_js": true});
    let (status, problem) = api.post_json("/v1/scrape", &body);
    assert_eq!(
        (status, &problem["code"], &problem["kind"]),
        (
            503,
            &json!("browser_unavailable"),
            &json!("browser_unavailable")
        ),
        "{problem}"
    );
    assert!(!problem.to_string().contains(".sock"), "{problem}");
    let job = api.create_job("/v1/crawl", &body);
    let postponed = || api.log().matches(r#""result":"postponed""#).count();
    wait_until("the page has waited several times", TIMEOUT, || {
        postponed() >= 3
    });
    let tasks = api.get_json(&format!("{job}/tasks"));
    let error = tasks["tasks"][0]["error"].as_str();
    // It is being tried again at this moment, or waits.
    assert!(error.is_none_or(|error| error == "the render process cannot be reached"));
    let mut render = start(&folder);
    wait_until("the job ends", TIMEOUT, || {
        api.get_json(&job)["status"] == "completed"
    });
    let tasks = api.get_json(&format!("{job}/tasks"));
    let task = &tasks["tasks"][0];
    assert_eq!(
        (&task["status"], &task["attempts"]),
        (&json!("done"), &json!(1)),
        "{task}"
    );
    assert_eq!(api.terminate(), Some(0));
    render.signal("TERM");
    render.wait_for_exit(TIMEOUT);
    folder.wait_for_cleanup();
}

/// The guard of the process that dials counts, whatever the other one allows.
#[test]
fn it_guards_the_addresses_itself() {
    let site = Server::start(Pages::new().html("/", "<p>private"));
    let folder = TestFolder::new();
    configure(&folder, "");
    let _render = start(&folder);
    let api = serve(&folder);
    let body = json!({"url": site.url("/"), "use_js": true});
    let (status, problem) = api.post_json("/v1/scrape", &body);
    assert_eq!((status, &problem["code"]), (403, &json!("address_refused")));
    // robots.txt is fetched by the process that asks.
    assert_eq!((site.count("/robots.txt"), site.count("/")), (1, 0));
    assert_eq!(api.terminate(), Some(0));
}

#[test]
fn a_page_over_a_budget_has_a_problem_of_its_own_and_auto_returns_the_plain_page() {
    let page = "<div id=root></div><script>for (let i = 0; i < 90; i++) fetch('/' + i)</script>";
    let site = Server::start(Pages::new().html("/", page));
    let folder = TestFolder::new();
    configure(&folder, &format!("{CONFIG}  max_requests: 30\n"));
    let _render = start(&folder);
    let api = serve(&folder);
    let body = json!({"url": site.url("/"), "use_js": true});
    let (status, problem) = api.post_json("/v1/scrape", &body);
    assert_eq!(
        (status, &problem["code"], &problem["kind"]),
        (422, &json!("render_budget"), &json!("render_budget")),
        "{problem}"
    );
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("browser.max_requests"), "{problem}");
    let body = json!({"url": site.url("/"), "use_js": "auto", "output_format": "html"});
    let (status, page) = api.post_json("/v1/scrape", &body);
    assert_eq!(status, 200, "{page}");
    assert_eq!(page["meta"]["render_reason"], "browser_failed", "{page}");
    assert_eq!(api.terminate(), Some(0));
}

#[test]
fn killed_in_the_middle_of_a_job_it_loses_no_page() {
    const PAGES: usize = 30;
    let site = ClientRoutedSite::new(PAGES).after(Duration::from_millis(300));
    let server = Server::start(site);
    let folder = TestFolder::new();
    configure(&folder, CONFIG);
    let mut render = start(&folder);
    let api = serve(&folder);
    let body = json!({"url": server.url("/"), "use_js": true, "max_depth": 20});
    let crawl = api.create_job("/v1/crawl", &body);
    let done = || api.get_json(&crawl)["tasks"]["done"].as_u64().unwrap();
    for pages in [3, 12] {
        wait_until("some pages are done", TIMEOUT, || done() >= pages);
        render.kill();
        render = start(&folder);
    }
    wait_until("the job ends", TIMEOUT, || {
        api.get_json(&crawl)["status"] == "completed"
    });
    let job = api.get_json(&crawl);
    assert_eq!(job["tasks"]["done"], PAGES, "{job}");
    assert_eq!(job["tasks"]["failed"], 0, "{job}");
    assert_eq!(api.terminate(), Some(0));
    render.signal("TERM");
    let (status, _) = render.wait_for_exit(TIMEOUT);
    assert_eq!(status.code(), Some(0));
    folder.wait_for_cleanup();
}
