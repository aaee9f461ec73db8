//! The way back: taking in a site's own files.

use std::time::Duration;

use frontier::{
    Delivery, ErrandFound, ErrandReport, Moment, RobotsAnswer, RobotsErrand, before_retry,
};
use sitefiles::Robots;
use store::{RobotsText, Store};

use crate::StoreFrontier;
use crate::robots_desk::Known;
use crate::worker_counts::add;

/// Redirects followed for a robots.txt, as RFC 9309 asks.
const MOST_HOPS: u32 = 5;
/// Attempts at one file.
const ATTEMPTS: u32 = 2;
/// Longest pause after which it is asked for again.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

impl<S: Store> StoreFrontier<S> {
    pub(crate) fn settle_site_file(
        &mut self,
        report: ErrandReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        add(&self.counts.bytes, report.wire_bytes);
        let host = report.found.url().host_key();
        let too_long = report.retry_after.is_some_and(|asked| asked > LONGEST_WAIT);
        if !too_long {
            self.note_reply(&host, report.status, report.retry_after, now);
        }
        match report.found {
            ErrandFound::Robots(errand, answer) => {
                self.settle_robots(errand, answer, (report.text, report.retry_after), now, out);
            }
            ErrandFound::Sitemap(errand, answer) => {
                self.settle_sitemap(errand, answer, report.retry_after, now);
            }
        }
    }

    fn settle_robots(
        &mut self,
        mut errand: RobotsErrand,
        answer: RobotsAnswer,
        (text, retry_after): (Option<String>, Option<Duration>),
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let patient = retry_after.is_none_or(|asked| asked <= LONGEST_WAIT);
        let again = errand.attempt < ATTEMPTS && patient && self.stopped.is_none();
        let (known, kept) = match answer {
            RobotsAnswer::Moved(to) if errand.hops < MOST_HOPS => {
                errand.url = to;
                errand.hops += 1;
                errand.attempt = 0;
                self.robots.send(errand, now);
                return;
            }
            // More redirects may be taken as "no rules".
            RobotsAnswer::Moved(_) => (Known::Rules(Robots::allow_all()), RobotsText::Absent),
            RobotsAnswer::Rules(rules) => {
                let kept = text.map_or(RobotsText::Absent, RobotsText::Text);
                (Known::Rules(rules), kept)
            }
            RobotsAnswer::Unavailable(_) | RobotsAnswer::Unreachable(_) if again => {
                let wait = before_retry(self.errand_plan.backoff, errand.attempt, &mut self.chance)
                    .max(retry_after.unwrap_or_default());
                self.robots.send(errand, now + wait);
                return;
            }
            RobotsAnswer::Unavailable(failure) => {
                let kept = RobotsText::Unavailable(failure.words.clone());
                (Known::Unavailable(failure), kept)
            }
            RobotsAnswer::Unreachable(failure) => {
                let kept = RobotsText::Unavailable(failure.words.clone());
                (Known::Unreachable(failure), kept)
            }
        };
        let origin = errand.origin;
        self.clerk.keep_robots(origin.clone(), kept);
        let (delay, waiting) = self.robots.answered(&origin, known, now);
        let notice = self.learned(&origin, delay, waiting, now);
        out.extend(notice.map(Delivery::Notice));
    }
}
