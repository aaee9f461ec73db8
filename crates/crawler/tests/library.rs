//! The public API against in-process sites, and the three example programs.

use crawler::{Crawl, Error, FailKind, Outcome, RobotsPolicy, StopReason};
use futures_util::StreamExt;
use testsite::{Graph, Pages, Server, SiteResponse};
use tokio::runtime::Handle;

fn small_site() -> Server {
    Server::start(
        Pages::new()
            .links("/", &["/a", "/b", "/gone"])
            .links("/a", &["/b"])
            .html("/b", "<p>No links")
            .page("/gone", SiteResponse::status(404)),
    )
}

#[tokio::test]
async fn run_calls_back_with_every_page_and_returns_the_totals() {
    let site = small_site();
    let mut seen = Vec::new();
    let summary = Crawl::new(site.url("/"))
        .run(|page| seen.push((page.url().to_owned(), page.status(), page.depth())))
        .await
        .unwrap();
    seen.sort_unstable();
    let expected = [
        (site.url("/"), Some(200), 0),
        (site.url("/a"), Some(200), 1),
        (site.url("/b"), Some(200), 1),
        (site.url("/gone"), Some(404), 1),
    ];
    assert_eq!(seen, expected);
    assert_eq!((summary.pages, summary.failures()), (4, 1));
    assert_eq!(summary.stop, StopReason::Done);
}

#[tokio::test]
async fn a_page_has_its_links_outcome_and_error() {
    let site = small_site();
    let pages = Crawl::new(site.url("/")).stream().unwrap();
    let pages: Vec<_> = pages.collect().await;
    let page = |path: &str| {
        let url = site.url(path);
        pages.iter().find(|page| page.url() == url).unwrap()
    };
    let links: Vec<&str> = page("/").links().collect();
    assert_eq!(links, [site.url("/a"), site.url("/b"), site.url("/gone")]);
    assert_eq!(page("/").found_on(), None);
    assert_eq!(page("/a").found_on(), Some(site.url("/").as_str()));
    assert_eq!(*page("/a").outcome(), Outcome::Fetched { html: true });
    assert!(page("/a").document().is_none() && page("/a").error().is_none());
    let failure = page("/gone").error().unwrap();
    assert_eq!(failure.kind, FailKind::DeadLink);
    assert_eq!(failure.to_string(), "not found (404)");
}

#[tokio::test]
async fn options_limit_the_crawl() {
    let site = small_site();
    let mut seen = Vec::new();
    let crawl = Crawl::new(site.url("/"))
        .exclude("/b$")
        .exclude("gone")
        .workers(1)
        .robots(RobotsPolicy::Ignore);
    let summary = crawl.run(|page| seen.push(page.url().to_owned())).await;
    assert_eq!(seen, [site.url("/"), site.url("/a")]);
    assert_eq!(summary.unwrap().pages, 2);
    assert_eq!(site.count("/robots.txt"), 0);
    let summary = Crawl::new(site.url("/")).max_pages(1).run(|_| ()).await;
    assert_eq!(summary.unwrap().stop, StopReason::MaxPages);
}

