//! Taking in robots.txt files and sitemaps.

use std::time::Duration;

use crawler_frontier::{
    Delivery, Moment, RobotsAnswer, RobotsTask, SiteFileReport, SiteFileResult, retry_delay,
};
use crawler_model::site_rules::{MAX_SITE_FILE_REDIRECTS, MAX_WAIT, SITE_FILE_ATTEMPTS, may_retry};
use crawler_sitefiles::RobotsFile;
use crawler_store::RobotsText;

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
        let host = report.found.url().host_key();
        let too_long = report.retry_after.is_some_and(|pause| pause > MAX_WAIT);
        if !too_long {
            let reply = (report.status, report.retry_after, report.elapsed);
            self.note_reply(&host, reply, now);
        }
        match report.found {
            SiteFileResult::Robots(site_file, answer) => {
                self.settle_robots(
                    site_file,
                    answer,
                    (report.text, report.retry_after),
                    now,
                    out,
                );
            }
            SiteFileResult::Sitemap(site_file, answer) => {
                self.settle_sitemap(site_file, answer, report.retry_after, now);
            }
        }
    }

    fn settle_robots(
        &mut self,
        mut site_file: RobotsTask,
        answer: RobotsAnswer,
        (text, retry_after): (Option<String>, Option<Duration>),
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let retry = match &answer {
            RobotsAnswer::Unavailable(failure) | RobotsAnswer::Unreachable(failure) => {
                let (kind, attempt) = (failure.kind, site_file.attempt);
                self.stopped.is_none()
                    && may_retry(kind, attempt, SITE_FILE_ATTEMPTS, retry_after, MAX_WAIT)
            }
            RobotsAnswer::Moved(_) | RobotsAnswer::Rules(_) => false,
        };
        let (known, stored) = match answer {
            RobotsAnswer::Moved(to) if site_file.hops < MAX_SITE_FILE_REDIRECTS => {
                site_file.url = to;
                site_file.hops += 1;
                site_file.attempt = 0;
                self.robots.queue_fetch(site_file, now);
                return;
            }
            // After too many redirects, the file counts as having no rules.
            RobotsAnswer::Moved(_) => (RobotsFile::without_rules(), RobotsText::Absent),
            RobotsAnswer::Rules(rules) => {
                let stored = text.map_or(RobotsText::Absent, RobotsText::Text);
                (RobotsFile::Rules(rules), stored)
            }
            RobotsAnswer::Unavailable(_) | RobotsAnswer::Unreachable(_) if retry => {
                let (backoff, attempt) = (self.site_file_plan.backoff, site_file.attempt);
                let wait = retry_delay(backoff, attempt, retry_after, &mut self.rng);
                self.robots.queue_fetch(site_file, now + wait);
                return;
            }
            RobotsAnswer::Unavailable(failure) => {
                let stored = RobotsText::Unavailable(failure.message.clone());
                (RobotsFile::Unavailable(failure), stored)
            }
            RobotsAnswer::Unreachable(failure) => {
                let stored = RobotsText::Unavailable(failure.message.clone());
                (RobotsFile::Unreachable(failure), stored)
            }
        };
        let origin = site_file.origin;
        self.client.save_robots(origin.clone(), stored);
        let (delay, waiting) = self.robots.use_fetched(&origin, known, now);
        let notice = self.apply_robots(&origin, delay, waiting, now);
        out.extend(notice.map(Delivery::Notice));
    }
}
