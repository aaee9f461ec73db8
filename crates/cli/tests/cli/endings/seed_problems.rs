//! Seeds that cannot be fetched: reported once with the reason, exit code 1.

use testsite::{Pages, Server, SiteResponse, SocketStep};

use crate::run::{Finished, crawler};

#[track_caller]
fn assert_error(ended: &Finished, texts: &[&str]) {
    let errors = ended.stderr_lines("error: ");
    assert_eq!(errors.len(), 1, "{}", ended.output());
    for text in texts {
        assert!(errors[0].contains(text), "{text}: {}", ended.output());
    }
}

#[test]
fn error_statuses() {
    for (status, message) in [
        (404, "not found (404)"),
        (410, "gone (410)"),
        (403, "client error (403)"),
        (500, "server error (500)"),
        (504, "timeout (504)"),
    ] {
        let server = Server::start(Pages::new().page("/", SiteResponse::status(status)));
        let seed = server.url("/");
        let ended = crawler(&[&seed, "--max-attempts", "1"]).with_code(1);
        assert_error(&ended, &[&seed, message]);
        let line = format!("Failed to fetch {seed}: {message} [");
        assert_eq!(ended.stderr_lines(&line).len(), 1, "{}", ended.output());
        let block = format!("Visited: {seed}\nLinks found:\n");
        assert_eq!(ended.stdout, block);
        ended
            .stderr_contains("1 page in")
            .stderr_contains("1 failed");
    }
}

#[test]
fn unreachable_hosts() {
    for (seed, message) in [
        ("http://127.0.0.1:1/", "connection refused"),
        ("http://nowhere.invalid/", "nowhere.invalid"),
    ] {
        let ended = crawler(&[seed, "--max-attempts", "1"]).with_code(1);
        assert_error(&ended, &[seed, message]);
        assert_eq!(ended.stderr_lines("Failed to fetch ").len(), 1);
        let quiet = crawler(&[seed, "--max-attempts", "1", "-q"]).with_code(1);
        assert_eq!(quiet.stderr.lines().count(), 1, "{}", quiet.output());
        assert_error(&quiet, &[seed, message]);
    }
}

#[test]
fn no_response() {
    let hangs = || SiteResponse::script(vec![SocketStep::Hang]);
    let site = Pages::new().page("/", hangs());
    let server = Server::start(site);
    let args = [
        &server.url("/"),
        "--max-attempts",
        "1",
        "--timeout",
        "300ms",
    ];
    let ended = crawler(&args).with_code(1);
    assert_error(&ended, &[&server.url("/"), "no response within 300 ms"]);
}

#[test]
fn a_redirect_out_of_scope() {
    let elsewhere = "http://elsewhere.invalid/home";
    let server = Server::start(Pages::new().redirect("/", elsewhere));
    let ended = crawler(&[server.url("/")]).with_code(1);
    assert_error(&ended, &[&server.url("/"), elsewhere, "out of scope"]);
    let block = format!("Visited: {}\nLinks found:\n{elsewhere}\n", server.url("/"));
    assert_eq!(ended.stdout, block);
    ended.stderr_lacks("Failed to fetch");
}

#[test]
fn a_redirect_out_of_the_prefix() {
    let site = Pages::new()
        .redirect("/docs/", "/login")
        .html("/login", "l");
    let server = Server::start(site);
    let ended = crawler(&[&server.url("/docs/"), "--scope", "prefix"]).with_code(1);
    assert_error(&ended, &[&server.url("/login"), "out of scope"]);
    assert_eq!(server.count("/login"), 0);
}

#[test]
fn redirects_in_a_loop() {
    let site = Pages::new().redirect("/", "/b").redirect("/b", "/");
    let server = Server::start(site);
    let ended = crawler(&[server.url("/")]).with_code(1);
    assert_error(&ended, &["loop", &server.url("/b"), &server.url("/")]);
    assert_eq!((server.count("/"), server.count("/b")), (1, 1));
    let itself = Server::start(Pages::new().redirect("/", "/"));
    let ended = crawler(&[itself.url("/")]).with_code(1);
    assert_error(&ended, &[&itself.url("/"), "redirect loop"]);
    assert!(itself.count("/") <= 11, "{}", itself.count("/"));
}

#[test]
fn more_redirects_than_allowed() {
    let endless = |request: &testsite::Request| {
        let step: u32 = request.path()[1..].parse().unwrap_or(0);
        SiteResponse::redirect(302, &format!("/{}", step + 1))
    };
    let server = Server::start(endless);
    let ended = crawler(&[
        &server.url("/0"),
        "--max-redirects",
        "4",
        "--robots",
        "ignore",
    ]);
    let ended = ended.with_code(1);
    assert_error(&ended, &["too many redirects (4)"]);
    assert_eq!(server.total(), 5);
}

#[test]
fn a_redirect_to_a_page_is_not_an_error() {
    let site = Pages::new().redirect("/", "/home").html("/home", "home");
    let server = Server::start(site);
    let ended = crawler(&[server.url("/")]).with_code(0);
    ended.stderr_lacks("error:");
    assert_eq!(ended.visited(), [server.url("/"), server.url("/home")]);
}

#[test]
fn a_redirect_to_an_error_is_an_error() {
    let server = Server::start(Pages::new().redirect("/", "/gone"));
    let ended = crawler(&[server.url("/")]).with_code(1);
    assert_error(&ended, &[&server.url("/gone"), "not found (404)"]);
}

#[test]
fn a_seed_that_is_not_html_is_a_crawl_of_one_page() {
    let page = SiteResponse::new(200, "application/pdf", "%PDF-1.7");
    let server = Server::start(Pages::new().page("/", page));
    let ended = crawler(&[server.url("/")]).with_code(0);
    let block = format!("Visited: {}\nLinks found:\n", server.url("/"));
    assert_eq!(ended.stdout, block);
    ended.stderr_lacks("error").stderr_lacks("Failed");
}

#[test]
fn map_reports_the_same_problems() {
    let server = Server::start(Pages::new());
    let ended = crawler(&["map", &server.url("/")]).with_code(1);
    assert_error(&ended, &[&server.url("/"), "not found (404)"]);
}
