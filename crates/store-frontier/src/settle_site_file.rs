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
    pub(crate) fn settle_site_file(
        &mut self,
        report: SiteFileReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        add(&self.counts.bytes, report.wire_bytes);
        let host = report.found.url().host_key();
        let too_long = report.retry_after.is_some_and(|asked| asked > MAX_WAIT);
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
        let again = match &answer {
            RobotsAnswer::Unavailable(failure) | RobotsAnswer::Unreachable(failure) => {
                let (kind, attempt) = (failure.kind, site_file.attempt);
                self.stopped.is_none()
                    && may_retry(kind, attempt, SITE_FILE_ATTEMPTS, retry_after, MAX_WAIT)
            }
            RobotsAnswer::Moved(_) | RobotsAnswer::Rules(_) => false,
        };
        let (known, kept) = match answer {
            RobotsAnswer::Moved(to) if site_file.hops < MAX_SITE_FILE_REDIRECTS => {
                site_file.url = to;
                site_file.hops += 1;
                site_file.attempt = 0;
                self.robots.send(site_file, now);
                return;
            }
            // More redirects count as "no rules".
            RobotsAnswer::Moved(_) => (RobotsFile::without_rules(), RobotsText::Absent),
            RobotsAnswer::Rules(rules) => {
                let kept = text.map_or(RobotsText::Absent, RobotsText::Text);
                (RobotsFile::Rules(rules), kept)
            }
            RobotsAnswer::Unavailable(_) | RobotsAnswer::Unreachable(_) if again => {
                let (backoff, attempt) = (self.site_file_plan.backoff, site_file.attempt);
                let wait = retry_delay(backoff, attempt, retry_after, &mut self.rng);
                self.robots.send(site_file, now + wait);
                return;
            }
            RobotsAnswer::Unavailable(failure) => {
                let kept = RobotsText::Unavailable(failure.message.clone());
                (RobotsFile::Unavailable(failure), kept)
            }
            RobotsAnswer::Unreachable(failure) => {
                let kept = RobotsText::Unavailable(failure.message.clone());
                (RobotsFile::Unreachable(failure), kept)
            }
        };
        let origin = site_file.origin;
        self.client.save_robots(origin.clone(), kept);
        let (delay, waiting) = self.robots.answered(&origin, known, now);
        let notice = self.learned(&origin, delay, waiting, now);
        out.extend(notice.map(Delivery::Notice));
    }
}
