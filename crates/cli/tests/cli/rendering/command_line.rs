//! `--js` on `crawl`, `map` and `scrape`.

use serde_json::Value;
use testsite::spa::runaway::{RunawaySite, TEXT};
use testsite::spa::{Applications, ClientRoutedSite};
use testsite::{Pages, Server};

use crate::rendering::test_folder::TestFolder;
use crate::run::Finished;

const PAGES: usize = 12;

/// The paths of a crawl's objects, sorted.
fn paths(ended: &Finished, server: &Server) -> Vec<String> {
    let origin = server.origin();
    let mut paths: Vec<String> = ended
        .objects()
        .iter()
        .map(|page| page["url"].as_str().unwrap().replace(&origin, ""))
        .collect();
    paths.sort();
    paths
}

fn all_pages() -> Vec<String> {
    let mut pages = ClientRoutedSite::new(PAGES).pages();
    pages.sort();
    pages
}

#[test]
fn a_client_routed_site_needs_a_browser_to_be_crawled() {
    let folder = TestFolder::new();
    let server = Server::start(ClientRoutedSite::new(PAGES));
    let seed = server.url("/");
    let crawl = |more: &[&str]| {
        let args = [
            &["crawl", &seed, "--format", "ndjson", "--max-depth", "0"],
            more,
        ]
        .concat();
        folder.run(&args).finish().success()
    };
    let plain = crawl(&[]);
    assert_eq!(paths(&plain, &server), ["/"]);
    assert!(!plain.stdout.contains("rendered"), "{}", plain.stdout);
    assert!(
        plain.stderr.contains("may need JavaScript; try --js auto"),
        "{}",
        plain.stderr
    );
    for js in ["auto", "always"] {
        let rendered = crawl(&["--js", js, "-v"]);
        assert_eq!(
            paths(&rendered, &server),
            all_pages(),
            "{js}: {}",
            rendered.stderr
        );
        for page in rendered.objects() {
            assert_eq!(page["rendered"], true, "{js}: {page}");
            assert_eq!(page["status"], 200, "{page}");
            let path = page["url"].as_str().unwrap().replace(&server.origin(), "");
            let links: Vec<String> = ClientRoutedSite::new(PAGES)
                .links(&path)
                .iter()
                .map(|link| server.url(link))
                .collect();
            let found = page["links"].as_array().unwrap();
            for link in links {
                assert!(
                    found.contains(&Value::from(link.as_str())),
                    "{link}: {page}"
                );
            }
        }
        assert!(
            rendered.stderr.contains(", rendered, depth "),
            "{}",
            rendered.stderr
        );
        assert!(
            rendered.stderr.contains(&format!(", js {js}, ")),
            "{}",
            rendered.stderr
        );
        folder.wait_for_cleanup();
    }
}

#[test]
fn map_lists_urls_that_only_scripts_link_to() {
    let folder = TestFolder::new();
    let server = Server::start(ClientRoutedSite::new(PAGES));
    let seed = server.url("/");
    let args = ["map", &seed, "--js", "auto", "--max-depth", "0", "-q"];
    let map = folder.run(&args).finish().success();
    let mut listed: Vec<String> = map
        .stdout
        .lines()
        .map(|url| url.replace(&server.origin(), ""))
        .collect();
    listed.sort();
    assert_eq!(listed, all_pages());
    folder.wait_for_cleanup();
}

#[test]
fn scrape_prints_what_scripts_add_and_reports_rendering() {
    let folder = TestFolder::new();
    let server = Server::start(Applications);
    let url = server.url("/lazy");
    let page = |js: &str| {
        let args = ["scrape", &url, "--format", "json", "--js", js, "-v"];
        let ended = folder.run(&args).finish().success();
        let page: Value = serde_json::from_str(&ended.stdout).unwrap();
        (page, ended.stderr)
    };
    for (js, reason) in [("always", "asked"), ("auto", "empty_root")] {
        let (page, stderr) = page(js);
        let content = page["content"].as_str().unwrap();
        assert!(
            content.contains("the second load is ashore"),
            "{js}: {page}"
        );
        assert_eq!(page["meta"]["rendered"], true, "{js}: {page}");
        assert_eq!(page["meta"]["render_reason"], reason, "{js}: {page}");
        assert_eq!(page["meta"]["status_code"], 200, "{js}: {page}");
        let links = page["links"].as_array().unwrap();
        assert!(links.contains(&server.url("/landed/lazy").into()), "{page}");
        assert!(stderr.contains(", rendered"), "{js}: {stderr}");
    }
    let (page, stderr) = page("never");
    assert_eq!(page["meta"]["rendered"], false, "{page}");
    assert!(page["meta"].get("render_reason").is_none(), "{page}");
    assert!(
        stderr.contains("it may need JavaScript (try --js auto)"),
        "{stderr}"
    );
    folder.wait_for_cleanup();
}

