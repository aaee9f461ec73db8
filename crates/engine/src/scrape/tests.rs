//! A scraper without a network, on a paused clock.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_fetch::{Body, Fetch, FetchRequest, Fetched, RequestedUrl, fake};
use crawler_model::{
    FailKind, Failure, RobotsErrors, RobotsPolicy, ScrapePlan, ScrapeSpec, SkipReason,
};
use tokio::time::Instant;

use super::*;

/// What a fetch gives.
type Reply = Result<Fetched, Failure>;

/// Answers in turn for each URL, the last for ever; writes down who asked when.
#[derive(Default)]
struct Script {
    answers: Mutex<Vec<(String, VecDeque<Reply>)>>,
    asked: Mutex<Vec<(String, Duration)>>,
    begun: Mutex<Option<Instant>>,
}

impl Script {
    fn on(self, url: &str, answers: impl IntoIterator<Item = Reply>) -> Self {
        let answers = (url.to_owned(), answers.into_iter().collect());
        self.answers.lock().unwrap().push(answers);
        self
    }

    fn times(&self, url: &str) -> Vec<u128> {
        let asked = self.asked.lock().unwrap();
        let found = asked.iter().filter(|(known, _)| known == url);
        found.map(|(_, at)| at.as_millis()).collect()
    }
}

impl Fetch for Script {
    async fn fetch(&self, request: FetchRequest<'_>) -> Reply {
        let begun = *self.begun.lock().unwrap().get_or_insert_with(Instant::now);
        let url = request.url.as_str();
        self.asked
            .lock()
            .unwrap()
            .push((url.into(), begun.elapsed()));
        tokio::time::sleep(Duration::from_millis(100)).await;
        let mut answers = self.answers.lock().unwrap();
        let Some((_, queue)) = answers.iter_mut().find(|(known, _)| known == url) else {
            return Ok(fake::status(404));
        };
        match queue.len() {
            1 => queue[0].clone(),
            _ => queue.pop_front().unwrap(),
        }
    }
}

fn page() -> Fetched {
    let mut answer = fake::status(200);
    answer.content_type = Some("text/html".into());
    answer.body = Body::Html("<title>T</title><p>words".into());
    answer
}

fn file(text: &str) -> Fetched {
    let mut answer = fake::status(200);
    answer.body = Body::File(text.to_owned().into());
    answer
}

fn status(status: u16, retry_after: Option<u64>) -> Fetched {
    let mut answer = fake::status(status);
    answer.retry_after = retry_after.map(Duration::from_secs);
    answer
}

fn reset() -> Reply {
    Err(Failure::new(FailKind::Reset, "connection reset"))
}

fn scraper(script: Script, spec: &ScrapeSpec) -> (Scraper<Script>, Arc<Script>) {
    let script = Arc::new(script);
    let plan = ScrapePlan::resolve(spec, "crawler/0").unwrap();
    let scraper = Scraper::new(Arc::clone(&script), plan, 7, Stop::new(), |_| ());
    (scraper, script)
}

fn asked(url: &str) -> RequestedUrl {
    RequestedUrl::parse(url).unwrap()
}

const URL: &str = "http://a.example/x";
const ROBOTS: &str = "http://a.example/robots.txt";

