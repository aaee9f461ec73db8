//! Runaway pages end in time and do not affect the next page.

use std::time::{Duration, Instant};

use crawler_model::{FailKind, Failure};
use testsite::spa::runaway::{PAGES, RunawayOutcome, RunawaySite, TEXT};
use testsite::{Pages, Server};

use crate::test_renderer::{TestRenderer, markup};

const PAGE_TIMEOUT: Duration = Duration::from_secs(6);
/// Maximum time beyond the time limit of a page.
const GRACE: Duration = Duration::from_secs(2);
/// Time limit for the next page.
const RECOVERY_TIME: Duration = Duration::from_secs(8);

/// Maximum number of attempts for a page that may fail on a busy machine.
const ATTEMPTS: u32 = 4;

/// The pages are split into four groups that run in parallel.
const GROUP: usize = PAGES.len().div_ceil(4);

#[tokio::test(flavor = "multi_thread")]
async fn the_first_quarter_ends_in_time() {
    ends_in_time(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_quarter_ends_in_time() {
    ends_in_time(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_third_quarter_ends_in_time() {
    ends_in_time(2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_quarter_ends_in_time() {
    ends_in_time(3).await;
}

/// One page never settles; the other loops as soon as it is scrolled, and settles, because it makes no requests.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_loops_is_returned_and_reported_as_timed_out() {
    let looping = |script: &str| format!("<!doctype html><p>{TEXT}</p><script>{script}</script>");
    let unsettled = looping("while (1) {}");
    let settled = looping("window.scrollTo = () => { while (1) {} }");
    let pages = Pages::new().html("/unsettled", &unsettled);
    let site = Server::start(pages.html("/settled", &settled));
    let test = TestRenderer::new(|settings| settings.nav_timeout = PAGE_TIMEOUT);
    for name in ["/unsettled", "/settled"] {
        let mut result = test.document(&site.url(name)).await;
        // A busy machine may take too long to stop the loop, which is a temporary failure.
        for _ in 1..ATTEMPTS {
            let timed_out = |failure: &Failure| failure.kind == FailKind::Timeout;
            if result.as_ref().is_err_and(timed_out) {
                result = test.document(&site.url(name)).await;
            }
        }
        let fetched = result.unwrap();
        let rendering = fetched.rendering.unwrap();
        assert!(rendering.timed_out, "{name}: {fetched:?}");
        assert!(markup(&fetched).contains(TEXT), "{name}: {fetched:?}");
    }
    test.renderer.close().await;
}

async fn ends_in_time(group: usize) {
    let site = Server::start(RunawaySite);
    let healthy = Server::start(Pages::new().html("/", "<p>healthy page"));
    let test = TestRenderer::new(|settings| {
        settings.nav_timeout = PAGE_TIMEOUT;
        settings.tabs = 1;
    });
    // The first page includes the start of the browser.
    test.document(&healthy.url("/")).await.unwrap();
    let (mut problems, mut seen) = (Vec::new(), Vec::new());
    for page in PAGES.chunks(GROUP).nth(group).unwrap() {
        let start = Instant::now();
        let result = test.document(&site.url(&page.path())).await;
        let took = start.elapsed();
        let summary = match &result {
            Ok(fetched) if fetched.moved_by_script => format!("to {:?}", fetched.location),
            Ok(fetched) if fetched.body == crawler_fetch::Body::Unread => format!("{fetched:?}"),
            Ok(fetched) => format!("{} bytes", markup(fetched).len()),
            Err(failure) => format!("{failure} [{}]", failure.kind),
        };
        seen.push(format!("{:<18} {took:>12.2?} {summary}", page.name));
        if took > PAGE_TIMEOUT + GRACE {
            problems.push(format!("{} took {took:?}", page.name));
        }
        let is_accepted = match (page.outcome, &result) {
            (RunawayOutcome::InTime, _) | (RunawayOutcome::Fails, Err(_)) => true,
            (RunawayOutcome::Document, Ok(fetched)) => {
                fetched.truncated || markup(fetched).contains(TEXT)
            }
            (RunawayOutcome::Moves(to), Ok(fetched)) => {
                fetched.moved_by_script && fetched.location == Some(site.url(to))
            }
            _ => false,
        };
        if !is_accepted {
            problems.push(format!("{} ended with {summary}", page.name));
        }
        // The browser may have to be replaced first, which is a temporary failure.
        let start = Instant::now();
        let mut next = test.document(&healthy.url("/")).await;
        if next
            .as_ref()
            .is_err_and(|failure| failure.kind == FailKind::Browser)
        {
            next = test.document(&healthy.url("/")).await;
        }
        match next {
            Ok(fetched) if markup(&fetched).contains("healthy page") => (),
            other => problems.push(format!("after {}: {other:?}", page.name)),
        }
        if start.elapsed() > RECOVERY_TIME {
            problems.push(format!("after {}: {:?}", page.name, start.elapsed()));
        }
    }
    test.renderer.close().await;
    assert!(
        problems.is_empty(),
        "{}\nof\n{}",
        problems.join("\n"),
        seen.join("\n")
    );
}
