//! A missing or unusable browser is reported before anything is fetched.

use testsite::{Pages, Server};

use crate::rendering::test_folder::TestFolder;

#[test]
fn a_missing_browser_exits_with_1_and_says_how_to_install_one() {
    let folder = TestFolder::new();
    let server = Server::start(Pages::new().html("/", "<p>words"));
    let url = server.url("/");
    for command in ["crawl", "map", "scrape"] {
        for js in ["auto", "always"] {
            let args = [command, &url, "--js", js, "-o", "kept.txt"];
            let ended = folder
                .run(&args)
                .env("CHROME", "/nonexistent/chromium")
                .finish();
            assert_eq!(ended.code, Some(1), "{}", ended.stderr);
            assert_eq!(ended.stdout, "");
            for text in [
                "/nonexistent/chromium",
                "apt-get install chromium",
                "CHROME",
            ] {
                assert!(ended.stderr.contains(text), "{text}: {}", ended.stderr);
            }
            assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
        }
    }
    assert_eq!(server.hits().len(), 0);
    assert!(!folder.path().join("kept.txt").exists());
    // Rendering was not requested.
    assert!(
        folder
            .run(&["scrape", &url])
            .env("CHROME", "/nonexistent/chromium")
            .finish()
            .success()
            .stdout
            .contains("words")
    );
}

#[test]
fn disabling_the_sandbox_prints_a_warning_and_a_typo_is_rejected() {
    let folder = TestFolder::new();
    let server = Server::start(Pages::new().html("/", "<p>words"));
    let url = server.url("/");
    let with = |value: &str| {
        folder
            .run(&["scrape", &url, "--js", "auto"])
            .env("BROWSER_SANDBOX", value)
            .finish()
    };
    let ended = with("off").success();
    assert!(
        ended.stderr.contains("BROWSER_SANDBOX=off"),
        "{}",
        ended.stderr
    );
    let ended = with("nope");
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("\"nope\" is neither on nor off"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_crawl_cannot_be_resumed_with_another_js_policy() {
    let folder = TestFolder::new();
    let server = Server::start(Pages::new().html("/", "<p>words"));
    let url = server.url("/");
    let args = ["crawl", &url, "--state", "kept.state", "-o", "kept.txt"];
    folder.run(&args).finish().success();
    let ended = folder
        .run(&[&args[..], &["--js", "auto"]].concat())
        .finish();
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("--js"), "{}", ended.stderr);
}

#[test]
fn a_browser_that_does_not_start_fails_the_command() {
    let folder = TestFolder::new();
    let server = Server::start(testsite::spa::ClientRoutedSite::new(5));
    let url = server.url("/");
    for command in ["crawl", "map", "scrape"] {
        let ended = folder
            .run(&[command, &url, "--js", "auto"])
            .env("CHROME", "/bin/true")
            .finish();
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert!(
            ended.stderr.contains("1 page could not be rendered")
                && ended.stderr.contains("/bin/true did not start"),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn an_invalid_browser_timeout_is_rejected() {
    let folder = TestFolder::new();
    let ended = folder
        .run(&["scrape", "http://127.0.0.1:1/", "--js", "auto"])
        .env("BROWSER_TIMEOUT", "soon")
        .finish();
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("BROWSER_TIMEOUT: \"soon\""),
        "{}",
        ended.stderr
    );
}

#[test]
fn an_unreachable_proxy_is_reported_as_such() {
    let folder = TestFolder::new();
    let server = Server::start(Pages::new().html("/", "<p>words"));
    let url = server.url("/");
    // Nothing listens on port 1. Without robots.txt, the browser is the first to use the proxy.
    let proxy = ["--proxy", "http://127.0.0.1:1", "--robots", "ignore"];
    for command in ["crawl", "scrape"] {
        let args = [&[command, &url, "--js", "always"], &proxy[..]].concat();
        let ended = folder.run(&args).finish();
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert!(
            ended
                .stderr
                .contains("the proxy 127.0.0.1:1 cannot be reached: connection refused"),
            "{}",
            ended.stderr
        );
    }
    assert_eq!(server.hits().len(), 0);
    folder.wait_for_cleanup();
}
