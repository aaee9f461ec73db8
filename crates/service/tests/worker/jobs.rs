//! The four kinds of jobs.

use crawler_service::job_params::{JobParams, RobotsChoice, SitemapsChoice};
use crawler_store::{Access, JobKind, JobState, JobStopReason, Results, mapped_of};
use futures_util::TryStreamExt;
use testsite::{Graph, Pages, Request, Server, SiteResponse};

use crate::test_store::{RunningWorker, TestStore, fast, http, settings};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_workers_crawl_each_page_once() {
    let graph = Graph::new(500);
    let server = Server::start(graph.site());
    let test_store = TestStore::fresh(fast()).await;
    let params = JobParams {
        max_depth: Some(50),
        ..JobParams::for_url(server.url("/"))
    };
    let job = test_store.start(JobKind::Crawl, &params).await;
    let fetch = http();
    let workers: Vec<RunningWorker> = (0..3)
        .map(|_| RunningWorker::start(&test_store.store, fetch.clone(), settings(fast())))
        .collect();
    let job = test_store.finished(job).await;
    let mut done = 0;
    for worker in workers {
        let numbers = worker.stop().await;
        assert_eq!((numbers.lost, numbers.dropped), (0, 0), "{numbers:?}");
        done += numbers.done;
    }
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    assert_eq!((job.counts.done, job.documents, done), (500, 500, 500));
    let documents = test_store.by_path(job.id).await;
    for page in 0..500 {
        let path = graph.path(page);
        assert!(documents.contains_key(&path), "no document of {path}");
        assert_eq!(server.count(&path), 1, "{path}");
    }
    assert!(server.count("/robots.txt") <= 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scrape_has_one_document_with_its_meta() {
    let body = "<html lang=en><title>A page</title><body><main><h1>A page</h1><p>Some words that are long \
                enough to be content, and a <a href='/next'>link</a>.</p></main></body></html>";
    let server = Server::start(Pages::new().html("/a", body).html("/next", "<p>no"));
    let test_store = TestStore::fresh(fast()).await;
    let params = JobParams::for_url(server.url("/a"));
    let (job, _) = test_store.run(JobKind::Scrape, &params).await;
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    let documents = test_store.documents(job.id).await;
    assert_eq!(documents.len(), 1);
    let content = &documents[0];
    assert_eq!(content.title.as_deref(), Some("A page"));
    assert!(content.content_md.as_ref().unwrap().contains("# A page"));
    assert!(content.content_raw.as_ref().unwrap().contains("<p>"));
    assert_eq!(content.meta["status_code"], 200);
    assert_eq!(content.meta["language"], "en");
    assert_eq!(content.meta["requested_url"], server.url("/a"));
    assert_eq!(server.count("/next"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_keeps_error_pages_and_follows_redirects() {
    let site = Pages::new()
        .html("/a", "<title>A</title><p>words")
        .page("/old", SiteResponse::redirect(301, "/new"))
        .html("/new", "<title>New</title><p>words")
        .page(
            "/gone",
            SiteResponse::new(404, "text/html", "<title>Gone</title>nothing"),
        );
    let server = Server::start(site);
    let test_store = TestStore::fresh(fast()).await;
    let urls = ["/a", "/old", "/gone"].map(|path| server.url(path));
    let (job, _) = test_store
        .run(JobKind::BatchScrape, &JobParams::batch(urls))
        .await;
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    let documents = test_store.by_path(job.id).await;
    let mut paths: Vec<&str> = documents.keys().map(String::as_str).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["/a", "/gone", "/new"]);
    assert_eq!(documents["/gone"].meta["status_code"], 404);
    assert_eq!(documents["/new"].requested_url, server.url("/old"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_map_has_every_link_of_the_site() {
    let site = Pages::new()
        .links("/", &["/a", "/b", "https://elsewhere.test/"])
        .links("/a", &["/b", "/c.zip"])
        .links("/b", &["/deep"])
        .html("/deep", "<p>end");
    let server = Server::start(site);
    let test_store = TestStore::fresh(fast()).await;
    let (job, _) = test_store
        .run(JobKind::Map, &JobParams::for_url(server.url("/")))
        .await;
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    assert_eq!(job.documents, 0);
    let edges: Vec<_> = mapped_of(&test_store.store, &Access::AllOwners, job.id)
        .try_collect()
        .await
        .unwrap();
    let mut edges: Vec<String> = edges
        .into_iter()
        .map(|edge| {
            let path = |url: &str| url.strip_prefix(&server.origin()).unwrap().to_owned();
            let (from, to) = (path(&edge.link.source_url), path(&edge.link.target_url));
            format!("{from} {to} {}", edge.link.depth)
        })
        .collect();
    edges.sort();
    assert_eq!(
        edges,
        ["/ /a 1", "/ /b 1", "/a /b 2", "/a /c.zip 2", "/b /deep 2"]
    );
    assert_eq!(server.count("/c.zip"), 0, "a zip file is not fetched");
    // Its links would be too deep to be listed.
    assert_eq!(
        server.count("/deep"),
        0,
        "the last level is listed, not fetched"
    );
    assert_eq!(
        (job.counts.total(), job.left_out, job.stop_reason),
        (3, 0, None)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn robots_txt_is_obeyed_unless_disabled() {
    let site = || {
        Pages::new()
            .page(
                "/robots.txt",
                SiteResponse::text("User-agent: *\nDisallow: /no"),
            )
            .links("/", &["/yes", "/no"])
            .html("/yes", "<p>words")
            .html("/no", "<p>words")
    };
    for (robots, count) in [(RobotsChoice::Respect, 0), (RobotsChoice::Ignore, 1)] {
        let server = Server::start(site());
        let test_store = TestStore::fresh(fast()).await;
        let params = JobParams {
            robots: Some(robots),
            ..JobParams::for_url(server.url("/"))
        };
        let (job, _) = test_store.run(JobKind::Crawl, &params).await;
        assert_eq!(job.state, JobState::Completed, "{job:?}");
        assert_eq!(server.count("/no"), count, "{robots:?}");
        assert_eq!(job.counts.skipped, 1 - count);
        assert_eq!(server.count("/robots.txt"), 1 - count);
    }
}

/// Links to known pages are not beyond the limit, and a URL that several pages link to is counted once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_counts_the_urls_beyond_its_maximum_depth() {
    let server = Server::start(
        Pages::new()
            .links("/", &["/a", "/b"])
            .links("/a", &["/", "/b", "/c"])
            .links("/b", &["/a", "/c", "/d"]),
    );
    let test_store = TestStore::fresh(fast()).await;
    for (max_depth, too_deep) in [(1, 2), (2, 0)] {
        let params = JobParams {
            max_depth: Some(max_depth),
            ..JobParams::for_url(server.url("/"))
        };
        let (job, _) = test_store.run(JobKind::Crawl, &params).await;
        assert_eq!(job.refused.too_deep(), too_deep, "{job:?}");
        assert_eq!((job.counts.total(), job.left_out), (5 - too_deep, 0));
        assert_eq!(job.refused.traps().count(), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_temporary_error_is_retried_and_a_permanent_one_fails() {
    let requests = std::sync::atomic::AtomicUsize::new(0);
    let site = move |request: &Request| match request.path() {
        "/" => SiteResponse::html("<a href=/flaky>1</a> <a href=/broken>2</a>"),
        "/flaky" if requests.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 2 => {
            SiteResponse::status(503)
        }
        "/flaky" => SiteResponse::html("<p>words"),
        "/broken" => SiteResponse::status(500),
        _ => SiteResponse::status(404),
    };
    let server = Server::start(site);
    let test_store = TestStore::fresh(fast()).await;
    let (job, numbers) = test_store
        .run(JobKind::Crawl, &JobParams::for_url(server.url("/")))
        .await;
    assert_eq!(job.state, JobState::CompletedWithErrors, "{job:?}");
    assert_eq!((job.counts.done, job.counts.failed), (2, 1));
    assert_eq!((server.count("/flaky"), server.count("/broken")), (3, 3));
    assert_eq!(numbers.retried, 4);
    let tasks = test_store
        .store
        .tasks(&Access::AllOwners, job.id, None, 10, None)
        .await
        .unwrap();
    let broken = tasks
        .entries
        .iter()
        .find(|task| task.url.ends_with("/broken"));
    let error = broken.and_then(|task| task.error.as_deref());
    assert_eq!(error, Some("server error (500)"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sitemaps_add_pages_to_a_crawl() {
    let listed = |server: &Request, paths: &[&str]| {
        let origin = server.origin();
        let urls = paths
            .iter()
            .map(|path| format!("<url><loc>{origin}{path}</loc></url>"));
        let urls = urls.collect::<Vec<_>>().concat();
        SiteResponse::new(200, "application/xml", format!("<urlset>{urls}</urlset>"))
    };
    let site = move |request: &Request| match request.path() {
        "/robots.txt" => SiteResponse::text("Sitemap: /index.xml"),
        "/index.xml" => {
            let index = format!(
                "<sitemapindex><sitemap><loc>{}/pages.xml</loc></sitemap></sitemapindex>",
                request.origin()
            );
            SiteResponse::new(200, "application/xml", index)
        }
        "/pages.xml" => listed(request, &["/listed/1", "/listed/2", "/linked"]),
        "/" => SiteResponse::html("<a href=/linked>1</a><a href=/hidden>2</a>"),
        _ => SiteResponse::html("<p>words"),
    };
    for (choice, paths) in [
        (
            SitemapsChoice::Include,
            vec!["/", "/hidden", "/linked", "/listed/1", "/listed/2"],
        ),
        (
            SitemapsChoice::Only,
            vec!["/linked", "/listed/1", "/listed/2"],
        ),
    ] {
        let server = Server::start(site);
        let test_store = TestStore::fresh(fast()).await;
        let params = JobParams {
            sitemaps: Some(choice),
            ..JobParams::for_url(server.url("/"))
        };
        let (job, _) = test_store.run(JobKind::Crawl, &params).await;
        assert_eq!(job.state, JobState::Completed, "{job:?}");
        let documents = test_store.by_path(job.id).await;
        let mut found: Vec<&str> = documents.keys().map(String::as_str).collect();
        found.sort_unstable();
        assert_eq!(found, paths, "{choice:?}");
    }
}

/// What a sitemap lists is admitted before the links of the seed, so it is kept when `max_pages` cuts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listed_pages_come_before_links_when_max_pages_cuts() {
    let server = Server::start(|request: &Request| match request.path() {
        "/sitemap.xml" => {
            let origin = request.origin();
            SiteResponse::text(format!("{origin}/listed/1\n{origin}/listed/2\n"))
        }
        "/robots.txt" => SiteResponse::status(404),
        "/" => SiteResponse::html("<a href=/linked/1>1</a><a href=/linked/2>2</a>"),
        _ => SiteResponse::html("<p>words"),
    });
    let test_store = TestStore::fresh(fast()).await;
    let params = JobParams {
        sitemaps: Some(SitemapsChoice::Include),
        max_pages: Some(3),
        ..JobParams::for_url(server.url("/"))
    };
    let (job, _) = test_store.run(JobKind::Crawl, &params).await;
    assert_eq!(
        job.stop_reason.map(JobStopReason::as_str),
        Some("max_pages"),
        "{job:?}"
    );
    let documents = test_store.by_path(job.id).await;
    let mut found: Vec<&str> = documents.keys().map(String::as_str).collect();
    found.sort_unstable();
    assert_eq!(found, ["/", "/listed/1", "/listed/2"]);
}