#[tokio::test]
async fn dropping_the_stream_stops_the_crawl() {
    let site = Server::start(Graph::new(1_000_000).site());
    let crawl = Crawl::new(site.url("/")).max_pages(0).max_depth(0);
    let mut pages = crawl.stream().unwrap();
    assert!(pages.next().await.is_some());
    drop(pages);
    // This would never finish if the crawl continued.
    while Handle::current().metrics().num_alive_tasks() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_bad_option_is_an_error_before_anything_is_fetched() {
    let site = small_site();
    let bad = Crawl::new(site.url("/")).workers(0).stream().unwrap_err();
    assert!(matches!(bad, Error::Plan(_)), "{bad}");
    assert!(bad.to_string().contains("workers"), "{bad}");
    assert!(Crawl::new("example.org").stream().is_err());
    assert_eq!(site.count("/"), 0);
}

#[test]
fn a_program_without_a_runtime_can_crawl() {
    let site = small_site();
    let mut pages = 0;
    let summary = Crawl::new(site.url("/")).run_blocking(|_| pages += 1);
    assert_eq!((pages, summary.unwrap().pages), (4, 4));
}

#[cfg(feature = "content")]
mod content {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;
    use crawler::{Scrape, markdown, markdown_at, scrape};

    const TEA: &str = "<title>Tea</title><main><h1>Tea</h1><p>Hot water first, then <a href='/leaves'>leaves</a>.</p></main>";
    const TEA_MARKDOWN: &str = "# Tea\n\nHot water first, then [leaves](/leaves).\n";

    fn tea() -> Server {
        let pages = Pages::new().html("/", TEA);
        Server::start(pages.page("/gone", SiteResponse::status(404)))
    }

    #[tokio::test]
    async fn scrape_returns_a_document() {
        let site = tea();
        let document = scrape(&site.url("/")).await.unwrap();
        assert_eq!((document.title(), document.status()), (Some("Tea"), 200));
        assert_eq!(document.links(), [site.url("/leaves")]);
        let absolute = TEA_MARKDOWN.replace("(/leaves)", &format!("({})", site.url("/leaves")));
        assert_eq!(document.markdown(), absolute);
        assert!(matches!(scrape("tea").await, Err(Error::BadUrl(_))));
    }

    #[test]
    fn a_program_without_a_runtime_can_scrape() {
        let site = tea();
        let document = Scrape::new(site.url("/")).whole_page().run_blocking();
        assert_eq!(document.unwrap().title(), Some("Tea"));
    }

    #[tokio::test]
    async fn a_crawl_reads_documents_if_asked() {
        let site = tea();
        let mut titles = Vec::new();
        let crawl = Crawl::new(site.url("/")).documents();
        let crawled = crawl.run(|page| {
            titles.extend(page.document().and_then(|document| document.title.clone()));
        });
        crawled.await.unwrap();
        assert_eq!(titles, ["Tea"]);
    }

    #[test]
    fn markdown_keeps_links_or_makes_them_absolute() {
        assert_eq!(markdown(TEA), TEA_MARKDOWN);
        let absolute = markdown_at(TEA, "https://example.org/tea").unwrap();
        assert!(
            absolute.contains("(https://example.org/leaves)"),
            "{absolute}"
        );
        // A URL cannot break out of its link in the Markdown.
        let escaped = markdown("<main><p><a href='/x\n\n# heading'>x</a> and more</p></main>");
        assert_eq!(escaped, "[x](/x#%20heading) and more\n");
    }

    #[test]
    fn the_examples_run() {
        let (site, tea) = (small_site(), tea());
        let crawled = run_example("crawl", &[&site.url("/")], "");
        assert!(crawled.ends_with("4 pages\n"), "{crawled}");
        assert!(
            crawled.contains(&format!("3 links on {}\n", site.url("/"))),
            "{crawled}"
        );
        assert!(crawled.contains("gone: not found (404)\n"), "{crawled}");
        let scraped = run_example("scrape", &[&tea.url("/")], "");
        assert!(scraped.starts_with("title: Tea\n# Tea\n"), "{scraped}");
        assert_eq!(run_example("markdown", &[], TEA), TEA_MARKDOWN);
    }

    /// Runs an example, which cargo builds beside the tests, and returns its output.
    #[expect(clippy::unwrap_used, reason = "a failing step should fail the test")]
    fn run_example(name: &str, arguments: &[&str], stdin: &str) -> String {
        let test = std::env::current_exe().unwrap();
        let target = test.parent().and_then(|deps| deps.parent()).unwrap();
        let mut child = Command::new(target.join("examples").join(name))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("the example {name} cannot be started: {error}"));
        let mut input = child.stdin.take().unwrap();
        input.write_all(stdin.as_bytes()).unwrap();
        drop(input);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{name}: {:?}", output.status);
        String::from_utf8(output.stdout).unwrap()
    }
}
