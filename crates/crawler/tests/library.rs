//! The public API against in-process sites, and the three example programs.

use std::time::Duration;

use crawler::{
    Crawl, CrawlSummary, Error, FailKind, Page, PageOutcome, PageStream, RobotsPolicy, StopReason,
};
use futures_util::TryStreamExt;
use testsite::{Graph, Pages, Proxy, Server, SiteResponse};
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
    assert_eq!((summary.pages(), summary.failed()), (4, 1));
    assert_eq!(*summary.stop_reason(), StopReason::Done);
    assert_eq!(summary.seed_problem(), None);
}

#[tokio::test]
async fn a_page_has_its_links_outcome_and_error() {
    let site = small_site();
    let pages = Crawl::new(site.url("/")).stream().unwrap();
    let pages: Vec<Page> = pages.try_collect().await.unwrap();
    let page = |path: &str| {
        let url = site.url(path);
        pages.iter().find(|page| page.url() == url).unwrap()
    };
    let links: Vec<&str> = page("/").links().collect();
    assert_eq!(links, [site.url("/a"), site.url("/b"), site.url("/gone")]);
    assert_eq!(page("/").found_on(), None);
    assert_eq!(page("/a").found_on(), Some(site.url("/").as_str()));
    assert_eq!(page("/a").outcome(), PageOutcome::Fetched { html: true });
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
    assert_eq!(summary.unwrap().pages(), 2);
    assert_eq!(site.count("/robots.txt"), 0);
    let summary = Crawl::new(site.url("/")).max_pages(1).run(|_| ()).await;
    assert_eq!(*summary.unwrap().stop_reason(), StopReason::MaxPages);
}

