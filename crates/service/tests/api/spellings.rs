//! Thousands of spellings of private addresses, as a page, a redirect, robots.txt and a sitemap, of the API and of a worker:
//! nothing connects to a listener on all addresses of this machine.
//!
//! Some of them are tried, all by `cargo xtask egress`.

use std::net::TcpListener;
use std::sync::Arc;

use crawler_engine::Stop;
use crawler_fetch::HttpFetch;
use crawler_service::api::guard;
use crawler_service::config::Config;
use crawler_service::job_params::{JobDefaults, JobParams};
use crawler_service::worker::{Worker, WorkerSettings};
use crawler_store::{JobKind, Jobs, Owner};
use serde_json::{Value, json};
use testsite::SpellingSample;

use crate::service::{TestService, look_up, service_with};
use crate::site::{Site, moved, page, response};

/// One in how many is tried in the short form.
const SAMPLE: usize = 37;

/// A listener on all addresses of this machine. It accepts nothing, so that its queue shows whether anything connected.
struct Canary(TcpListener);

impl Canary {
    fn new() -> Self {
        let listener = TcpListener::bind("[::]:0").or_else(|_| TcpListener::bind("0.0.0.0:0"));
        let listener = listener.unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn urls(&self, sample: &SpellingSample) -> Vec<String> {
        let all = testsite::private_urls(self.0.local_addr().unwrap().port());
        // For parsers that follow the standard, the host of some is example.org, which no test may contact.
        let own = |url: &String| {
            !crawler_weburl::CrawlUrl::parse(url)
                .is_ok_and(|url| url.parts().host() == "example.org")
        };
        sample.of(all.into_iter().filter(own))
    }

    /// Number of connections since the last call.
    fn connections(&self) -> usize {
        std::iter::from_fn(|| self.0.accept().ok()).count()
    }
}

/// Gives a URL a path of its own: the spellings of one address are one URL, which a job requests only once.
fn with_path(url: &str, path: &str) -> String {
    let joint = if url.ends_with(['/', '\\']) { "" } else { "/" };
    format!("{url}{joint}{path}")
}

fn allow_subdomains(config: &mut Config) {
    config.egress.allow.push("*.site.test".to_owned());
    config.worker.max_attempts = 1;
    config.worker.per_host_rps = 0.0;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_spelling_is_scraped_or_followed() {
    let canary = Canary::new();
    let sample = SpellingSample::one_of(SAMPLE);
    let urls = Arc::new(canary.urls(&sample));
    let targets = Arc::clone(&urls);
    let site = Site::start(move |path| match path.strip_prefix("/to/") {
        Some(at) => moved(&targets[at.parse::<usize>().unwrap()]),
        None => response("404 Not Found", "text/plain", ""),
    })
    .await;
    let service = service_with(allow_subdomains).await;
    let mut refused = 0;
    let redirects: Vec<String> = (0..urls.len())
        .map(|at| site.url(&format!("/to/{at}")))
        .collect();
    for (channel, urls) in [
        ("page of a scrape", urls.as_slice()),
        ("redirect of a scrape", &redirects),
    ] {
        for url in urls {
            let reply = service.post("/v1/scrape", &json!({"url": url})).await;
            // Some are no URLs, or no redirect targets.
            assert!([403, 422, 502].contains(&reply.status), "{url}: {reply:?}");
            refused += usize::from(reply.status == 403);
        }
        let connections = canary.connections();
        sample.record(channel, urls.len(), connections);
        assert_eq!(connections, 0, "{channel}: the canary was connected to");
    }
    assert!(
        refused * 20 >= urls.len() * 2 * 17,
        "{refused} were refused"
    );
}

/// Runs the jobs of a service with a worker as `serve` sets it up.
async fn finish_jobs(service: &TestService, ids: &[String]) {
    let mut config = Config::default();
    config.egress.allow = vec!["site.test".to_owned()];
    allow_subdomains(&mut config);
    let settings = WorkerSettings::of(&config, true);
    let plan = JobParams::default()
        .plan(JobKind::Scrape, &settings.jobs, 0, 0)
        .unwrap();
    let sniff = crawler_html::looks_like_html;
    let fetch = HttpFetch::resolving(&plan.fetch, 8, guard(&config), sniff, look_up(&[])).unwrap();
    let worker = Worker::new(service.store.clone(), Arc::new(fetch), settings).unwrap();
    let stop = Stop::new();
    let working = tokio::spawn(worker.run(stop.clone()));
    for id in ids {
        // The stream ends when the job does.
        let events = service.get(&format!("/v1/jobs/{id}/events")).await;
        assert!(events.body.contains("event: finished"), "{}", events.body);
    }
    stop.request();
    working.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_spelling_is_reached_by_jobs_through_pages_redirects_robots_or_sitemaps() {
    /// Sitemaps named in one robots.txt.
    const SITEMAPS: usize = 20;
    let canary = Canary::new();
    let sample = SpellingSample::one_of(SAMPLE);
    let urls = canary.urls(&sample);
    // The site tells its hosts apart by the path only, so robots.txt is asked for under a port of its own.
    let (robots_at, sitemaps_at) = (
        Arc::new(std::sync::Mutex::new(0)),
        Arc::new(std::sync::Mutex::new(0)),
    );
    let targets = urls.clone();
    let robots_next = Arc::clone(&robots_at);
    let redirecting = Site::start(move |path| match path.strip_prefix("/to/") {
        Some(at) => moved(&with_path(
            &targets[at.parse::<usize>().unwrap()],
            &format!("moved-{at}"),
        )),
        None if path == "/robots.txt" => {
            let mut next = robots_next.lock().unwrap();
            *next += 1;
            moved(&targets[(*next - 1) % targets.len()])
        }
        None => page("<p>words"),
    })
    .await;
    let targets = urls.clone();
    let sitemaps_next = Arc::clone(&sitemaps_at);
    let listing = Site::start(move |path| match path {
        "/robots.txt" => {
            let mut next = sitemaps_next.lock().unwrap();
            let start = *next * SITEMAPS % targets.len();
            *next += 1;
            let end = targets.len().min(start + SITEMAPS);
            let lines = targets[start..end]
                .iter()
                .map(|url| format!("Sitemap: {url}\n"));
            response("200 OK", "text/plain", &lines.collect::<String>())
        }
        _ => page("<p>words"),
    })
    .await;
    let service = service_with(allow_subdomains).await;
    let redirects = (0..urls.len()).map(|at| redirecting.url(&format!("/to/{at}")));
    let hosts = (0..urls.len()).map(|at| format!("http://r{at}.site.test:{}/", redirecting.port));
    let pages = urls.iter().enumerate();
    let pages = pages.map(|(at, url)| with_path(url, &format!("page-{at}")));
    let batch: Vec<String> = pages.chain(redirects).chain(hosts).collect();
    // The API refuses the pages when the job is created; the worker has to refuse them as well.
    let prepared = JobParams::batch(batch)
        .new_job(
            JobKind::BatchScrape,
            Owner::local(),
            &JobDefaults::from(&Config::default()),
        )
        .unwrap();
    let mut ids = vec![prepared.job.id.to_string()];
    service.store.create_job(prepared.job).await.unwrap();
    for at in 0..urls.len().div_ceil(SITEMAPS) {
        let url = format!("http://s{at}.site.test:{}/", listing.port);
        let body = json!({"url": url, "sitemaps": "include", "max_depth": 0});
        ids.push(service.create("/v1/crawl", &body).await);
    }
    finish_jobs(&service, &ids).await;
    let robots_read = *robots_at.lock().unwrap();
    assert!(robots_read >= urls.len(), "robots.txt was not read");
    let lists_read = *sitemaps_at.lock().unwrap();
    assert!(lists_read >= ids.len() - 1, "no sitemaps were named");
    let path = format!("/v1/jobs/{}", ids[0]);
    let job: Value = service.get(&path).await.json();
    let failed = job["tasks"]["failed"].as_u64().unwrap();
    // URLs with a user name are not accepted in jobs.
    let tried = u64::try_from(urls.len() * 2).unwrap();
    assert!(failed * 10 >= tried * 7, "{failed} of {tried}: {job}");
    // All channels have one canary: each shows the connections of all.
    let connections = canary.connections();
    for channel in [
        "page of a job",
        "redirect of a job",
        "redirect of robots.txt",
        "sitemap",
    ] {
        sample.record(channel, urls.len(), connections);
    }
    assert_eq!(connections, 0, "the canary was connected to");
}
