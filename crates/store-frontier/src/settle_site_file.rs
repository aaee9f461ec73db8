//! Taking in robots.txt files and sitemaps.

use std::time::Duration;

use crawler_frontier::{
    Delivery, HostResponse, Moment, RobotsFetchResult, RobotsTask, SiteFileAttempt, SiteFileReport,
    SiteFileResult, SiteFileStep, retry_delay,
};
use crawler_model::site_rules::SITE_FILE_ATTEMPTS;
use crawler_sitefiles::RobotsFetch;

use crate::places::SiteFileKey;
use crate::stored_robots::robots_text;
use crate::worker_counts::add;
use crate::{FrontierStore, StoreFrontier};

impl<S: FrontierStore> StoreFrontier<S> {
    pub(crate) fn settle_file(
        &mut self,
        report: SiteFileReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        add(&self.counts.bytes, report.wire_bytes);
        self.site_files
            .remove(&SiteFileKey::of_result(&report.found));
        let host = report.found.url().host_key();
        let response = HostResponse::new(report.status, report.retry_after, report.elapsed);
        if let Some(response) = response {
            self.note_response(&host, response, now);
        }
        let attempt = SiteFileAttempt {
            attempt: 0,
            max_attempts: SITE_FILE_ATTEMPTS,
            hops: 0,
            retry_after: report.retry_after,
            may_continue: self.stopped.is_none(),
        };
        match report.found {
            SiteFileResult::Robots(site_file, answer) => {
                let attempt = SiteFileAttempt {
                    attempt: site_file.attempt,
                    hops: site_file.hops,
                    ..attempt
                };
                self.settle_robots(site_file, attempt, (answer, report.text), now, out);
            }
            SiteFileResult::Sitemap(site_file, answer) => {
                let attempt = SiteFileAttempt {
                    attempt: site_file.attempt,
                    hops: site_file.hops,
                    ..attempt
                };
                self.settle_sitemap(site_file, attempt, answer, now);
            }
        }
    }

    /// Takes in the result and the text of a fetched robots.txt.
    fn settle_robots(
        &mut self,
        mut site_file: RobotsTask,
        attempt: SiteFileAttempt,
        (answer, text): (RobotsFetchResult, Option<String>),
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let file = match attempt.robots_step(answer) {
            SiteFileStep::Follow(to) => {
                site_file.url = to;
                site_file.hops += 1;
                site_file.attempt = 0;
                self.robots.queue_fetch(site_file, now);
                return;
            }
            SiteFileStep::Retry => {
                let wait = self.site_file_delay(attempt);
                self.robots.queue_fetch(site_file, now + wait);
                return;
            }
            SiteFileStep::Done(file) => file,
        };
        let stored = robots_text(&file, text);
        let origin = site_file.origin;
        self.client.save_robots(origin.clone(), stored);
        let lifetime = self.site_file_plan.robots_lifetime;
        let fetch = RobotsFetch::now(file, attempt.retry_after);
        let waiting = self.robots.use_fetched(&origin, fetch, lifetime, now);
        let notice = self.apply_robots(&origin, waiting, now);
        out.extend(notice.map(Delivery::Notice));
    }

    /// The wait before another attempt at a site file.
    pub(crate) fn site_file_delay(&mut self, attempt: SiteFileAttempt) -> Duration {
        let backoff = self.site_file_plan.backoff;
        retry_delay(backoff, attempt.attempt, attempt.retry_after, &mut self.rng)
    }
}
