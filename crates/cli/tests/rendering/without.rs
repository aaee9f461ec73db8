//! No browser, or none that may be used as it is: said before anything is fetched.

use testsite::{Pages, Server};

use crate::ground::{Ground, finish};

#[test]
fn a_missing_browser_ends_a_command_with_1_and_the_way_to_get_one() {
    let ground = Ground::new();
    let server = Server::start(Pages::new().html("/", "<p>words"));
    let url = server.url("/");
    for command in ["crawl", "map", "scrape"] {
        for js in ["auto", "always"] {
            let words = [command, &url, "--js", js, "-o", "kept.txt"];
            let mut command = ground.command(&words);
            command.env("CHROME", "/nonexistent/chromium");
            let ended = finish(command);
            assert_eq!(ended.code, Some(1), "{}", ended.err);
            assert_eq!(ended.out, "");
            for told in [
                "/nonexistent/chromium",
                "apt-get install chromium",
                "CHROME",
            ] {
                assert!(ended.err.contains(told), "{told}: {}", ended.err);
            }
            assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
        }
    }
    assert_eq!(server.hits().len(), 0);
    assert!(!ground.path().join("kept.txt").exists());
    // Nobody asked for it.
    let mut command = ground.command(&["scrape", &url]);
    command.env("CHROME", "/nonexistent/chromium");
    assert!(finish(command).well().out.contains("words"));
}

#[test]
fn the_sandbox_is_switched_off_aloud_and_not_by_a_typo() {
    let ground = Ground::new();
    let server = Server::start(Pages::new().html("/", "<p>words"));
    let url = server.url("/");
    let with = |value: &str| {
        let mut command = ground.command(&["scrape", &url, "--js", "auto"]);
        command.env("BROWSER_SANDBOX", value);
        finish(command)
    };
    let ended = with("off").well();
    assert!(ended.err.contains("BROWSER_SANDBOX=off"), "{}", ended.err);
    let ended = with("nope");
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.err.contains("\"nope\" is neither on nor off"),
        "{}",
        ended.err
    );
}

#[test]
fn a_kept_crawl_is_not_gone_on_with_in_another_way() {
    let ground = Ground::new();
    let server = Server::start(Pages::new().html("/", "<p>words"));
    let url = server.url("/");
    let words = ["crawl", &url, "--state", "kept.state", "-o", "kept.txt"];
    ground.crawler(&words).well();
    let ended = ground.crawler(&[&words[..], &["--js", "auto"]].concat());
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.contains("--js"), "{}", ended.err);
}

#[test]
fn a_browser_that_does_not_start_is_told_and_what_came_by_http_is_not_passed_off_as_the_page() {
    let ground = Ground::new();
    let server = Server::start(testsite::spa::Routed::new(5));
    let url = server.url("/");
    for command in ["crawl", "map", "scrape"] {
        let mut command = ground.command(&[command, &url, "--js", "auto"]);
        // A program that ends at once without a word.
        command.env("CHROME", "/bin/true");
        let ended = finish(command);
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        assert!(
            ended.err.contains("1 page could not be rendered")
                && ended.err.contains("/bin/true did not start"),
            "{}",
            ended.err
        );
    }
}

#[test]
fn the_time_of_a_page_is_named_in_so_many_words() {
    let ground = Ground::new();
    let mut command = ground.command(&["scrape", "http://127.0.0.1:1/", "--js", "auto"]);
    command.env("BROWSER_TIMEOUT", "soon");
    let ended = finish(command);
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(
        ended.err.contains("BROWSER_TIMEOUT: \"soon\""),
        "{}",
        ended.err
    );
}

#[test]
fn a_proxy_that_is_not_there_is_not_taken_for_the_sites_refusal() {
    let ground = Ground::new();
    let server = Server::start(Pages::new().html("/", "<p>words"));
    let url = server.url("/");
    // Nobody listens at port 1. Without robots.txt it is the browser that meets the proxy first.
    let proxy = ["--proxy", "http://127.0.0.1:1", "--robots", "ignore"];
    for command in ["crawl", "scrape"] {
        let words = [&[command, &url, "--js", "always"], &proxy[..]].concat();
        let ended = ground.crawler(&words);
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        assert!(
            ended
                .err
                .contains("the proxy 127.0.0.1:1 cannot be reached: connection refused"),
            "{}",
            ended.err
        );
    }
    assert_eq!(server.hits().len(), 0);
    ground.until_nothing_is_left();
}