#[tokio::test(start_paused = true)]
async fn robots_txt_is_asked_for_once_a_day() {
    let (scraper, script) = scraper(
        Script::default().on(URL, [Ok(page())]),
        &ScrapeSpec::default(),
    );
    for _ in 0..3 {
        scraper.get(&asked(URL), JsPolicy::Never).await.unwrap();
    }
    assert_eq!(script.times(ROBOTS).len(), 1);
    tokio::time::advance(Duration::from_hours(25)).await;
    scraper.get(&asked(URL), JsPolicy::Never).await.unwrap();
    assert_eq!(script.times(ROBOTS).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_robots_txt_that_fails_is_asked_for_again_later() {
    let robots = [Ok(status(500, None)), Ok(status(500, None)), Ok(file(""))];
    let script = Script::default().on(URL, [Ok(page())]).on(ROBOTS, robots);
    let (scraper, _) = scraper(script, &ScrapeSpec::default());
    let refused = scraper.get(&asked(URL), JsPolicy::Never).await.unwrap_err();
    let message = "server error (500)".to_owned();
    let reason = SkipReason::RobotsUnavailable { message };
    let url = asked(URL).url;
    assert_eq!(refused, ScrapeProblem::Robots { url, reason });
    tokio::time::advance(Duration::from_mins(2)).await;
    scraper.get(&asked(URL), JsPolicy::Never).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_service_may_do_without_robots_txt() {
    let lenient = ScrapeSpec {
        robots_errors: RobotsErrors::Allow,
        ..ScrapeSpec::default()
    };
    for broken in [Ok(status(500, None)), reset()] {
        let script = Script::default().on(URL, [Ok(page())]).on(ROBOTS, [broken]);
        let (scraper, _) = scraper(script, &lenient);
        scraper.get(&asked(URL), JsPolicy::Never).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn robots_txt_may_be_five_redirects_away() {
    let mut script = Script::default().on(URL, [Ok(page())]);
    let place = |hop: u32| match hop {
        0 => ROBOTS.to_owned(),
        hop => format!("http://a.example/robots-{hop}"),
    };
    for hop in 0..5 {
        let mut moved = fake::status(301);
        moved.location = Some(place(hop + 1));
        script = script.on(&place(hop), [Ok(moved)]);
    }
    let script = script.on(&place(5), [Ok(file("User-agent: *\nDisallow: /"))]);
    let (scraper, _) = scraper(script, &ScrapeSpec::default());
    let refused = scraper.get(&asked(URL), JsPolicy::Never).await.unwrap_err();
    assert_eq!(refused.as_str(), "robots");
}

#[tokio::test(start_paused = true)]
async fn failures_that_may_pass_are_tried_three_times() {
    let ignore = ScrapeSpec {
        robots: RobotsPolicy::Ignore,
        ..ScrapeSpec::default()
    };
    for (answers, tries, works) in [
        (vec![reset(), reset(), Ok(page())], 3, true),
        (vec![reset(), reset(), reset(), Ok(page())], 3, false),
        (vec![Ok(status(503, None)), Ok(page())], 2, true),
        (vec![Ok(status(429, Some(5))), Ok(page())], 2, true),
        // Asked to wait for longer than anybody does.
        (vec![Ok(status(503, Some(3_600))), Ok(page())], 1, true),
        (vec![Ok(status(404, None)), Ok(page())], 1, true),
        (
            vec![Err(Failure::new(FailKind::Protocol, "no")), Ok(page())],
            1,
            false,
        ),
    ] {
        let (scraper, script) = scraper(Script::default().on(URL, answers), &ignore);
        let got = scraper.get(&asked(URL), JsPolicy::Never).await;
        assert_eq!(script.times(URL).len(), tries);
        assert_eq!(got.is_ok(), works, "{got:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_that_asks_for_a_pause_gets_it_from_everybody() {
    let other = "http://a.example/y";
    let script = Script::default()
        .on(URL, [Ok(status(429, Some(10))), Ok(page())])
        .on(other, [Ok(page())]);
    let ignore = ScrapeSpec {
        robots: RobotsPolicy::Ignore,
        ..ScrapeSpec::default()
    };
    let (scraper, script) = scraper(script, &ignore);
    scraper.get(&asked(other), JsPolicy::Never).await.unwrap();
    let (first, second) = (asked(URL), asked(other));
    let late = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        scraper.get(&second, JsPolicy::Never).await
    };
    let (first, second) = tokio::join!(scraper.get(&first, JsPolicy::Never), late);
    assert!(first.is_ok() && second.is_ok());
    assert!(
        script.times(other)[1] >= 10_000,
        "{:?}",
        script.times(other)
    );
}

#[tokio::test(start_paused = true)]
async fn crawl_delay_and_two_at_once() {
    let mut script = Script::default();
    let urls: Vec<String> = (0..6).map(|n| format!("http://a.example/{n}")).collect();
    for url in &urls {
        script = script.on(url, [Ok(page())]);
    }
    let script = script.on(ROBOTS, [Ok(file("User-agent: *\nCrawl-delay: 2"))]);
    let (scraper, script) = scraper(script, &ScrapeSpec::default());
    let asked: Vec<RequestedUrl> = urls.iter().map(|url| asked(url)).collect();
    let all = asked
        .iter()
        .map(|asked| scraper.get(asked, JsPolicy::Never));
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
async fn a_documents_links_are_absolute_and_each_once() {
    let mut answer = fake::status(200);
    answer.content_type = Some("text/html".into());
    answer.body = Body::Html(
        "<a href=x>1</a><base href=/base/><a href=x#a>2</a><a href=mailto:a@b>3</a>\
         <template><a href=t></a></template><a href='http://b.example'>4</a>"
            .into(),
    );
    let (scraper, _) = scraper(
        Script::default().on(URL, [Ok(answer)]),
        &ScrapeSpec::default(),
    );
    let got = scraper.get(&asked(URL), JsPolicy::Never).await.unwrap();
    let document = Document::read(got, Part::Main).unwrap();
    assert_eq!(
        document.links(),
        ["http://a.example/base/x", "http://b.example/"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_host_that_asks_for_more_than_anybody_waits_is_left_alone() {
    let other = "http://a.example/y";
    let script = Script::default()
        .on(URL, [Ok(status(503, Some(3_600)))])
        .on(other, [Ok(page())]);
    let (scraper, script) = scraper(script, &ScrapeSpec::default());
    assert_eq!(
        scraper
            .get(&asked(URL), JsPolicy::Never)
            .await
            .unwrap()
            .fetched
            .status,
        503
    );
    let refused = scraper
        .get(&asked(other), JsPolicy::Never)
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
async fn a_crawl_delay_nobody_waits_for_is_a_refusal() {
    for delay in ["61", "600", "18446744073709551000", "1e300"] {
        let robots = format!("User-agent: *\nCrawl-delay: {delay}");
        let script = Script::default()
            .on(URL, [Ok(page())])
            .on(ROBOTS, [Ok(file(&robots))]);
        let (scraper, script) = scraper(script, &ScrapeSpec::default());
        match scraper.get(&asked(URL), JsPolicy::Never).await {
            Err(refused) => {
                assert_eq!(refused.as_str(), "host_parked");
                assert_eq!(script.times(URL).len(), 0);
            }
            // What is no number at all is no rule.
            Ok(_) => assert_eq!(delay, "1e300"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn once_stopped_nothing_more_is_sent() {
    let script = Script::default()
        .on(URL, [reset()])
        .on(ROBOTS, [Ok(file("User-agent: *\nCrawl-delay: 30"))]);
    let script = Arc::new(script);
    let plan = ScrapePlan::resolve(&ScrapeSpec::default(), "crawler/0").unwrap();
    let stop = Stop::new();
    let scraper = Scraper::new(Arc::clone(&script), plan, 7, stop.clone(), |_| ());
    let url = asked(URL);
    let soon = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        stop.ask();
    };
    let begun = Instant::now();
    let (got, ()) = tokio::join!(scraper.get(&url, JsPolicy::Never), soon);
    assert_eq!(got.unwrap_err().as_str(), "stopped");
    assert!(begun.elapsed() < Duration::from_secs(6));
    assert_eq!(script.times(URL).len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_small_page_cannot_become_a_huge_list_of_links() {
    let links: Vec<String> = (0..3_000).map(|n| format!("<a href={n}>x</a>")).collect();
    let links = links.concat();
    let mut answer = fake::status(200);
    answer.content_type = Some("text/html".into());
    answer.body = Body::Html(format!("<base href='/{}/'>{links}", "b".repeat(50_000)).into());
    let (scraper, _) = scraper(
        Script::default().on(URL, [Ok(answer)]),
        &ScrapeSpec::default(),
    );
    let got = scraper.get(&asked(URL), JsPolicy::Never).await.unwrap();
    let document = Document::read(got, Part::Main).unwrap();
    let json = document.json(false, None);
    assert!(json.len() < 6 << 20, "{}", json.len());
    assert!(
        json.contains("\"links_omitted\":29"),
        "most of them are left out"
    );
}
