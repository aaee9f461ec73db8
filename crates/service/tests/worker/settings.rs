//! Each setting of `worker` and `crawl` changes what a worker does.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::TryStreamExt;
use service::config::Config;
use service::job_params::{JobDefaults, JobParams};
use service::worker::WorkerSettings;
use store::{HostDefaults, Job, JobKind, JobState, mapped_of};
use store_sqlite::{SqliteOptions, SqliteStore};
use testsite::{Answer, Pages, Request, Server};

use crate::stage::{AtWork, Ground, http};

/// A configuration that holds nobody up.
fn quick() -> Config {
    let mut config = Config::default();
    config.worker.per_host_rps = 0.0;
    config.worker.per_host_concurrency = 100;
    config.worker.backoff_base = Duration::from_millis(1);
    config.worker.backoff_max = Duration::from_millis(2);
    config
}

/// A store as `serve` opens it.
async fn ground(config: &Config) -> Ground {
    let place = tempfile::tempdir().unwrap();
    let options = SqliteOptions {
        hosts: HostDefaults {
            in_flight: config.worker.per_host_concurrency,
            interval: config.host_interval(),
        },
        fixed_interval: config.crawl.crawl_delay.is_some(),
        ..SqliteOptions::default()
    };
    let store = SqliteStore::open(&place.path().join("store.db"), options).await;
    Ground {
        store: store.unwrap(),
        place,
    }
}

/// Runs one job to its end by this configuration.
async fn run(config: &Config, ground: &Ground, kind: JobKind, params: &JobParams) -> Job {
    let prepared = params.new_job(kind, &JobDefaults::from(config)).unwrap();
    let id = prepared.job.id;
    store::Store::create_job(&ground.store, prepared.job)
        .await
        .unwrap();
    let worker = AtWork::begin(&ground.store, http(), WorkerSettings::of(config, true));
    let job = ground.finished(id).await;
    worker.end().await;
    job
}

type Change = fn(&mut Config);

