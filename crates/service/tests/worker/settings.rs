//! The settings of the sections `worker` and `crawl` take effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crawler_fetch::Guard;
use crawler_service::config::Config;
use crawler_service::job_params::{JobDefaults, JobParams};
use crawler_service::worker::{WorkerSettings, http_fetch};
use crawler_store::{Access, HostDefaults, Job, JobKind, JobState, Owner, StoreLimits, mapped_of};
use crawler_store_sqlite::{SqliteOptions, SqliteStore};
use futures_util::TryStreamExt;
use testsite::{Pages, Request, Server, SiteResponse};

use crate::test_store::{RunningWorker, TestStore};

/// A configuration without politeness limits.
fn unlimited() -> Config {
    let mut config = Config::default();
    config.worker.per_host_rps = 0.0;
    config.worker.per_host_concurrency = 100;
    config.worker.backoff_base = Duration::from_millis(1);
    config.worker.backoff_max = Duration::from_millis(2);
    config
}

#[test]
fn a_setting_that_no_plan_accepts_is_named_by_its_key() {
    let mut config = Config::default();
    config.http.timeout = Duration::ZERO;
    let jobs = JobDefaults::from(&config);
    let error = http_fetch(&jobs, 8, Guard::anywhere()).unwrap_err();
    let expected = "invalid configuration: http.timeout: 0s is out of range; use 1ms to 1h";
    assert_eq!(error.to_string(), expected);
}

/// A store as `serve` opens it.
async fn test_store(config: &Config) -> TestStore {
    let location = tempfile::tempdir().unwrap();
    let options = SqliteOptions {
        limits: StoreLimits {
            hosts: HostDefaults {
                in_flight: config.worker.per_host_concurrency,
                interval: config.host_interval(),
            },
            fixed_interval: config.crawl.crawl_delay.is_some(),
            ..StoreLimits::default()
        },
        ..SqliteOptions::default()
    };
    let store = SqliteStore::open(&location.path().join("store.db"), options).await;
    TestStore {
        store: store.unwrap(),
        location,
    }
}

/// Runs one job with this configuration.
async fn run(config: &Config, test_store: &TestStore, kind: JobKind, params: &JobParams) -> Job {
    let prepared = params
        .new_job(kind, Owner::local(), &JobDefaults::from(config))
        .unwrap();
    let id = prepared.job.id;
    crawler_store::Jobs::create_job(&test_store.store, prepared.job)
        .await
        .unwrap();
    let settings = WorkerSettings::of(config, true);
    let fetch = http_fetch(&settings.jobs, 8, Guard::anywhere()).unwrap();
    let worker = RunningWorker::start(&test_store.store, Arc::new(fetch), settings);
    let job = test_store.finished(id).await;
    worker.stop().await;
    job
}

type Change = fn(&mut Config);