#[tokio::test]
async fn dropping_the_stream_stops_the_crawl() {
    let site = Server::start(Graph::new(1_000_000).site());
    let crawl = Crawl::new(site.url("/")).max_pages(None).max_depth(None);
    let mut pages = crawl.stream().unwrap();
    assert!(pages.next().await.unwrap().is_ok());
    drop(pages);
    // This would never finish if the crawl continued.
    while Handle::current().metrics().num_alive_tasks() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_bad_option_is_an_error_before_anything_is_fetched() {
    let site = small_site();
    let crawl = || Crawl::new(site.url("/"));
    for (crawl, name) in [
        (crawl().workers(0), "workers"),
        (crawl().max_attempts(0), "max_attempts"),
        (crawl().max_redirects(101), "max_redirects"),
        (crawl().max_body_bytes(0), "max_body_bytes"),
        (crawl().proxy("socks5://127.0.0.1:9"), "proxy"),
        (crawl().path_delay("search", Duration::ZERO), "path_delay"),
        (crawl().include("("), "include"),
        // Not a header `X-Name` with the value `a: b`.
        (crawl().header("X-Name: a", "b"), "header"),
        (Crawl::new("example.org"), "url"),
    ] {
        let error = crawl.stream().unwrap_err();
        assert!(
            matches!(&error, Error::InvalidOption { option, .. } if *option == name),
            "{error}"
        );
        assert!(error.to_string().starts_with(name), "{error}");
    }
    assert_eq!(site.count("/"), 0);
}

#[test]
fn a_program_without_a_runtime_can_crawl() {
    let site = small_site();
    let mut pages = 0;
    let summary = Crawl::new(site.url("/")).run_blocking(|_| pages += 1);
    assert_eq!((pages, summary.unwrap().pages()), (4, 4));
}

/// The paths that were requested, without robots.txt.
#[expect(clippy::unwrap_used, reason = "a failing step should fail the test")]
async fn requested(site: &Server, crawl: Crawl) -> Vec<String> {
    site.forget();
    crawl.run(|_| ()).await.unwrap();
    let mut paths: Vec<String> = site
        .hits()
        .into_iter()
        .map(|hit| hit.path_and_query)
        .collect();
    paths.retain(|path| path != "/robots.txt");
    paths.sort_unstable();
    paths
}

#[tokio::test]
async fn every_limit_has_its_effect() {
    let site = Server::start(
        Pages::new()
            .links("/", &["/a?x=1", "/a?x=2", "/deep", "/moved", "/busy"])
            .html("/a?x=1", "")
            .html("/a?x=2", "")
            .links("/deep", &["/deep/er"])
            .html("/deep/er", "")
            .redirect("/moved", "/moved/2")
            .redirect("/moved/2", "/moved/3")
            .html("/moved/3", "")
            .page("/busy", SiteResponse::status(500)),
    );
    let crawl = || Crawl::new(site.url("/")).max_attempts(1).max_redirects(0);
    let one_level = ["/", "/a?x=1", "/a?x=2", "/busy", "/deep", "/moved"];
    assert_eq!(requested(&site, crawl().max_depth(0)).await, ["/"]);
    assert_eq!(requested(&site, crawl().max_depth(1)).await, one_level);
    let all = requested(&site, crawl().max_depth(None)).await;
    assert_eq!(all.len(), one_level.len() + 1);
    let stripped = requested(&site, crawl().max_depth(1).strip_query()).await;
    assert_eq!(stripped.len(), one_level.len() - 1);
    let redirected = requested(&site, crawl().max_depth(1).max_redirects(2)).await;
    assert!(
        redirected.contains(&"/moved/3".to_owned()),
        "{redirected:?}"
    );
    let summary = crawl().max_bytes(1).workers(1).run(|_| ()).await.unwrap();
    assert_eq!(*summary.stop_reason(), StopReason::MaxBytes);
    let mut truncated = false;
    let short = crawl().max_depth(0).max_body_bytes(10);
    let summary = short.run(|page| truncated |= page.is_truncated()).await;
    assert!(truncated, "{summary:?}");
}

#[tokio::test]
async fn headers_and_proxies_are_used() {
    let (site, proxy) = (small_site(), Proxy::start());
    let crawl = Crawl::new(site.url("/"))
        .header("X-Name", "a: b")
        .user_agent("Example/1")
        .proxy(proxy.url())
        .max_depth(0);
    crawl.run(|_| ()).await.unwrap();
    let hits = site.hits();
    let page = hits.iter().find(|hit| hit.path_and_query == "/").unwrap();
    let value = |name: &str| {
        let found = page
            .headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    };
    assert_eq!(value("x-name"), Some("a: b"));
    assert_eq!(value("user-agent"), Some("Example/1"));
    assert_eq!(proxy.total(), site.total());
}

#[tokio::test]
async fn a_seed_that_cannot_be_fetched_is_named_in_the_totals() {
    let site = small_site();
    let mut outcomes = Vec::new();
    let summary = Crawl::new(site.url("/gone"))
        .run(|page| outcomes.push(page.error().map(|failure| failure.kind)))
        .await
        .unwrap();
    assert_eq!(outcomes, [Some(FailKind::DeadLink)]);
    let problem = summary.seed_problem().unwrap().to_string();
    assert!(problem.contains("not found (404)"), "{problem}");
}

#[tokio::test]
async fn a_disallowed_page_names_the_rule() {
    let site = Server::start(
        Pages::new()
            .links("/", &["/private"])
            .robots("User-agent: *\nDisallow: /private\n"),
    );
    let mut rules = Vec::new();
    let crawled = Crawl::new(site.url("/")).run(|page| {
        if let PageOutcome::Disallowed { rule } = page.outcome() {
            rules.push(rule.to_owned());
        }
    });
    assert_eq!(crawled.await.unwrap().skipped(), 1);
    assert_eq!(rules, ["Disallow: /private"]);
    assert_eq!(site.count("/private"), 0);
}

/// A program can run crawls and scrapes on any thread of its runtime. Checked by the compiler.
#[expect(dead_code, reason = "only compiled")]
fn futures_and_values_are_send() {
    fn is_send<T: Send>(_: T) {}
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Crawl>();
    is_send_and_sync::<Page>();
    is_send_and_sync::<PageStream>();
    is_send_and_sync::<CrawlSummary>();
    is_send_and_sync::<Error>();
    is_send(Crawl::new("").run(|_| ()));
    is_send(async {
        let mut pages = Crawl::new("").stream()?;
        pages.next().await;
        pages.finish().await
    });
    #[cfg(feature = "content")]
    {
        is_send_and_sync::<crawler::Document>();
        is_send_and_sync::<crawler::ScrapeError>();
        is_send(crawler::scrape(""));
        is_send(crawler::Scrape::new("").run());
    }
}

#[cfg(feature = "content")]
mod content {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;
    use crawler::{Scrape, ScrapeError, markdown, markdown_at, scrape};

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
        assert_eq!(
            (document.url(), document.requested()),
            (&*site.url("/"), &*site.url("/"))
        );
        assert!(document.error().is_none());
    }

    #[tokio::test]
    async fn errors_can_be_matched_and_printed() {
        let invalid = scrape("tea").await.unwrap_err();
        assert!(
            matches!(invalid, Error::InvalidOption { option: "url", .. }),
            "{invalid}"
        );
        let site = Server::start(
            Pages::new()
                .robots("User-agent: *\nDisallow: /private\n")
                .page(
                    "/pdf",
                    SiteResponse::new(200, "application/pdf", "%PDF-1.7"),
                )
                .page(
                    "/gone",
                    SiteResponse::new(404, "text/html", "<p>No such page"),
                ),
        );
        let error = async |url: String| match scrape(&url).await {
            Err(Error::Scrape(error)) => error,
            other => panic!("{other:?}"),
        };
        let disallowed = error(site.url("/private")).await;
        assert!(
            matches!(&disallowed, ScrapeError::Disallowed { rule, .. } if rule == "Disallow: /private"),
            "{disallowed}"
        );
        assert!(!disallowed.to_string().contains("--"), "{disallowed}");
        let not_text = error(site.url("/pdf")).await;
        assert!(
            matches!(not_text, ScrapeError::NotText { .. }),
            "{not_text}"
        );
        assert_eq!(not_text.url(), site.url("/pdf"));
        let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", closed.local_addr().unwrap());
        drop(closed);
        let scrape = Scrape::new(url).max_attempts(1).run();
        let refused = scrape.await.unwrap_err();
        assert!(
            matches!(&refused, Error::Scrape(ScrapeError::Failed { failure, .. }) if failure.kind == FailKind::Connect),
            "{refused}"
        );
        let gone = crawler::scrape(&site.url("/gone")).await.unwrap();
        assert_eq!(gone.error().unwrap().kind, FailKind::DeadLink);
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
            let Some(document) = page.document() else {
                return;
            };
            assert!(document.markdown().starts_with("# Tea\n"));
            assert_eq!(document.meta().status_code, 200);
            titles.extend(document.title().map(str::to_owned));
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
