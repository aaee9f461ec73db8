//! The crawl, scrapes, robots.txt, sitemaps, both frontiers and the scraper's gate treat every HTTP status from 100 to 599
//! as `crawler_model::site_rules` defines.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_engine::{
    HostGate, OutputWriter, Progress, RobotsMemory, ScrapeProblem, Scraper, Stop, TurnRefused,
    drive,
};
use crawler_fetch::{Body, FakeFetch, Fetched, RequestedUrl, fake};
use crawler_frontier::{HostPace, HostResponse, MemoryFrontier, Rng};
use crawler_model::site_rules::{PageStatus, RobotsStatus, throttles_host};
use crawler_model::{
    CrawlPlan, CrawlSpec, DepthLimit, FailKind, Failure, JsPolicy, Notice, Outcome, PageReport,
    RequestSpec, RobotsErrors, RobotsPolicy, ScrapePlan, Sink, SinkError, SitemapPolicy,
    SkipReason, Summary,
};
use crawler_service::job_params::JobParams;
use crawler_store::{Access, HostTurn, HostTurns, JobId, JobKind, Results, TaskState};
use crawler_weburl::{CrawlUrl, HostKey, ScopeKind};

use crate::test_store::{RunningWorker, TestStore, fast, settings};

const SEED: &str = "http://seed.test/";
const TARGET: &str = "http://target.test/";

/// A response to be classified.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Case {
    status: u16,
    location: bool,
    retry_after: bool,
}

/// The classification of each case, as text for the message of a failed comparison.
type Classified = BTreeMap<Case, String>;

impl Case {
    fn all() -> Vec<Self> {
        let mut cases = Vec::new();
        for status in 100..600 {
            for (location, retry_after) in
                [(false, false), (false, true), (true, false), (true, true)]
            {
                cases.push(Self {
                    status,
                    location,
                    retry_after,
                });
            }
        }
        cases
    }

    /// All cases without `Retry-After`: pauses of site files have tests of their own.
    fn of_site_files() -> Vec<Self> {
        let mut cases = Self::all();
        cases.retain(|case| !case.retry_after);
        cases
    }

    /// A separate host for each case, so that none slows down another.
    fn host(self) -> String {
        let location = if self.location { "-to" } else { "" };
        let retry_after = if self.retry_after { "-later" } else { "" };
        format!("s{}{location}{retry_after}.test", self.status)
    }

    fn url(self, path: &str) -> String {
        format!("http://{}{path}", self.host())
    }

    fn response(self, location: &str, body: Body) -> Fetched {
        let mut response = fake::status(self.status);
        response.location = self.location.then(|| location.to_owned());
        response.retry_after = self.retry_after.then_some(Duration::from_secs(30));
        if (200..300).contains(&self.status) {
            response.content_type = Some("text/html".to_owned());
            response.body = body;
        }
        response
    }

    /// The classification by `site_rules`.
    fn page_status(self) -> String {
        match PageStatus::of(self.status, self.location) {
            PageStatus::Success => "page".to_owned(),
            PageStatus::Redirect if self.location => "redirect".to_owned(),
            PageStatus::Redirect => "bad_redirect".to_owned(),
            PageStatus::ErrorPage(kind) | PageStatus::Unusable(kind) => kind.to_string(),
        }
    }

    fn throttles(self) -> bool {
        throttles_host(self.status, self.retry_after)
    }
}

/// A site for each case, and a seed that links to all of them.
fn pages() -> FakeFetch {
    let mut site = FakeFetch::default().page(TARGET, "<p>target");
    let mut links = String::new();
    for case in Case::all() {
        let body = Body::Html("<title>a</title><p>words".into());
        let response = case.response(TARGET, body);
        site.responses.insert(case.url("/"), Ok(response));
        write!(links, "<a href='{}'>a</a>", case.url("/")).unwrap();
    }
    site.page(SEED, &links)
}

#[derive(Clone, Default)]
struct Reported {
    pages: Arc<Mutex<HashMap<String, Outcome>>>,
    notices: Arc<Mutex<Vec<Notice>>>,
}

impl Sink for Reported {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        let url = report.url.to_string();
        self.pages
            .lock()
            .unwrap()
            .insert(url, report.outcome.clone());
        Ok(())
    }

    fn notice(&mut self, notice: &Notice) -> Result<(), SinkError> {
        self.notices.lock().unwrap().push(notice.clone());
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
        Ok(())
    }
}