async fn crawled(config: &Config, server: &Server) -> Job {
    let params = JobParams::site(server.url("/"));
    run(config, &ground(config).await, JobKind::Crawl, &params).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backoff_is_between_its_base_and_its_longest() {
    let mut config = quick();
    config.worker.max_attempts = 4;
    config.worker.backoff_base = Duration::from_millis(400);
    config.worker.backoff_max = Duration::from_millis(500);
    let server = Server::start(|request: &Request| match request.path() {
        "/" => Answer::status(500),
        _ => Answer::status(404),
    });
    let job = crawled(&config, &server).await;
    assert_eq!(job.state, JobState::Failed);
    let mut pages = server.hits();
    pages.retain(|hit| hit.path_and_query == "/");
    assert_eq!(pages.len(), 4, "max_attempts");
    let pauses: Vec<Duration> = pages.windows(2).map(|two| two[1].at - two[0].at).collect();
    // Half of it is jitter. The usual base and longest would wait at most 0.5, 1 and 2 s.
    assert!(pauses[0] >= Duration::from_millis(200), "{pauses:?}");
    assert!(pauses[1] >= Duration::from_millis(250), "{pauses:?}");

    config.worker.backoff_base = Duration::from_millis(1);
    config.worker.backoff_max = Duration::from_millis(1);
    config.worker.max_attempts = 3;
    let before = server.hits().len();
    let begun = std::time::Instant::now();
    crawled(&config, &server).await;
    assert!(server.hits().len() - before >= 3);
    // The usual pauses take 750 ms at least; a busy machine takes its time too.
    assert!(
        begun.elapsed() < Duration::from_millis(700),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_delay_of_ours_replaces_that_of_robots_txt() {
    let site = || {
        Pages::new()
            .page(
                "/robots.txt",
                Answer::text("User-agent: *\nCrawl-delay: 30"),
            )
            .links("/", &["/a", "/b"])
            .html("/a", "<p>a")
            .html("/b", "<p>b")
    };
    let mut config = quick();
    config.crawl.crawl_delay = Some(Duration::from_millis(300));
    let server = Server::start(site());
    let ground = ground(&config).await;
    // Somebody without the setting has met the site before.
    let host = weburl::CrawlUrl::parse(&server.url("/"))
        .unwrap()
        .host_key();
    store::Store::slow_host(&ground.store, &host, Duration::from_secs(30))
        .await
        .unwrap();
    let params = JobParams::site(server.url("/"));
    let begun = std::time::Instant::now();
    let job = run(&config, &ground, JobKind::Crawl, &params).await;
    assert_eq!((job.state, job.documents), (JobState::Completed, 3));
    assert!(
        begun.elapsed() < Duration::from_secs(25),
        "robots.txt was obeyed"
    );
    let mut pages = server.hits();
    pages.retain(|hit| hit.path_and_query != "/robots.txt");
    for two in pages.windows(2) {
        let pause = two[1].at - two[0].at;
        assert!(pause >= Duration::from_millis(250), "{pause:?}");
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
        let mut config = quick();
        config.crawl.strip_fragments = strip;
        let ground = ground(&config).await;
        let params = JobParams::site(server.url("/"));
        let job = run(&config, &ground, JobKind::Map, &params).await;
        let listed: Vec<_> = mapped_of(&ground.store, job.id)
            .try_collect()
            .await
            .unwrap();
        let listed: Vec<String> = listed.into_iter().map(|one| one.link.target_url).collect();
        let expected: Vec<String> = expected.iter().map(|path| server.url(path)).collect();
        assert_eq!(listed, expected, "strip_fragments: {strip}");
    }
    // A page is visited once a crawl either way.
    assert_eq!(server.count("/a"), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_followed() {
    let site = || {
        Pages::new()
            .page(
                "/robots.txt",
                Answer::text("User-agent: *\nDisallow: /private"),
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
        (
            "as it comes",
            |_| (),
            &["/", "/a?x=1", "/notes.xyz", "/shy"],
        ),
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
        let mut config = quick();
        change(&mut config);
        let server = Server::start(site());
        let job = crawled(&config, &server).await;
        assert!(job.state.is_final());
        let hits = server.hits().into_iter().map(|hit| hit.path_and_query);
        let mut asked: Vec<String> = hits.filter(|path| path != "/robots.txt").collect();
        asked.sort();
        assert_eq!(asked, expected, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_robots_txt_that_cannot_be_read_means_what_the_operator_says() {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let server = Server::start(|request: &Request| {
        if request.path() == "/robots.txt" {
            return Answer::status(500);
        }
        ASKED.fetch_add(1, Ordering::SeqCst);
        Answer::html("<p>words")
    });
    for (errors, pages) in [
        (model::RobotsErrors::Allow, 1),
        (model::RobotsErrors::Disallow, 1),
    ] {
        let mut config = quick();
        config.crawl.robots_fetch_error = errors;
        crawled(&config, &server).await;
        assert_eq!(ASKED.load(Ordering::SeqCst), pages, "{errors:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn how_pages_are_asked_for() {
    let server = Server::start(|request: &Request| match request.path() {
        "/hops" => Answer::status(302).header("Location", "/two"),
        "/two" => Answer::status(302).header("Location", "/end"),
        "/big" => Answer::html(format!("<p>{}", "word ".repeat(2_000))),
        "/slow" => Answer::html("<p>late").after(Duration::from_secs(5)),
        _ => Answer::html("<p>words"),
    });
    let mut config = quick();
    config.http.timeout = Duration::from_millis(400);
    config.http.max_redirects = 1;
    config.http.max_body_bytes = 2_000;
    config.http.user_agent = "tester/7".to_owned();
    config.worker.max_attempts = 1;
    let ground = ground(&config).await;
    let urls = ["/hops", "/big", "/slow"].map(|path| server.url(path));
    let params = JobParams::batch(urls);
    let job = {
        let prepared = params
            .new_job(JobKind::BatchScrape, &JobDefaults::from(&config))
            .unwrap();
        let id = prepared.job.id;
        store::Store::create_job(&ground.store, prepared.job)
            .await
            .unwrap();
        let settings = WorkerSettings::of(&config, true);
        let guard = fetch::Guard::anywhere();
        let fetch = service::worker::http_fetch(&settings.jobs, 8, guard).unwrap();
        let worker = AtWork::begin(&ground.store, std::sync::Arc::new(fetch), settings);
        let job = ground.finished(id).await;
        worker.end().await;
        job
    };
    let tasks = store::Store::tasks(&ground.store, job.id, None, 10, None)
        .await
        .unwrap();
    let reason = |path: &str| {
        let task = tasks.entries.iter().find(|task| task.url.ends_with(path));
        task.unwrap().reason.clone()
    };
    assert_eq!(reason("/slow").as_deref(), Some("timeout"));
    assert_eq!(reason("/two").as_deref(), Some("too_many_redirects"));
    let documents = ground.by_path(job.id).await;
    assert_eq!(documents["/big"].content.meta["truncated"], true);
    assert!(
        server.hits().iter().all(|hit| hit
            .headers
            .iter()
            .any(|(name, value)| name == "user-agent" && value == "tester/7")),
        "user_agent"
    );
}
