//! Pages that wear a browser out end in time, and the next page is none the worse.

use std::time::{Duration, Instant};

use testsite::spa::wild::{Ends, PAGES, TEXT, Wild};
use testsite::{Pages, Server};

use crate::stage::{Stage, markup};

const TIME: Duration = Duration::from_secs(3);
/// What a page may take beyond its time.
const GRACE: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread")]
async fn every_wild_page_ends_in_time_and_the_next_page_is_none_the_worse() {
    let site = Server::start(Wild);
    let calm = Server::start(Pages::new().html("/", "<p>all is well"));
    let stage = Stage::new(|settings| {
        settings.nav_timeout = TIME;
        settings.tabs = 1;
    });
    // The first page pays for the start.
    stage.document(&calm.url("/")).await.unwrap();
    let mut wrong = Vec::new();
    for page in PAGES {
        let begun = Instant::now();
        let ended = stage.document(&site.url(&page.path())).await;
        let took = begun.elapsed();
        let told = match &ended {
            Ok(fetched) if fetched.moved_by_script => format!("to {:?}", fetched.location),
            Ok(fetched) => format!("{} bytes", markup(fetched).len()),
            Err(failure) => format!("{failure} [{}]", failure.kind),
        };
        println!("{:<18} {took:>12.2?} {told}", page.name);
        if took > TIME + GRACE {
            wrong.push(format!("{} took {took:?}", page.name));
        }
        let fits = match (page.ends, &ended) {
            (Ends::InTime, _) | (Ends::Fails, Err(_)) => true,
            (Ends::Document, Ok(fetched)) => markup(fetched).contains(TEXT),
            (Ends::Moves(to), Ok(fetched)) => {
                fetched.moved_by_script && fetched.location == Some(site.url(to))
            }
            _ => false,
        };
        if !fits {
            wrong.push(format!("{} ended with {told}", page.name));
        }
        let begun = Instant::now();
        match stage.document(&calm.url("/")).await {
            Ok(fetched) if markup(&fetched).contains("all is well") => (),
            other => wrong.push(format!("after {}: {other:?}", page.name)),
        }
        if begun.elapsed() > Duration::from_secs(5) {
            wrong.push(format!("after {}: {:?}", page.name, begun.elapsed()));
        }
    }
    println!("{:?}", stage.renderer.numbers());
    stage.renderer.close().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
