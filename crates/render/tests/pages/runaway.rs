//! Runaway pages end in time and do not affect the next page.

use std::time::{Duration, Instant};

use crawler_model::FailKind;
use testsite::spa::runaway::{PAGES, RunawayOutcome, RunawaySite, TEXT};
use testsite::{Pages, Server};

use crate::test_renderer::{TestRenderer, markup};

const PAGE_TIMEOUT: Duration = Duration::from_secs(6);
/// Maximum time beyond the time limit of a page.
const GRACE: Duration = Duration::from_secs(2);
/// Time limit for the next page.
const RECOVERY_TIME: Duration = Duration::from_secs(8);

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

async fn ends_in_time(group: usize) {
    let site = Server::start(RunawaySite);
    let calm = Server::start(Pages::new().html("/", "<p>all is well"));
    let test = TestRenderer::new(|settings| {
        settings.nav_timeout = PAGE_TIMEOUT;
        settings.tabs = 1;
    });
    // The first page includes the start of the browser.
    test.document(&calm.url("/")).await.unwrap();
    let (mut wrong, mut seen) = (Vec::new(), Vec::new());
    for page in PAGES.chunks(GROUP).nth(group).unwrap() {
        let begun = Instant::now();
        let ended = test.document(&site.url(&page.path())).await;
        let took = begun.elapsed();
        let summary = match &ended {
            Ok(fetched) if fetched.moved_by_script => format!("to {:?}", fetched.location),
            Ok(fetched) if fetched.body == crawler_fetch::Body::Unread => format!("{fetched:?}"),
            Ok(fetched) => format!("{} bytes", markup(fetched).len()),
            Err(failure) => format!("{failure} [{}]", failure.kind),
        };
        seen.push(format!("{:<18} {took:>12.2?} {summary}", page.name));
        if took > PAGE_TIMEOUT + GRACE {
            wrong.push(format!("{} took {took:?}", page.name));
        }
        let fits = match (page.outcome, &ended) {
            (RunawayOutcome::InTime, _) | (RunawayOutcome::Fails, Err(_)) => true,
            (RunawayOutcome::Document, Ok(fetched)) => {
                fetched.truncated || markup(fetched).contains(TEXT)
            }
            (RunawayOutcome::Moves(to), Ok(fetched)) => {
                fetched.moved_by_script && fetched.location == Some(site.url(to))
            }
            _ => false,
        };
        if !fits {
            wrong.push(format!("{} ended with {summary}", page.name));
        }
        // The browser may have to be replaced first, which is a temporary failure.
        let begun = Instant::now();
        let mut next = test.document(&calm.url("/")).await;
        if next
            .as_ref()
            .is_err_and(|failure| failure.kind == FailKind::Browser)
        {
            next = test.document(&calm.url("/")).await;
        }
        match next {
            Ok(fetched) if markup(&fetched).contains("all is well") => (),
            other => wrong.push(format!("after {}: {other:?}", page.name)),
        }
        if begun.elapsed() > RECOVERY_TIME {
            wrong.push(format!("after {}: {:?}", page.name, begun.elapsed()));
        }
    }
    test.renderer.close().await;
    assert!(
        wrong.is_empty(),
        "{}\nof\n{}",
        wrong.join("\n"),
        seen.join("\n")
    );
}
