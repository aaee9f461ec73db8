//! The four kinds of jobs reach their ends.

use futures_util::TryStreamExt;
use service::job_params::{JobParams, RobotsChoice, SitemapsChoice};
use store::{JobKind, JobState, Store, mapped_of};
use testsite::{Answer, Graph, Pages, Request, Server};

use crate::stage::{AtWork, Ground, fast, http, settings};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_workers_crawl_each_page_once() {
    let graph = Graph::new(500);
    let server = Server::start(graph.site());
    let ground = Ground::fresh(fast()).await;
    let params = JobParams {
        max_depth: Some(50),
        ..JobParams::site(server.url("/"))
    };
    let job = ground.start(JobKind::Crawl, &params).await;
    let fetch = http();
    let crew: Vec<AtWork> = (0..3)
        .map(|_| AtWork::begin(&ground.store, fetch.clone(), settings(fast())))
        .collect();
    let job = ground.finished(job).await;
    let mut done = 0;
    for worker in crew {
        let numbers = worker.end().await;
        assert_eq!((numbers.lost, numbers.dropped), (0, 0), "{numbers:?}");
        done += numbers.done;
    }
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    assert_eq!((job.counts.done, job.documents, done), (500, 500, 500));
    let documents = ground.by_path(job.id).await;
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
    let ground = Ground::fresh(fast()).await;
    let params = JobParams::scrape(server.url("/a"));
    let job = ground.start(JobKind::Scrape, &params).await;
    let worker = AtWork::begin(&ground.store, http(), settings(fast()));
    let job = ground.finished(job).await;
    worker.end().await;
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    let documents = ground.documents(job.id).await;
    assert_eq!(documents.len(), 1);
    let content = &documents[0].content;
    assert_eq!(content.title.as_deref(), Some("A page"));
    assert!(content.content_md.as_ref().unwrap().contains("# A page"));
    assert!(content.content_raw.as_ref().unwrap().contains("<p>"));
    assert_eq!(content.meta["status_code"], 200);
    assert_eq!(content.meta["language"], "en");
    assert_eq!(content.meta["requested_url"], server.url("/a"));
    assert_eq!(server.count("/next"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_keeps_error_pages_and_walks_redirects() {
    let site = Pages::new()
        .html("/a", "<title>A</title><p>words")
        .page("/old", Answer::redirect(301, "/new"))
        .html("/new", "<title>New</title><p>words")
        .page(
            "/gone",
            Answer::new(404, "text/html", "<title>Gone</title>nothing"),
        );
    let server = Server::start(site);
    let ground = Ground::fresh(fast()).await;
    let urls = ["/a", "/old", "/gone"].map(|path| server.url(path));
    let job = ground
        .start(JobKind::BatchScrape, &JobParams::batch(urls))
        .await;
    let worker = AtWork::begin(&ground.store, http(), settings(fast()));
    let job = ground.finished(job).await;
    worker.end().await;
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    let documents = ground.by_path(job.id).await;
    let mut paths: Vec<&str> = documents.keys().map(String::as_str).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["/a", "/gone", "/new"]);
    assert_eq!(documents["/gone"].content.meta["status_code"], 404);
    assert_eq!(documents["/new"].content.requested_url, server.url("/old"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_map_has_every_link_of_the_site() {
    let site = Pages::new()
        .links("/", &["/a", "/b", "https://elsewhere.test/"])
        .links("/a", &["/b", "/c.zip"])
        .links("/b", &["/deep"])
        .html("/deep", "<p>end");
    let server = Server::start(site);
    let ground = Ground::fresh(fast()).await;
    let job = ground
        .start(JobKind::Map, &JobParams::site(server.url("/")))
        .await;
    let worker = AtWork::begin(&ground.store, http(), settings(fast()));
    let job = ground.finished(job).await;
    worker.end().await;
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    assert_eq!(job.documents, 0);
    let edges: Vec<_> = mapped_of(&ground.store, job.id)
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
    assert_eq!(server.count("/c.zip"), 0, "a file is no page");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn robots_are_obeyed_unless_told_otherwise() {
    let site = || {
        Pages::new()
            .page("/robots.txt", Answer::text("User-agent: *\nDisallow: /no"))
            .links("/", &["/yes", "/no"])
            .html("/yes", "<p>words")
            .html("/no", "<p>words")
    };
    for (robots, count) in [(RobotsChoice::Respect, 0), (RobotsChoice::Ignore, 1)] {
        let server = Server::start(site());
        let ground = Ground::fresh(fast()).await;
        let params = JobParams {
            robots: Some(robots),
            ..JobParams::site(server.url("/"))
        };
        let job = ground.start(JobKind::Crawl, &params).await;
        let worker = AtWork::begin(&ground.store, http(), settings(fast()));
        let job = ground.finished(job).await;
        worker.end().await;
        assert_eq!(job.state, JobState::Completed, "{job:?}");
        assert_eq!(server.count("/no"), count, "{robots:?}");
        assert_eq!(job.counts.skipped, 1 - count);
        assert_eq!(server.count("/robots.txt"), 1 - count);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_passing_error_is_tried_again_and_a_lasting_one_fails() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let site = move |request: &Request| match request.path() {
        "/" => Answer::html("<a href=/flaky>1</a> <a href=/broken>2</a>"),
        "/flaky" if asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 2 => {
            Answer::status(503)
        }
        "/flaky" => Answer::html("<p>words"),
        "/broken" => Answer::status(500),
        _ => Answer::status(404),
    };
    let server = Server::start(site);
    let ground = Ground::fresh(fast()).await;
    let job = ground
        .start(JobKind::Crawl, &JobParams::site(server.url("/")))
        .await;
    let worker = AtWork::begin(&ground.store, http(), settings(fast()));
    let job = ground.finished(job).await;
    let numbers = worker.end().await;
    assert_eq!(job.state, JobState::CompletedWithErrors, "{job:?}");
    assert_eq!((job.counts.done, job.counts.failed), (2, 1));
    assert_eq!((server.count("/flaky"), server.count("/broken")), (3, 3));
    assert_eq!(numbers.retried, 4);
    let tasks = ground.store.tasks(job.id, None, 10, None).await.unwrap();
    let broken = tasks
        .entries
        .iter()
        .find(|task| task.url.ends_with("/broken"));
    let error = broken.and_then(|task| task.error.as_deref());
    assert_eq!(error, Some("server error (500)"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sitemaps_are_read_with_their_seed() {
    let listed = |server: &Request, paths: &[&str]| {
        let origin = server.origin();
        let urls = paths
            .iter()
            .map(|path| format!("<url><loc>{origin}{path}</loc></url>"));
        let urls = urls.collect::<Vec<_>>().concat();
        Answer::new(200, "application/xml", format!("<urlset>{urls}</urlset>"))
    };
    let site = move |request: &Request| match request.path() {
        "/robots.txt" => Answer::text("Sitemap: /index.xml"),
        "/index.xml" => {
            let index = format!(
                "<sitemapindex><sitemap><loc>{}/pages.xml</loc></sitemap></sitemapindex>",
                request.origin()
            );
            Answer::new(200, "application/xml", index)
        }
        "/pages.xml" => listed(request, &["/listed/1", "/listed/2", "/linked"]),
        "/" => Answer::html("<a href=/linked>1</a><a href=/hidden>2</a>"),
        _ => Answer::html("<p>words"),
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
        let ground = Ground::fresh(fast()).await;
        let params = JobParams {
            sitemaps: Some(choice),
            ..JobParams::site(server.url("/"))
        };
        let job = ground.start(JobKind::Crawl, &params).await;
        let worker = AtWork::begin(&ground.store, http(), settings(fast()));
        let job = ground.finished(job).await;
        worker.end().await;
        assert_eq!(job.state, JobState::Completed, "{job:?}");
        let documents = ground.by_path(job.id).await;
        let mut found: Vec<&str> = documents.keys().map(String::as_str).collect();
        found.sort_unstable();
        assert_eq!(found, paths, "{choice:?}");
    }
}