async fn crawled(config: &Config, server: &Server) -> Job {
    let params = JobParams::for_url(server.url("/"));
    run(config, &test_store(config).await, JobKind::Crawl, &params).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backoff_is_between_its_base_and_its_maximum() {
    let mut config = unlimited();
    config.worker.max_attempts = 4;
    config.worker.backoff_base = Duration::from_millis(400);
    config.worker.backoff_max = Duration::from_millis(500);
    let server = Server::start(|request: &Request| match request.path() {
        "/" => SiteResponse::status(500),
        _ => SiteResponse::status(404),
    });
    let job = crawled(&config, &server).await;
    assert_eq!(job.state, JobState::Failed);
    let mut pages = server.hits();
    pages.retain(|hit| hit.path_and_query == "/");
    assert_eq!(pages.len(), 4, "max_attempts");
    let pauses: Vec<Duration> = pages.windows(2).map(|two| two[1].at - two[0].at).collect();
    // Half of it is jitter. The defaults would wait at most 0.5, 1 and 2 s.
    assert!(pauses[0] >= Duration::from_millis(200), "{pauses:?}");
    assert!(pauses[1] >= Duration::from_millis(250), "{pauses:?}");

    config.worker.backoff_base = Duration::from_millis(1);
    config.worker.backoff_max = Duration::from_millis(1);
    config.worker.max_attempts = 10;
    let before = server.hits().len();
    let started = std::time::Instant::now();
    crawled(&config, &server).await;
    assert!(server.hits().len() - before >= 10);
    // The default delays of nine retries take at least 27 s, however fast the machine is.
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_configured_crawl_delay_replaces_that_of_robots_txt() {
    const DELAY: Duration = Duration::from_millis(300);
    let site = || {
        Pages::new()
            .page(
                "/robots.txt",
                SiteResponse::text("User-agent: *\nCrawl-delay: 3600"),
            )
            .links("/", &["/a", "/b"])
            .html("/a", "<p>a")
            .html("/b", "<p>b")
    };
    let mut config = unlimited();
    config.crawl.crawl_delay = Some(DELAY);
    let server = Server::start(site());
    let test_store = test_store(&config).await;
    let params = JobParams::for_url(server.url("/"));
    let started = std::time::Instant::now();
    let job = run(&config, &test_store, JobKind::Crawl, &params).await;
    assert_eq!((job.state, job.documents), (JobState::Completed, 3));
    // Another process without the setting has stored the Crawl-delay meanwhile.
    let host = crawler_weburl::CrawlUrl::parse(&server.url("/"))
        .unwrap()
        .host_key();
    crawler_store::HostTurns::slow_host(&test_store.store, &host, Duration::from_hours(1))
        .await
        .unwrap();
    let job = run(&config, &test_store, JobKind::Crawl, &params).await;
    assert_eq!((job.state, job.documents), (JobState::Completed, 3));
    let mut pages = server.hits();
    pages.retain(|hit| hit.path_and_query != "/robots.txt");
    assert_eq!(pages.len(), 6);
    // Requests start at least a delay apart and can only arrive later than that: however busy the machine is, request
    // number k cannot arrive before k delays have passed.
    for (page, before) in pages.iter().zip(0..) {
        let (since, earliest) = (page.at - started, DELAY * before);
        assert!(since >= earliest, "page {before} came after {since:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn maps_list_fragments_only_when_they_are_not_stripped() {
    let server = Server::start(
        Pages::new()
            .html(
                "/",
                "<a href='/a#one'>1</a><a href='/a#two'>2</a><a href='/a#one'>3</a>",
            )
            .html("/a", "<p>a"),
    );
    for (strip, expected) in [(true, vec!["/a"]), (false, vec!["/a#one", "/a#two"])] {
        let mut config = unlimited();
        config.crawl.strip_fragments = strip;
        let test_store = test_store(&config).await;
        let params = JobParams::for_url(server.url("/"));
        let job = run(&config, &test_store, JobKind::Map, &params).await;
        let listed: Vec<_> = mapped_of(&test_store.store, &Access::AllOwners, job.id)
            .try_collect()
            .await
            .unwrap();
        let listed: Vec<String> = listed.into_iter().map(|one| one.link.target_url).collect();
        let expected: Vec<String> = expected.iter().map(|path| server.url(path)).collect();
        assert_eq!(listed, expected, "strip_fragments: {strip}");
    }
    // A page is fetched once per crawl either way.
    assert_eq!(server.count("/a"), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_decide_which_links_are_followed() {
    let site = || {
        Pages::new()
            .page(
                "/robots.txt",
                SiteResponse::text("User-agent: *\nDisallow: /private"),
            )
            .html(
                "/",
                "<a href='/a?x=1'>1</a><a href='/a?x=2'>2</a><a rel=nofollow href='/shy'>3</a>\
                 <a href='/film.mp4'>4</a><a href='/notes.xyz'>5</a><a href='/private'>6</a>",
            )
            .html("/a?x=1", "<p>a")
            .html("/a?x=2", "<p>a")
            .html("/shy", "<p>shy")
            .html("/film.mp4", "<p>film")
            .html("/notes.xyz", "<p>notes")
            .html("/private", "<p>private")
    };
    let cases: [(&str, Change, &[&str]); 6] = [
        ("default", |_| (), &["/", "/a?x=1", "/notes.xyz", "/shy"]),
        (
            "strip_query",
            |config| config.crawl.strip_query = false,
            &["/", "/a?x=1", "/a?x=2", "/notes.xyz", "/shy"],
        ),
        (
            "obey_nofollow",
            |config| config.crawl.obey_nofollow = true,
            &["/", "/a?x=1", "/notes.xyz"],
        ),
        (
            "block_binary_extensions",
            |config| config.crawl.block_binary_extensions = vec!["XYZ".to_owned()],
            &["/", "/a?x=1", "/film.mp4", "/shy"],
        ),
        (
            "respect_robots",
            |config| config.crawl.respect_robots = false,
            &["/", "/a?x=1", "/notes.xyz", "/private", "/shy"],
        ),
        ("jobs.max_depth", |config| config.jobs.max_depth = 0, &["/"]),
    ];
    for (name, change, expected) in cases {
        let mut config = unlimited();
        change(&mut config);
        let server = Server::start(site());
        let job = crawled(&config, &server).await;
        assert!(job.state.is_final());
        let hits = server.hits().into_iter().map(|hit| hit.path_and_query);
        let mut requested: Vec<String> = hits.filter(|path| path != "/robots.txt").collect();
        requested.sort();
        assert_eq!(requested, expected, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn robots_fetch_error_decides_what_an_unreadable_robots_txt_means() {
    static REQUESTS: AtomicU32 = AtomicU32::new(0);
    let server = Server::start(|request: &Request| {
        if request.path() == "/robots.txt" {
            return SiteResponse::status(500);
        }
        REQUESTS.fetch_add(1, Ordering::SeqCst);
        SiteResponse::html("<p>words")
    });
    for (errors, pages) in [
        (crawler_model::RobotsErrors::Allow, 1),
        (crawler_model::RobotsErrors::Disallow, 1),
    ] {
        let mut config = unlimited();
        config.crawl.robots_fetch_error = errors;
        crawled(&config, &server).await;
        assert_eq!(REQUESTS.load(Ordering::SeqCst), pages, "{errors:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_http_settings_apply_to_page_requests() {
    let server = Server::start(|request: &Request| match request.path() {
        "/hops" => SiteResponse::status(302).header("Location", "/two"),
        "/two" => SiteResponse::status(302).header("Location", "/end"),
        "/big" => SiteResponse::html(format!("<p>{}", "word ".repeat(2_000))),
        "/slow" => SiteResponse::html("<p>late").after(Duration::from_secs(5)),
        _ => SiteResponse::html("<p>words"),
    });
    let mut config = unlimited();
    config.http.timeout = Duration::from_millis(400);
    config.http.max_redirects = 1;
    config.http.max_body_bytes = 2_000;
    config.http.user_agent = "tester/7".to_owned();
    config.worker.max_attempts = 1;
    let test_store = test_store(&config).await;
    let urls = ["/hops", "/big", "/slow"].map(|path| server.url(path));
    let params = JobParams::batch(urls);
    let job = run(&config, &test_store, JobKind::BatchScrape, &params).await;
    let tasks = crawler_store::Results::tasks(
        &test_store.store,
        &crawler_store::Access::AllOwners,
        job.id,
        None,
        10,
        None,
    )
    .await
    .unwrap();
    let reason = |path: &str| {
        let task = tasks.entries.iter().find(|task| task.url.ends_with(path));
        task.unwrap().reason.clone()
    };
    assert_eq!(reason("/slow").as_deref(), Some("timeout"));
    assert_eq!(reason("/two").as_deref(), Some("too_many_redirects"));
    let documents = test_store.by_path(job.id).await;
    assert_eq!(documents["/big"].meta["truncated"], true);
    assert!(
        server.hits().iter().all(|hit| hit
            .headers
            .iter()
            .any(|(name, value)| name == "user-agent" && value == "tester/7")),
        "user_agent"
    );
}
