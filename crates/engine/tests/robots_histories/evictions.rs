//! A process that scrapes more origins than it remembers does not forget what is stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crawler_engine::{ScrapeProblem, Scraper, Stop};
use crawler_fetch::{Body, Fetch, FetchRequest, Fetched, RequestedUrl, fake};
use crawler_model::{Failure, JsPolicy, RequestSpec, RobotsErrors, ScrapePlan};

use crate::storing_gate::StoringGate;

/// Disallows a page of every host, until robots.txt fails.
#[derive(Default)]
struct FailingFetch {
    fails: AtomicBool,
    robots: AtomicUsize,
}

impl Fetch for FailingFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        if request.url.parts().path() == "/robots.txt" {
            self.robots.fetch_add(1, Ordering::SeqCst);
            if self.fails.load(Ordering::SeqCst) {
                return Ok(fake::status(503));
            }
            let mut response = fake::status(200);
            response.body = Body::File("User-agent: *\nDisallow: /no".to_owned().into());
            return Ok(response);
        }
        Ok(fake::status(200))
    }
}

#[tokio::test(start_paused = true)]
async fn rules_of_an_origin_that_was_removed_are_still_obeyed() {
    const ORIGINS: usize = 4_200;
    let spec = RequestSpec {
        robots_errors: RobotsErrors::Allow,
        ..RequestSpec::default()
    };
    let plan = ScrapePlan::resolve(&spec, "crawler/0").unwrap();
    let fetch = Arc::new(FailingFetch::default());
    let gate = StoringGate::reliable();
    let scraper = Scraper::with_gate(Arc::clone(&fetch), plan, gate, 1, Stop::new(), |_| ());
    let get = async |number: usize, path: &str| {
        let url = RequestedUrl::parse(&format!("http://h{number}.example{path}")).unwrap();
        scraper.get(&url, JsPolicy::Never).await
    };
    for number in 0..ORIGINS {
        get(number, "/yes").await.unwrap();
    }
    assert_eq!(fetch.robots.load(Ordering::SeqCst), ORIGINS);
    fetch.fails.store(true, Ordering::SeqCst);
    for number in [0, 1, ORIGINS - 1] {
        let refused = get(number, "/no").await;
        assert!(
            matches!(refused, Err(ScrapeProblem::Robots { .. })),
            "{refused:?}"
        );
        get(number, "/yes").await.unwrap();
    }
    // What is stored or known is not fetched again.
    assert_eq!(fetch.robots.load(Ordering::SeqCst), ORIGINS);
}
