//! Several URLs, and stdin.

use std::time::Duration;

use serde_json::Value;
use testsite::{Pages, Request, Server, SiteResponse};

use crate::contract::run::{crawler, run};

/// Numbered pages; the first ones take longest.
fn pages() -> Server {
    Server::start(|request: &Request| {
        let Some(number) = request
            .path()
            .strip_prefix('/')
            .and_then(|n| n.parse::<u64>().ok())
        else {
            return SiteResponse::status(404);
        };
        let body = format!(
            "<!doctype html><title>Page {number}</title><main><p>This is the text of page {number}, and it is \
             long enough for anybody to see that it is what a reader came for.</p></main>"
        );
        SiteResponse::html(body).after(Duration::from_millis(200_u64.saturating_sub(number * 20)))
    })
}

#[test]
fn pages_are_printed_in_the_order_given_below_their_urls() {
    let server = pages();
    let urls: Vec<String> = (1..=6)
        .map(|number| server.url(&format!("/{number}")))
        .collect();
    for format in ["markdown", "text", "html"] {
        let mut args = vec!["scrape", "--format", format];
        args.extend(urls.iter().map(String::as_str));
        let ended = crawler(&args).success();
        let lines: Vec<&str> = ended.stdout.lines().collect();
        let at = |url: &String| lines.iter().position(|line| line == url).unwrap();
        let positions: Vec<usize> = urls.iter().map(at).collect();
        assert!(positions.is_sorted(), "{positions:?}");
        assert_eq!(positions[0], 0);
        for (number, position) in (1..).zip(positions) {
            assert_eq!(lines[position + 1], "", "{}", ended.stdout);
            let until = lines[position..]
                .iter()
                .take(6)
                .copied()
                .collect::<String>();
            assert!(until.contains(&format!("page {number}")), "{until}");
        }
    }
}

#[test]
fn json_is_one_object_per_line() {
    let server = pages();
    let urls: Vec<String> = [3, 1, 2]
        .map(|number| server.url(&format!("/{number}")))
        .into();
    let mut args = vec!["scrape", "--format", "json"];
    args.extend(urls.iter().map(String::as_str));
    let objects = crawler(&args).success().objects();
    let found: Vec<&str> = objects
        .iter()
        .map(|object| object["url"].as_str().unwrap())
        .collect();
    assert_eq!(found, urls);
    assert_eq!(objects[0]["title"], "Page 3");
}

#[test]
fn a_dash_reads_stdin() {
    let server = pages();
    let origin = server.origin();
    let list = format!("\u{feff}{origin}/1\r\n\n# a comment\n  {origin}/2  \n{origin}/3");
    let ended = run(&["scrape", "-", "--format", "json"])
        .stdin(list.as_bytes())
        .finish()
        .success();
    let titles: Vec<String> = ended
        .objects()
        .iter()
        .map(|object| object["title"].to_string())
        .collect();
    assert_eq!(titles, ["\"Page 1\"", "\"Page 2\"", "\"Page 3\""]);
    // One URL on stdin is printed like several, so that the layout does not depend on their number.
    let one = run(&["scrape", "-"])
        .stdin(format!("{origin}/1").as_bytes())
        .finish()
        .success();
    assert!(
        one.stdout.starts_with(&format!("{origin}/1\n\n# Page 1\n")),
        "{}",
        one.stdout
    );
}

