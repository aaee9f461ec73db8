//! The scraper with a scripted fetcher and a paused clock.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_fetch::{Body, Fetch, FetchRequest, Fetched, RequestedUrl, fake};
use crawler_model::{
    Backoff, FailKind, Failure, RequestSpec, RobotsErrors, RobotsPolicy, ScrapePlan, SkipReason,
};
use tokio::time::Instant;

use super::*;

/// The result of a fetch.
type FetchResult = Result<Fetched, Failure>;

/// Returns the responses of each URL in order, the last one repeatedly. Records the time of each request.
#[derive(Default)]
struct ScriptedFetch {
    responses: Mutex<Vec<(String, VecDeque<FetchResult>)>>,
    requests: Mutex<Vec<(String, Duration)>>,
    started_at: Mutex<Option<Instant>>,
}

impl ScriptedFetch {
    fn on(self, url: &str, responses: impl IntoIterator<Item = FetchResult>) -> Self {
        let responses = (url.to_owned(), responses.into_iter().collect());
        self.responses.lock().unwrap().push(responses);
        self
    }

    fn times(&self, url: &str) -> Vec<u128> {
        let requests = self.requests.lock().unwrap();
        let matching = requests.iter().filter(|(requested, _)| requested == url);
        matching.map(|(_, at)| at.as_millis()).collect()
    }
}

impl Fetch for ScriptedFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> FetchResult {
        let started_at = *self
            .started_at
            .lock()
            .unwrap()
            .get_or_insert_with(Instant::now);
        let url = request.url.as_str();
        self.requests
            .lock()
            .unwrap()
            .push((url.into(), started_at.elapsed()));
        tokio::time::sleep(Duration::from_millis(100)).await;
        let mut responses = self.responses.lock().unwrap();
        let Some((_, queue)) = responses.iter_mut().find(|(scripted, _)| scripted == url) else {
            return Ok(fake::status(404));
        };
        match queue.len() {
            1 => queue[0].clone(),
            _ => queue.pop_front().unwrap(),
        }
    }
}

fn page() -> Fetched {
    let mut response = fake::status(200);
    response.content_type = Some("text/html".into());
    response.body = Body::Html("<title>T</title><p>words".into());
    response
}

fn file(text: &str) -> Fetched {
    let mut response = fake::status(200);
    response.body = Body::File(text.to_owned().into());
    response
}

fn status(status: u16, retry_after: Option<u64>) -> Fetched {
    let mut response = fake::status(status);
    response.retry_after = retry_after.map(Duration::from_secs);
    response
}

fn reset() -> FetchResult {
    Err(Failure::new(FailKind::Reset, "connection reset"))
}

fn scraper(
    script: ScriptedFetch,
    spec: &RequestSpec,
) -> (Scraper<ScriptedFetch>, Arc<ScriptedFetch>) {
    let script = Arc::new(script);
    let plan = ScrapePlan::resolve(spec, "crawler/0").unwrap();
    let scraper = Scraper::new(Arc::clone(&script), plan, 7, Stop::new(), |_| ());
    (scraper, script)
}

fn requested(url: &str) -> RequestedUrl {
    RequestedUrl::parse(url).unwrap()
}

const URL: &str = "http://a.example/x";
const ROBOTS: &str = "http://a.example/robots.txt";

