//! Whatever ends us, no browser is left.

use std::process::{Child, ExitStatus};
use std::time::Duration;

use serde_json::json;
use testsite::spa::Routed;
use testsite::{Answer, Request, Server, Step};

use crate::ground::{Ground, until};
use crate::service::{CONFIG, Service, signal};

/// An application that waits for its data for ever, and has links to more of its kind.
fn waiting() -> Server {
    Server::start(|request: &Request| match request.path() {
        "/robots.txt" => Answer::status(404),
        "/never" => Answer::script(vec![Step::Hang]),
        _ => Answer::html(
            "<!doctype html><div id=root></div><script>fetch('/never').then(() => 0);\
             for (let n = 0; n < 9; n++) { const a = document.createElement('a'); a.href = '/' + n; \
             a.textContent = 'page ' + n; root.append(a); }</script>",
        ),
    })
}

/// A command that renders, once a page of it waits for its data.
fn rendering(ground: &Ground, site: &Server, words: &[&str]) -> Child {
    let url = site.url("/");
    let words = [&[words[0], &url, "--js", "always"], &words[1..]].concat();
    let mut command = ground.command(&words);
    command.stdout(std::process::Stdio::null());
    command.stderr(std::process::Stdio::null());
    let child = command.spawn().unwrap();
    ground.until_a_browser_runs();
    until("its page waits", || {
        site.count("/never") + site.count_below("/api/page/") > 0
    });
    child
}

fn ended(mut child: Child) -> ExitStatus {
    let mut status = None;
    until("the command ends", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}

#[test]
fn ctrl_c_takes_the_browser_along() {
    let ground = Ground::new();
    let site = waiting();
    for words in [&["crawl", "--max-depth", "0"][..], &["scrape"], &["map"]] {
        // The first signal lets what is in flight finish; the second does not.
        let child = rendering(&ground, &site, words);
        let process = child.id();
        signal(process, "INT");
        signal(process, "INT");
        assert_eq!(ended(child).code(), Some(130), "{words:?}");
        ground.until_nothing_is_left();
    }
}

#[test]
fn the_first_ctrl_c_finishes_the_pages_in_flight_and_then_closes_the_browser() {
    let ground = Ground::new();
    let site = Server::start(Routed::new(500).after(Duration::from_secs(2)));
    let child = rendering(&ground, &site, &["crawl", "--max-depth", "0"]);
    signal(child.id(), "INT");
    assert_eq!(ended(child).code(), Some(130));
    ground.until_nothing_is_left();
}

#[test]
fn kill_9_leaves_no_browser() {
    let ground = Ground::new();
    let site = waiting();
    let mut child = rendering(&ground, &site, &["crawl"]);
    child.kill().unwrap();
    child.wait().unwrap();
    ground.until_nothing_is_left();
    let mut service = Service::start(&ground, CONFIG, |_| ());
    let body = json!({"url": site.url("/"), "use_js": true});
    service.begun("/v1/crawl", &body);
    ground.until_a_browser_runs();
    assert!(service.id() > 1);
    service.kill();
    ground.until_nothing_is_left();
}

#[test]
fn a_service_that_is_stopped_hands_back_what_is_being_rendered() {
    let ground = Ground::new();
    let site = waiting();
    let short = CONFIG.replace("worker:\n", "worker:\n  drain: 3s\n");
    let service = Service::start(&ground, &short, |_| ());
    let body = json!({"url": site.url("/"), "use_js": true});
    let place = service.begun("/v1/crawl", &body);
    ground.until_a_browser_runs();
    until("its page waits", || site.count("/never") > 0);
    assert_eq!(service.terminate(), Some(0));
    ground.until_nothing_is_left();
    let service = Service::start(&ground, &short, |_| ());
    let job = service.get(&place);
    assert_eq!(job["tasks"]["failed"], 0, "{job}");
    assert!(
        ["queued", "running"].contains(&job["status"].as_str().unwrap()),
        "{job}"
    );
    assert_eq!(service.terminate(), Some(0));
    ground.until_nothing_is_left();
}
