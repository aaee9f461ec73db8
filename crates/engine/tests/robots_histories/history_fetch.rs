//! Fetches the robots.txt and the pages of a history, and checks every request.

use std::sync::Mutex;

use crawler_fetch::{Body, Fetch, FetchRequest, Fetched, fake};
use crawler_frontier::{RobotsFetchResult, RobotsTask, SiteFileResult};
use crawler_model::{Discovery, Failure, Outcome, Task};
use crawler_weburl::CrawlUrl;
use tokio::time::{Instant, sleep};

use crate::robots_history::RobotsHistory;

pub(crate) struct HistoryFetch {
    pub(crate) history: Mutex<RobotsHistory>,
    started_at: Instant,
    /// Redirects of robots.txt followed so far, and whether the last response was one.
    hops: Mutex<(u32, bool)>,
}

impl HistoryFetch {
    pub(crate) fn new(history: RobotsHistory) -> Self {
        Self {
            history: Mutex::new(history),
            started_at: Instant::now(),
            hops: Mutex::default(),
        }
    }

    fn robots(&self, url: &CrawlUrl) -> Result<Fetched, Failure> {
        let mut hops = self.hops.lock().unwrap();
        hops.0 = match *hops {
            // The robots.txt of the site, not of the host that it redirects to.
            _ if url.host_key().as_str() == "site.example" => 0,
            (hops, was_moved) => hops + u32::from(was_moved),
        };
        let site_file = RobotsTask {
            origin: url.origin(),
            url: url.clone(),
            hops: hops.0,
            attempt: 1,
        };
        let mut history = self.history.lock().unwrap();
        let report = history.robots(site_file, self.started_at.elapsed());
        let SiteFileResult::Robots(_, answer) = report.found else {
            unreachable!("a robots.txt was requested")
        };
        hops.1 = matches!(answer, RobotsFetchResult::Moved(_));
        let mut response = match (answer, report.status) {
            (RobotsFetchResult::Unreachable(failure), _) => return Err(failure),
            (RobotsFetchResult::Moved(to), Some(status)) => {
                let mut response = fake::status(status);
                response.location = Some(to.to_string());
                response
            }
            (_, status) => fake::status(status.unwrap()),
        };
        response.retry_after = report.retry_after;
        if let Some(text) = report.text {
            response.body = Body::File(text.into());
        }
        Ok(response)
    }

    fn page(&self, url: &CrawlUrl) -> Result<Fetched, Failure> {
        let mut task = Task::new(url.clone(), Discovery::Seed, 0, None);
        task.attempt = 1;
        let mut history = self.history.lock().unwrap();
        let report = history.page(task, self.started_at.elapsed());
        let Some(status) = report.status else {
            return Err(report.outcome.failure().unwrap().clone());
        };
        let mut response = fake::status(status);
        response.retry_after = report.retry_after;
        if let Outcome::Redirected { to } = report.outcome {
            response.location = Some(to.to_string());
        } else if status == 200 {
            response.body = Body::Html("<p>words".into());
        }
        Ok(response)
    }
}

impl Fetch for HistoryFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let is_page = request.url.parts().path() != "/robots.txt";
        let takes = {
            let mut history = self.history.lock().unwrap();
            history.check_request(request.url, is_page, self.started_at.elapsed());
            // Up to a minute: a scrape has a timeout.
            history.request_takes(false)
        };
        sleep(takes).await;
        if is_page {
            self.page(request.url)
        } else {
            self.robots(request.url)
        }
    }
}
