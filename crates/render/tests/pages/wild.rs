//! Pages that wear a browser out end in time, and the next page is none the worse.

use std::time::{Duration, Instant};

use model::FailKind;
use testsite::spa::wild::{Ends, PAGES, TEXT, Wild};
use testsite::{Pages, Server};

use crate::stage::{Stage, markup};

const TIME: Duration = Duration::from_secs(6);
/// What a page may take beyond its time.
const GRACE: Duration = Duration::from_secs(2);
/// The next page is there within this.
const BACK: Duration = Duration::from_secs(8);

/// Four groups, so that they can run side by side.
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
    let site = Server::start(Wild);
    let calm = Server::start(Pages::new().html("/", "<p>all is well"));
    let stage = Stage::new(|settings| {
        settings.nav_timeout = TIME;
        settings.tabs = 1;
    });
    // The first page pays for the start.
    stage.document(&calm.url("/")).await.unwrap();
    let (mut wrong, mut seen) = (Vec::new(), Vec::new());
    for page in PAGES.chunks(GROUP).nth(group).unwrap() {
        let begun = Instant::now();
        let ended = stage.document(&site.url(&page.path())).await;
        let took = begun.elapsed();
        let told = match &ended {
            Ok(fetched) if fetched.moved_by_script => format!("to {:?}", fetched.location),
            Ok(fetched) if fetched.body == fetch::Body::Unread => format!("{fetched:?}"),
            Ok(fetched) => format!("{} bytes", markup(fetched).len()),
            Err(failure) => format!("{failure} [{}]", failure.kind),
        };
        seen.push(format!("{:<18} {took:>12.2?} {told}", page.name));
        if took > TIME + GRACE {
            wrong.push(format!("{} took {took:?}", page.name));
        }
        let fits = match (page.ends, &ended) {
            (Ends::InTime, _) | (Ends::Fails, Err(_)) => true,
            (Ends::Document, Ok(fetched)) => fetched.truncated || markup(fetched).contains(TEXT),
            (Ends::Moves(to), Ok(fetched)) => {
                fetched.moved_by_script && fetched.location == Some(site.url(to))
            }
            _ => false,
        };
        if !fits {
            wrong.push(format!("{} ended with {told}", page.name));
        }
        // A browser that was worn out may have to be replaced first, which is a failure that may be tried again.
        let begun = Instant::now();
        let mut next = stage.document(&calm.url("/")).await;
        if next
            .as_ref()
            .is_err_and(|failure| failure.kind == FailKind::Browser)
        {
            next = stage.document(&calm.url("/")).await;
        }
        match next {
            Ok(fetched) if markup(&fetched).contains("all is well") => (),
            other => wrong.push(format!("after {}: {other:?}", page.name)),
        }
        if begun.elapsed() > BACK {
            wrong.push(format!("after {}: {:?}", page.name, begun.elapsed()));
        }
    }
    stage.renderer.close().await;
    assert!(
        wrong.is_empty(),
        "{}\nof\n{}",
        wrong.join("\n"),
        seen.join("\n")
    );
}