/// Crawls from the seed, in memory.
async fn crawl(site: FakeFetch, change: impl FnOnce(&mut CrawlSpec)) -> Reported {
    let mut spec = CrawlSpec {
        seed: SEED.to_owned(),
        max_pages: Some(0),
        max_depth: Some(DepthLimit::Links(1)),
        request: RequestSpec {
            max_attempts: Some(1),
            max_body_bytes: Some(1 << 20),
            robots: RobotsPolicy::Ignore,
            ..RequestSpec::default()
        },
        scope: Some(ScopeKind::Any),
        traps: Some(false),
        ..CrawlSpec::default()
    };
    change(&mut spec);
    let plan = CrawlPlan::resolve(&spec, "crawler/0", 1).unwrap();
    let reported = Reported::default();
    let writer = Some(OutputWriter::start(Box::new(reported.clone())).unwrap());
    let frontier = MemoryFrontier::new(&plan, 1);
    let progress = Arc::<Progress>::default();
    drive(frontier, Arc::new(site), 64, writer, Stop::new(), progress)
        .await
        .unwrap();
    reported
}

fn expected(cases: &[Case]) -> Classified {
    cases
        .iter()
        .map(|case| (*case, case.page_status()))
        .collect()
}

/// Fails with the cases in which two callers differ, side by side.
fn assert_same(caller: &str, found: &Classified, expected: &Classified) {
    let differing: Vec<_> = expected
        .iter()
        .filter(|(case, class)| found.get(case) != Some(class))
        .map(|(case, class)| format!("{case:?}: {class}, {caller}: {:?}", found.get(case)))
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert_eq!(found.len(), expected.len());
}

fn assert_throttles(caller: &str, slowed: &HashSet<String>) {
    for case in Case::all() {
        let found = slowed.contains(&case.host());
        assert_eq!(found, case.throttles(), "{caller}: {case:?}");
    }
}

fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Fetched { .. } => "page".to_owned(),
        Outcome::Redirected { .. } => "redirect".to_owned(),
        Outcome::Skipped(reason) => format!("skipped {}", reason.as_str()),
        Outcome::Failed(failure) => failure.kind.to_string(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_in_memory_follows_the_rules() {
    let reported = crawl(pages(), |_| ()).await;
    let pages = reported.pages.lock().unwrap();
    let found = Case::all()
        .into_iter()
        .map(|case| (case, outcome(&pages[&case.url("/")])))
        .collect();
    assert_same("crawl", &found, &expected(&Case::all()));
    let notices = reported.notices.lock().unwrap();
    let slowed = notices.iter().filter_map(|notice| match notice {
        Notice::HostSlowed { host, .. } => Some(host.clone()),
        _ => None,
    });
    assert_throttles("frontier in memory", &slowed.collect());
}

/// The outcome of each task of a job, by its URL.
async fn task_outcomes(test_store: &TestStore, job: JobId) -> HashMap<String, String> {
    let mut outcomes: HashMap<String, String> = HashMap::new();
    let mut cursor = None;
    loop {
        let tasks = test_store
            .store
            .tasks(&Access::AllOwners, job, None, 1_000, cursor)
            .await;
        let tasks = tasks.unwrap();
        outcomes.extend(tasks.entries.into_iter().map(|task| {
            let outcome_text = match (task.state, task.reason.as_deref()) {
                (TaskState::Done, _) => "page".to_owned(),
                (TaskState::Skipped, Some("redirected")) => "redirect".to_owned(),
                (_, reason) => reason.unwrap_or("?").to_owned(),
            };
            (task.url, outcome_text)
        }));
        cursor = tasks.next;
        if cursor.is_none() {
            return outcomes;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_follows_the_rules() {
    let test_store = TestStore::fresh(fast()).await;
    let params = JobParams {
        same_domain: Some(false),
        max_depth: Some(1),
        ..JobParams::for_url(SEED.to_owned())
    };
    let job = test_store.start(JobKind::Crawl, &params).await;
    let mut settings = settings(fast());
    settings.jobs.request.max_attempts = Some(1);
    settings.jobs.request.robots = RobotsPolicy::Ignore;
    let worker = RunningWorker::start(&test_store.store, Arc::new(pages()), settings);
    test_store.finished(job).await;
    let outcomes = task_outcomes(&test_store, job).await;
    let found = Case::all()
        .into_iter()
        .map(|case| (case, outcomes[&case.url("/")].clone()))
        .collect();
    assert_same("worker", &found, &expected(&Case::all()));
    worker.stop().await;
    // A 429 without `Retry-After` pauses its host for about a second, which is over by now.
    for case in Case::all().into_iter().filter(|case| case.retry_after) {
        let host = HostKey::new(&case.host());
        let turn = test_store.store.take_turn(&host, Duration::from_mins(1));
        let slowed = matches!(turn.await.unwrap(), HostTurn::Later { .. });
        assert_eq!(slowed, case.throttles(), "frontier over a store: {case:?}");
    }
}

/// Grants every request and records the pauses.
#[derive(Clone, Default)]
struct OpenGate(Arc<Mutex<HashSet<String>>>);

impl RobotsMemory for OpenGate {}

impl HostGate for OpenGate {
    type Turn = ();

    async fn turn(&self, _url: &CrawlUrl) -> Result<(), TurnRefused> {
        Ok(())
    }

    async fn note_response(&self, url: &CrawlUrl, response: HostResponse) {
        let throttle =
            HostPace::default().note_response(response, Duration::ZERO, &mut Rng::new(1));
        if throttle.is_some() {
            self.0.lock().unwrap().insert(url.host_key().to_string());
        }
    }

    async fn slow_to(&self, _url: &CrawlUrl, _interval: Duration) {}
}

#[tokio::test]
async fn a_scrape_follows_the_rules() {
    let spec = RequestSpec {
        robots: RobotsPolicy::Ignore,
        max_attempts: Some(1),
        ..RequestSpec::default()
    };
    let plan = ScrapePlan::resolve(&spec, "crawler/0").unwrap();
    let gate = OpenGate::default();
    let site = Arc::new(pages());
    let scraper = Scraper::with_gate(site, plan, gate.clone(), 1, Stop::new(), |_| ());
    let mut found = Classified::new();
    for case in Case::all() {
        let requested = RequestedUrl::parse(&case.url("/")).unwrap();
        let class = match scraper.get(&requested, JsPolicy::Never).await {
            Ok(response) if response.hops > 0 => "redirect".to_owned(),
            Ok(response) if response.fetched.status < 300 => "page".to_owned(),
            Ok(response) => FailKind::of_status(response.fetched.status).to_string(),
            Err(ScrapeProblem::Failed { failure, .. }) => failure.kind.to_string(),
            Err(problem) => problem.to_string(),
        };
        found.insert(case, class);
    }
    assert_same("scrape", &found, &expected(&Case::all()));
    assert_throttles("scraper", &gate.0.lock().unwrap());
}

/// A site for each case, whose robots.txt is the response, and a seed that links to all of them.
fn robots_files() -> FakeFetch {
    let elsewhere = "http://rules.test/robots.txt";
    let mut site = FakeFetch::default().file(elsewhere, "User-agent: *\nDisallow: /pag");
    let mut links = String::new();
    for case in Case::of_site_files() {
        let rules = Body::File("User-agent: *\nDisallow: /page".into());
        let response = case.response(elsewhere, rules);
        site.responses.insert(case.url("/robots.txt"), Ok(response));
        site = site.page(&case.url("/page"), "<p>words");
        write!(links, "<a href='{}'>a</a>", case.url("/page")).unwrap();
    }
    site.page(SEED, &links)
}

/// What each case means for a page of its origin.
fn expected_robots() -> Classified {
    let class = |case: Case| match RobotsStatus::of(case.status, case.location) {
        RobotsStatus::File | RobotsStatus::Redirect => "robots",
        RobotsStatus::Unavailable => "robots_unavailable",
        RobotsStatus::Throttled | RobotsStatus::Absent => "page",
    };
    let cases = Case::of_site_files().into_iter();
    cases.map(|case| (case, class(case).to_owned())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn robots_txt_follows_the_rules() {
    let respect = |spec: &mut CrawlSpec| spec.request.robots = RobotsPolicy::Respect;
    let reported = crawl(robots_files(), respect).await;
    let pages = reported.pages.lock().unwrap();
    let found = Case::of_site_files().into_iter().map(|case| {
        let class = match &pages[&case.url("/page")] {
            Outcome::Skipped(SkipReason::Robots { rule }) => {
                // Of the file itself, or of the one it redirects to.
                let expected = if case.location && case.status >= 300 {
                    "Disallow: /pag"
                } else {
                    "Disallow: /page"
                };
                assert_eq!(rule, expected, "{case:?}");
                "robots".to_owned()
            }
            Outcome::Skipped(reason) => reason.as_str().to_owned(),
            other => outcome(other),
        };
        (case, class)
    });
    assert_same("crawl", &found.collect(), &expected_robots());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn robots_txt_follows_the_rules_in_a_worker() {
    let test_store = TestStore::fresh(fast()).await;
    let params = JobParams {
        same_domain: Some(false),
        max_depth: Some(1),
        ..JobParams::for_url(SEED.to_owned())
    };
    let job = test_store.start(JobKind::Crawl, &params).await;
    let mut settings = settings(fast());
    settings.jobs.request.robots_errors = RobotsErrors::Disallow;
    let worker = RunningWorker::start(&test_store.store, Arc::new(robots_files()), settings);
    test_store.finished(job).await;
    let outcomes = task_outcomes(&test_store, job).await;
    let cases = Case::of_site_files().into_iter();
    let found = cases.map(|case| (case, outcomes[&case.url("/page")].clone()));
    assert_same("worker", &found.collect(), &expected_robots());
    worker.stop().await;
}

#[tokio::test]
async fn robots_txt_follows_the_rules_in_a_scrape() {
    let plan = ScrapePlan::resolve(&RequestSpec::default(), "crawler/0").unwrap();
    let site = Arc::new(robots_files());
    let gate = OpenGate::default();
    let scraper = Scraper::with_gate(site, plan, gate, 1, Stop::new(), |_| ());
    tokio::time::pause();
    let mut found = Classified::new();
    for case in Case::of_site_files() {
        let requested = RequestedUrl::parse(&case.url("/page")).unwrap();
        let class = match scraper.get(&requested, JsPolicy::Never).await {
            Ok(_) => "page".to_owned(),
            Err(problem) => problem.as_str().to_owned(),
        };
        found.insert(case, class);
    }
    assert_same("scrape", &found, &expected_robots());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sitemaps_follow_the_rules() {
    let list = |name: &str, case: Case| {
        let url = format!("{SEED}{name}/{}", case.host());
        format!("<urlset><url><loc>{url}</loc></url></urlset>")
    };
    let mut site = FakeFetch::default().page(SEED, "<p>seed");
    let mut robots = String::new();
    for case in Case::of_site_files() {
        let moved = format!("http://maps.test/{}.xml", case.host());
        site = site.file(&moved, &list("moved", case));
        let body = Body::File(list("named", case).into());
        let response = case.response(&moved, body);
        site.responses.insert(case.url("/map.xml"), Ok(response));
        writeln!(robots, "Sitemap: {}", case.url("/map.xml")).unwrap();
    }
    let site = site.file(&format!("{SEED}robots.txt"), &robots);
    let include = |spec: &mut CrawlSpec| spec.sitemaps = SitemapPolicy::Include;
    let reported = crawl(site, include).await;
    let pages = reported.pages.lock().unwrap();
    let notices = reported.notices.lock().unwrap();
    let problems: HashMap<&str, &str> = notices
        .iter()
        .filter_map(|notice| match notice {
            Notice::Sitemap { url, message } => Some((url.as_str(), message.as_str())),
            _ => None,
        })
        .collect();
    let found = Case::of_site_files().into_iter().map(|case| {
        let is_known = |name: &str| pages.contains_key(&format!("{SEED}{name}/{}", case.host()));
        let class = match problems.get(case.url("/map.xml").as_str()) {
            Some(message) if message.contains("redirect without a target") => "bad_redirect".into(),
            Some(message) if *message == Failure::of_status(case.status).message => {
                FailKind::of_status(case.status).to_string()
            }
            Some(message) => (*message).to_owned(),
            None if is_known("named") => "page".to_owned(),
            None if is_known("moved") => "redirect".to_owned(),
            None => "nothing".to_owned(),
        };
        (case, class)
    });
    let cases = Case::of_site_files();
    assert_same("sitemap", &found.collect(), &expected(&cases));
}