#[tokio::test(start_paused = true)]
async fn a_notice_names_the_host_once() {
    let unavailable = Ok(status(503, Some(9)));
    let script = ScriptedFetch::default().on(URL, [unavailable, reset(), Ok(page())]);
    let spec = RequestSpec {
        robots: RobotsPolicy::Ignore,
        backoff: Backoff {
            first: Duration::from_secs(8),
            longest: Duration::from_secs(8),
        },
        ..RequestSpec::default()
    };
    let plan = ScrapePlan::resolve(&spec, "crawler/0").unwrap();
    let notices = Arc::<Mutex<Vec<String>>>::default();
    let recorded = Arc::clone(&notices);
    let record = move |notice: Notice| recorded.lock().unwrap().push(notice.to_string());
    let scraper = Scraper::new(Arc::new(script), plan, 7, Stop::new(), record);
    scraper.get(&requested(URL), JsPolicy::Never).await.unwrap();
    let notices = notices.lock().unwrap();
    for (notice, expected) in notices.iter().zip([
        "a.example answered 503 to /x (attempt 1 of 3); waiting 9.0 s",
        "a.example failed on /x: connection reset (attempt 2 of 3); waiting ",
    ]) {
        assert!(notice.starts_with(expected), "{notice}");
    }
    assert_eq!(notices.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn robots_txt_is_fetched_once_a_day() {
    let (scraper, script) = scraper(
        ScriptedFetch::default().on(URL, [Ok(page())]),
        &RequestSpec::default(),
    );
    for _ in 0..3 {
        scraper.get(&requested(URL), JsPolicy::Never).await.unwrap();
    }
    assert_eq!(script.times(ROBOTS).len(), 1);
    tokio::time::advance(Duration::from_hours(25)).await;
    scraper.get(&requested(URL), JsPolicy::Never).await.unwrap();
    assert_eq!(script.times(ROBOTS).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_refused_turn_says_nothing_about_robots_txt() {
    for kind in [FailKind::Busy, FailKind::Internal] {
        let refused = Err(Failure::new(kind, "no turn"));
        let script = ScriptedFetch::default()
            .on(ROBOTS, [refused, Ok(file("User-agent: *\nDisallow: /no"))])
            .on(URL, [Ok(page())]);
        let (scraper, script) = scraper(script, &RequestSpec::default());
        let problem = scraper.get(&requested(URL), JsPolicy::Never).await;
        assert!(
            matches!(&problem, Err(ScrapeProblem::Failed { failure, .. }) if failure.kind == kind),
            "{problem:?}"
        );
        // The next page, of anybody, is not refused because of that.
        scraper.get(&requested(URL), JsPolicy::Never).await.unwrap();
        assert_eq!(script.times(ROBOTS).len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_robots_txt_is_fetched_again_later() {
    let robots = [Ok(status(500, None)), Ok(status(500, None)), Ok(file(""))];
    let script = ScriptedFetch::default()
        .on(URL, [Ok(page())])
        .on(ROBOTS, robots);
    let (scraper, _) = scraper(script, &RequestSpec::default());
    let refused = scraper
        .get(&requested(URL), JsPolicy::Never)
        .await
        .unwrap_err();
    let message = "server error (500)".to_owned();
    let reason = SkipReason::RobotsUnavailable { message };
    let url = requested(URL).url;
    assert_eq!(refused, ScrapeProblem::Robots { url, reason });
    tokio::time::advance(Duration::from_mins(2)).await;
    scraper.get(&requested(URL), JsPolicy::Never).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failed_robots_txt_allows_everything_if_configured() {
    let lenient = RequestSpec {
        robots_errors: RobotsErrors::Allow,
        ..RequestSpec::default()
    };
    for broken in [Ok(status(500, None)), reset()] {
        let script = ScriptedFetch::default()
            .on(URL, [Ok(page())])
            .on(ROBOTS, [broken]);
        let (scraper, _) = scraper(script, &lenient);
        scraper.get(&requested(URL), JsPolicy::Never).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn five_redirects_of_robots_txt_are_followed() {
    let mut script = ScriptedFetch::default().on(URL, [Ok(page())]);
    let robots_url = |hop: u32| match hop {
        0 => ROBOTS.to_owned(),
        hop => format!("http://a.example/robots-{hop}"),
    };
    for hop in 0..5 {
        let mut moved = fake::status(301);
        moved.location = Some(robots_url(hop + 1));
        script = script.on(&robots_url(hop), [Ok(moved)]);
    }
    let script = script.on(&robots_url(5), [Ok(file("User-agent: *\nDisallow: /"))]);
    let (scraper, _) = scraper(script, &RequestSpec::default());
    let refused = scraper
        .get(&requested(URL), JsPolicy::Never)
        .await
        .unwrap_err();
    assert_eq!(refused.as_str(), "robots");
}

#[tokio::test(start_paused = true)]
async fn temporary_failures_are_tried_three_times() {
    let ignore = RequestSpec {
        robots: RobotsPolicy::Ignore,
        ..RequestSpec::default()
    };
    for (responses, attempts, succeeds) in [
        (vec![reset(), reset(), Ok(page())], 3, true),
        (vec![reset(), reset(), reset(), Ok(page())], 3, false),
        (vec![Ok(status(503, None)), Ok(page())], 2, true),
        (vec![Ok(status(429, Some(5))), Ok(page())], 2, true),
        // The requested pause is longer than the limit.
        (vec![Ok(status(503, Some(3_600))), Ok(page())], 1, true),
        (vec![Ok(status(404, None)), Ok(page())], 1, true),
        (
            vec![Err(Failure::new(FailKind::Protocol, "no")), Ok(page())],
            1,
            false,
        ),
    ] {
        let (scraper, script) = scraper(ScriptedFetch::default().on(URL, responses), &ignore);
        let got = scraper.get(&requested(URL), JsPolicy::Never).await;
        assert_eq!(script.times(URL).len(), attempts);
        assert_eq!(got.is_ok(), succeeds, "{got:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn retry_after_pauses_all_requests_to_the_host() {
    let other = "http://a.example/y";
    let script = ScriptedFetch::default()
        .on(URL, [Ok(status(429, Some(10))), Ok(page())])
        .on(other, [Ok(page())]);
    let ignore = RequestSpec {
        robots: RobotsPolicy::Ignore,
        ..RequestSpec::default()
    };
    let (scraper, script) = scraper(script, &ignore);
    scraper
        .get(&requested(other), JsPolicy::Never)
        .await
        .unwrap();
    let (first, second) = (requested(URL), requested(other));
    let delayed = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        scraper.get(&second, JsPolicy::Never).await
    };
    let (first, second) = tokio::join!(scraper.get(&first, JsPolicy::Never), delayed);
    assert!(first.is_ok() && second.is_ok());
    assert!(
        script.times(other)[1] >= 10_000,
        "{:?}",
        script.times(other)
    );
}

#[tokio::test(start_paused = true)]
async fn crawl_delay_applies_to_concurrent_requests() {
    let mut script = ScriptedFetch::default();
    let urls: Vec<String> = (0..6).map(|n| format!("http://a.example/{n}")).collect();
    for url in &urls {
        script = script.on(url, [Ok(page())]);
    }
    let script = script.on(ROBOTS, [Ok(file("User-agent: *\nCrawl-delay: 2"))]);
    let (scraper, script) = scraper(script, &RequestSpec::default());
    let requested: Vec<RequestedUrl> = urls.iter().map(|url| requested(url)).collect();
    let all = requested
        .iter()
        .map(|url| scraper.get(url, JsPolicy::Never));
    for got in futures_util::future::join_all(all).await {
        got.unwrap();
    }
    let mut starts: Vec<u128> = urls.iter().flat_map(|url| script.times(url)).collect();
    starts.sort_unstable();
    for pair in starts.windows(2) {
        assert!(pair[1] - pair[0] >= 2_000, "{starts:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn document_links_are_absolute_and_unique() {
    let mut response = fake::status(200);
    response.content_type = Some("text/html".into());
    response.body = Body::Html(
        "<a href=x>1</a><base href=/base/><a href=x#a>2</a><a href=mailto:a@b>3</a>\
         <template><a href=t></a></template><a href='http://b.example'>4</a>"
            .into(),
    );
    let (scraper, _) = scraper(
        ScriptedFetch::default().on(URL, [Ok(response)]),
        &RequestSpec::default(),
    );
    let got = scraper.get(&requested(URL), JsPolicy::Never).await.unwrap();
    let document = Document::read(got, Part::Main).unwrap();
    assert_eq!(
        document.links(),
        ["http://a.example/base/x", "http://b.example/"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_host_whose_pause_exceeds_the_limit_is_parked() {
    let other = "http://a.example/y";
    let script = ScriptedFetch::default()
        .on(URL, [Ok(status(503, Some(3_600)))])
        .on(other, [Ok(page())]);
    let (scraper, script) = scraper(script, &RequestSpec::default());
    assert_eq!(
        scraper
            .get(&requested(URL), JsPolicy::Never)
            .await
            .unwrap()
            .fetched
            .status,
        503
    );
    let refused = scraper
        .get(&requested(other), JsPolicy::Never)
        .await
        .unwrap_err();
    assert_eq!(refused.as_str(), "host_parked");
    assert!(
        refused.to_string().contains("a pause of 3600 s"),
        "{refused}"
    );
    assert_eq!(script.times(other).len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_host_whose_crawl_delay_exceeds_the_limit_is_parked() {
    for delay in ["61", "600", "18446744073709551000", "1e300"] {
        let robots = format!("User-agent: *\nCrawl-delay: {delay}");
        let script = ScriptedFetch::default()
            .on(URL, [Ok(page())])
            .on(ROBOTS, [Ok(file(&robots))]);
        let (scraper, script) = scraper(script, &RequestSpec::default());
        match scraper.get(&requested(URL), JsPolicy::Never).await {
            Err(refused) => {
                assert_eq!(refused.as_str(), "host_parked");
                assert_eq!(script.times(URL).len(), 0);
            }
            // Not a number, so not a rule.
            Ok(_) => assert_eq!(delay, "1e300"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_after_a_stop() {
    let script = ScriptedFetch::default()
        .on(URL, [reset()])
        .on(ROBOTS, [Ok(file("User-agent: *\nCrawl-delay: 30"))]);
    let script = Arc::new(script);
    let plan = ScrapePlan::resolve(&RequestSpec::default(), "crawler/0").unwrap();
    let stop = Stop::new();
    let scraper = Scraper::new(Arc::clone(&script), plan, 7, stop.clone(), |_| ());
    let url = requested(URL);
    let stopping = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        stop.request();
    };
    let started_at = Instant::now();
    let (got, ()) = tokio::join!(scraper.get(&url, JsPolicy::Never), stopping);
    assert_eq!(got.unwrap_err().as_str(), "stopped");
    assert!(started_at.elapsed() < Duration::from_secs(6));
    assert_eq!(script.times(URL).len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_small_page_cannot_become_a_huge_list_of_links() {
    let links: Vec<String> = (0..3_000).map(|n| format!("<a href={n}>x</a>")).collect();
    let links = links.concat();
    let mut response = fake::status(200);
    response.content_type = Some("text/html".into());
    response.body = Body::Html(format!("<base href='/{}/'>{links}", "b".repeat(50_000)).into());
    let (scraper, _) = scraper(
        ScriptedFetch::default().on(URL, [Ok(response)]),
        &RequestSpec::default(),
    );
    let got = scraper.get(&requested(URL), JsPolicy::Never).await.unwrap();
    let document = Document::read(got, Part::Main).unwrap();
    let json = document.json(false, None);
    assert!(json.len() < 6 << 20, "{}", json.len());
    assert!(
        json.contains("\"links_omitted\":29"),
        "most links are omitted"
    );
}
