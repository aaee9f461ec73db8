//! No browser is left running, however a command ends.

use std::time::Duration;

use serde_json::json;
use testsite::spa::ClientRoutedSite;
use testsite::{Request, Server, SiteResponse, SocketStep};

use crate::harness::wait::{TIMEOUT, wait_until};
use crate::rendering::test_folder::{CONFIG, TestFolder};
use crate::run::Running;

/// An application that waits for its data forever, with links to more pages like it.
fn waiting() -> Server {
    Server::start(|request: &Request| match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        "/never" => SiteResponse::script(vec![SocketStep::Hang]),
        _ => SiteResponse::html(
            "<!doctype html><div id=root></div><script>fetch('/never').then(() => 0);\
             for (let n = 0; n < 9; n++) { const a = document.createElement('a'); a.href = '/' + n; \
             a.textContent = 'page ' + n; root.append(a); }</script>",
        ),
    })
}

/// Starts a command that renders, and waits until one of its pages waits for data.
fn rendering(folder: &TestFolder, site: &Server, args: &[&str]) -> Running {
    let url = site.url("/");
    let args = [&[args[0], &url, "--js", "always"], &args[1..]].concat();
    let running = folder.run(&args).start();
    folder.wait_for_browser();
    wait_until("a page waits for data", TIMEOUT, || {
        site.count("/never") + site.count_below("/api/page/") > 0
    });
    running
}

#[test]
fn ctrl_c_closes_the_browser() {
    let folder = TestFolder::new();
    let site = waiting();
    for args in [&["crawl", "--max-depth", "0"][..], &["scrape"], &["map"]] {
        // The first signal lets what is in flight finish; the second does not.
        let mut running = rendering(&folder, &site, args);
        running.signal("INT");
        running.signal("INT");
        running.finish().with_code(130);
        folder.wait_for_cleanup();
    }
}

#[test]
fn the_first_ctrl_c_finishes_the_pages_in_flight_and_then_closes_the_browser() {
    let folder = TestFolder::new();
    let site = Server::start(ClientRoutedSite::new(500).after(Duration::from_secs(2)));
    let mut running = rendering(&folder, &site, &["crawl", "--max-depth", "0"]);
    running.signal("INT");
    running.finish().with_code(130);
    folder.wait_for_cleanup();
}

#[test]
fn kill_9_leaves_no_browser() {
    let folder = TestFolder::new();
    let site = waiting();
    rendering(&folder, &site, &["crawl"]).kill();
    folder.wait_for_cleanup();
    let mut service = folder.serve(CONFIG, |_| ());
    let body = json!({"url": site.url("/"), "use_js": true});
    service.create_job("/v1/crawl", &body);
    folder.wait_for_browser();
    service.kill();
    folder.wait_for_cleanup();
}

#[test]
fn a_stopped_service_returns_pages_being_rendered_to_the_queue() {
    let folder = TestFolder::new();
    let site = waiting();
    let short = CONFIG.replace("worker:\n", "worker:\n  drain: 3s\n");
    let service = folder.serve(&short, |_| ());
    let body = json!({"url": site.url("/"), "use_js": true});
    let job_path = service.create_job("/v1/crawl", &body);
    folder.wait_for_browser();
    wait_until("a page waits for data", TIMEOUT, || {
        site.count("/never") > 0
    });
    assert_eq!(service.terminate(), Some(0));
    folder.wait_for_cleanup();
    let service = folder.serve(&short, |_| ());
    let job = service.get_json(&job_path);
    assert_eq!(job["tasks"]["failed"], 0, "{job}");
    assert!(
        ["queued", "running"].contains(&job["status"].as_str().unwrap()),
        "{job}"
    );
    assert_eq!(service.terminate(), Some(0));
    folder.wait_for_cleanup();
}