#[test]
fn a_navigation_by_a_script_is_a_redirect() {
    let folder = TestFolder::new();
    let server = Server::start(Applications);
    let url = server.url("/replace");
    let args = ["scrape", &url, "--format", "json", "--js", "auto"];
    let page: Value = serde_json::from_str(&folder.run(&args).finish().success().stdout).unwrap();
    assert_eq!(page["url"], server.url("/landed/replace"), "{page}");
    let args = ["crawl", &url, "--format", "ndjson", "--js", "always"];
    let ended = folder
        .run(&[&args[..], &["--workers", "50"]].concat())
        .finish()
        .success();
    assert!(
        ended.stderr.contains("Note: --workers 50 reduced to "),
        "{}",
        ended.stderr
    );
    let pages = ended.objects();
    assert_eq!(pages.len(), 2, "{pages:?}");
    assert_eq!(pages[0]["redirect_to"], server.url("/landed/replace"));
    assert_eq!(pages[1]["url"], server.url("/landed/replace"));
    folder.wait_for_cleanup();
}

/// The browser is a script that creates a file when it is started.
#[test]
fn auto_starts_no_browser_for_a_site_that_needs_none() {
    let folder = TestFolder::new();
    let text =
        "<p>Words enough for somebody who came to read them, and then some more of them.</p>";
    let server = Server::start(
        Pages::new()
            .html(
                "/",
                &format!("<title>One</title>{text}<a href=/two>two</a>"),
            )
            .html("/two", &format!("<title>Two</title>{text}")),
    );
    let note = folder.path().join("started");
    let browser = folder.path().join("browser");
    let script = format!("#!/bin/sh\necho started > {}\nexit 1\n", note.display());
    std::fs::write(&browser, script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&browser, mode).unwrap();
    let url = server.url("/");
    let ended = folder
        .run(&["crawl", &url, "--js", "auto", "--format", "ndjson"])
        .env("CHROME", &browser)
        .finish()
        .success();
    assert_eq!(paths(&ended, &server), ["/", "/two"]);
    let run = |args: &[&str]| {
        folder
            .run(&[args, &["--js", "auto"]].concat())
            .env("CHROME", &browser)
            .finish()
            .success()
    };
    // Every format that lists pages has the same two fields.
    let mut records = ended.objects();
    records.extend(run(&["map", &url, "--format", "ndjson"]).objects());
    let scraped = run(&["scrape", &url, &url, "--format", "json"]).objects();
    records.extend(scraped.iter().map(|page| page["meta"].clone()));
    for (command, event) in [("crawl", "page_fetched"), ("scrape", "page_scraped")] {
        let stderr = run(&[command, &url, "-v", "--log-format", "json"]).stderr;
        let lines = stderr
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        records.extend(lines.filter(|line: &Value| line["event"] == event));
    }
    assert_eq!(records.len(), 2 + 2 + 2 + 2 + 1, "{records:#?}");
    for page in records {
        assert_eq!(page["rendered"], false, "{page}");
        assert_eq!(page["render_reason"], "readable", "{page}");
    }
    for (command, rows) in [("crawl", 2), ("map", 2)] {
        let table = run(&[command, &url, "--format", "csv"]).stdout;
        let (head, rest) = table.split_once('\n').unwrap();
        assert!(head.ends_with(",rendered,render_reason"), "{table}");
        assert_eq!(rest.lines().count(), rows, "{table}");
        assert!(
            rest.lines().all(|row| row.ends_with(",false,readable")),
            "{table}"
        );
    }
    assert!(!note.exists());
}

#[test]
fn a_page_over_a_budget_fails_with_always_and_is_fetched_by_http_with_auto() {
    let page = "<div id=root></div><script>for (let i = 0; i < 90; i++) fetch('/' + i)</script>";
    let server = Server::start(Pages::new().html("/", page));
    let folder = TestFolder::new();
    let crawl = |js: &str, limit: &str| {
        let seed = server.url("/");
        let args = ["crawl", &seed, "--js", js, "--format", "ndjson"];
        let run = folder.run(&args).env("BROWSER_MAX_REQUESTS", limit);
        run.finish()
    };
    let over = crawl("always", "30");
    let object = &over.objects()[0];
    assert_eq!(object["error_kind"], "render_budget", "{object}");
    let error = object["error"].as_str().unwrap();
    assert!(error.contains("more than 30 requests"), "{object}");
    assert!(error.contains("BROWSER_MAX_REQUESTS"), "{object}");
    let plain = crawl("auto", "30");
    let object = &plain.objects()[0];
    assert_eq!(object["status"], 200, "{object}");
    assert_eq!(object["render_reason"], "browser_failed", "{object}");
    let enough = crawl("always", "91");
    assert_eq!(enough.objects()[0]["rendered"], true);
    let unreadable = crawl("always", "many");
    assert!(
        unreadable.stderr.contains("BROWSER_MAX_REQUESTS: \"many\""),
        "{}",
        unreadable.stderr
    );
}

#[test]
fn a_page_whose_scripts_never_end_is_printed_with_a_warning() {
    let folder = TestFolder::new();
    let server = Server::start(RunawaySite);
    let url = server.url("/spin");
    let args = ["scrape", &url, "--js", "always", "--format", "json"];
    let run = folder.run(&args).env("BROWSER_TIMEOUT", "5s");
    let ended = run.finish().success();
    assert!(
        ended.stderr.contains(&format!(
            "{url} was still running scripts at the time limit"
        )),
        "{}",
        ended.stderr
    );
    let page: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(page["meta"]["render_timed_out"], true, "{page}");
    let content = page["content"].as_str().unwrap();
    assert!(content.contains(TEXT), "{page}");
    folder.wait_for_cleanup();
}