#[test]
fn urls_from_arguments_and_stdin_keep_their_order() {
    let server = pages();
    let (first, last) = (server.url("/1"), server.url("/4"));
    let args = ["scrape", "--format", "json", &first, "-", &last];
    let read = format!("{}\n{}\n", server.url("/2"), server.url("/3"));
    let objects = run(&args)
        .stdin(read.as_bytes())
        .finish()
        .success()
        .objects();
    let titles: Vec<&str> = objects
        .iter()
        .map(|object| object["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["Page 1", "Page 2", "Page 3", "Page 4"]);
}

/// One document per URL: of a map's URLs, redirects repeat their targets, and leaving them out by status avoids that.
#[test]
fn redirects_in_a_list_repeat_their_targets() {
    let server = Server::start(
        Pages::new()
            .links("/", &["/old", "/new"])
            .redirect("/old", "/new")
            .links("/new", &["/"]),
    );
    let map = crawler(&["map", &server.url("/"), "-q", "--format", "ndjson"]).success();
    let scraped = |keeps: &dyn Fn(&Value) -> bool| -> Vec<String> {
        let entries = map.objects().into_iter().filter(keeps);
        let list: String = entries
            .map(|entry| entry["url"].as_str().unwrap().to_owned() + "\n")
            .collect();
        let ended = run(&["scrape", "-", "--format", "json"])
            .stdin(list.as_bytes())
            .finish()
            .success();
        let url = |object: Value| object["url"].as_str().unwrap().to_owned();
        ended.objects().into_iter().map(url).collect()
    };
    let (home, new) = (server.url("/"), server.url("/new"));
    assert_eq!(scraped(&|_| true), [&*home, &*new, &*new]);
    assert_eq!(scraped(&|entry| entry["status"] == 200), [home, new]);
}

#[test]
fn a_bad_line_of_stdin_fails_only_that_line() {
    let server = pages();
    let list = [
        server.url("/1").as_bytes(),
        b"\nnot a url\n\xff\xfe\n",
        "x".repeat(70_000).as_bytes(),
        b"\n",
        server.url("/2").as_bytes(),
    ]
    .concat();
    let ended = run(&["scrape", "-", "--format", "json"])
        .stdin(&list)
        .finish();
    assert_eq!(ended.code, Some(1));
    let objects = ended.objects();
    assert_eq!(objects.len(), 5);
    assert_eq!(objects[0]["title"], "Page 1");
    assert_eq!(objects[1]["url"], "not a url");
    assert_eq!(objects[1]["error_kind"], "bad_url");
    assert_eq!(objects[1]["kind"], "bad_url");
    assert_eq!(objects[4]["title"], "Page 2");
    for message in [
        "line 2 of stdin: \"not a url\"",
        "line 3 of stdin",
        "line 4 of stdin is too long",
    ] {
        assert!(
            ended.stderr.contains(message),
            "{message}: {}",
            ended.stderr
        );
    }
}

#[test]
fn nothing_on_stdin_is_bad_usage() {
    for list in ["", "\n\n# nothing\n"] {
        let ended = run(&["scrape", "-"]).stdin(list.as_bytes()).finish();
        assert_eq!(ended.code, Some(2));
        assert!(
            ended.stderr.contains("no URLs on stdin"),
            "{}",
            ended.stderr
        );
    }
    let ended = run(&["scrape", "-", "-"]).stdin(b"").finish();
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("- is given more than once"),
        "{}",
        ended.stderr
    );
}

#[test]
fn arguments_are_checked_before_anything_is_fetched() {
    let server = pages();
    let good = server.url("/1");
    for (bad, why) in [
        ("example.org", "http"),
        ("ftp://example.org/", "ftp"),
        ("http://", "http://"),
    ] {
        let ended = crawler(&["scrape", &good, bad]);
        assert_eq!(ended.code, Some(2), "{bad}");
        assert!(
            ended.stderr.contains(bad) && ended.stderr.contains(why),
            "{}",
            ended.stderr
        );
    }
    assert_eq!(server.total(), 0);
    let ended = crawler(&["scrape"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("<URL>: missing"), "{}", ended.stderr);
}

#[test]
fn a_failed_page_does_not_affect_the_others() {
    let server = pages();
    let (first, missing, last) = (server.url("/1"), server.url("/none"), server.url("/2"));
    let ended = crawler(&["scrape", &first, &missing, &last]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stdout.contains("# Page 1") && ended.stdout.contains("# Page 2"));
    assert!(!ended.stdout.contains(&missing));
    let message = format!("Failed to fetch {missing}: not found (404) [dead link]");
    assert_eq!(ended.stderr.lines().collect::<Vec<_>>(), [message]);
}

#[test]
fn pages_of_one_host_are_fetched_two_at_a_time() {
    let server = pages();
    let list: String = (1..=30)
        .map(|number| server.url(&format!("/{number}\n")))
        .collect();
    let ended = run(&["scrape", "-", "--format", "json"])
        .stdin(list.as_bytes())
        .finish()
        .success();
    assert_eq!(ended.objects().len(), 30);
    assert!(server.most_in_flight() <= 2, "{}", server.most_in_flight());
    assert_eq!(server.count("/robots.txt"), 1);
}

#[test]
fn many_hosts_at_once() {
    let servers: Vec<Server> = (0..4)
        .map(|_| Server::start(Pages::new().html("/", "<title>t</title><p>Some words here")))
        .collect();
    // The same address with different ports: each is a separate host.
    let urls: Vec<String> = servers.iter().map(|server| server.url("/")).collect();
    let mut args = vec!["scrape", "--format", "json"];
    args.extend(urls.iter().map(String::as_str));
    assert_eq!(crawler(&args).success().objects().len(), 4);
}
