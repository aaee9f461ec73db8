//! Settling pages: retry or finish, admit links.

use std::sync::Arc;
use std::time::Duration;

use crawler_model::site_rules::{MAX_HOST_PAUSE, check_redirects, may_retry, redirect_loop};
use crawler_model::{
    Discovery, LinkList, Notice, Outcome, PageReport, RefuseReason, SitemapPolicy, Task,
};
use crawler_weburl::{CrawlUrl, UrlKey};

use crate::admission_filter::AdmissionFilter;
use crate::backoff::retry_delay;
use crate::frontier::{Delivery, Moment, Work};
use crate::host_ledger::Throttled;
use crate::host_response::HostResponse;
use crate::memory_frontier::MemoryFrontier;
use crate::rules::Bounds;

impl MemoryFrontier {
    pub(crate) fn settle_page(
        &mut self,
        mut report: PageReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let fetched_at = report.fetched_url.as_ref().unwrap_or(&report.url).clone();
        let host = self.host_for(fetched_at.parts());
        self.counts.in_flight -= 1;
        self.counts.bytes += report.wire_bytes;
        self.levels.remove(report.depth);
        self.hosts[host].end();
        let response = HostResponse::new(report.status, report.retry_after, report.elapsed);
        if let Some(response) = response {
            self.note_response(host, response, now, out);
        }

        if self.may_retry(host, &report) {
            let (backoff, attempt) = (self.plan.backoff, report.attempt);
            let wait = retry_delay(backoff, attempt, report.retry_after, &mut self.rng);
            self.counts.delayed += 1;
            self.delayed.push(now + wait, Work::Page(report.task()));
            return;
        }
        if let Outcome::Redirected { to } = &report.outcome {
            let in_place = self.is_same_page(&report.url, to);
            if let Err(failure) = check_redirects(report.hops, self.plan.max_redirects) {
                let again = in_place && report.fetched_url.is_some();
                let failure = if again { redirect_loop(to) } else { failure };
                report.outcome = Outcome::Failed(failure);
                // A page that failed has no links, its target included.
                report.links = LinkList::default();
            } else if in_place {
                let to = to.clone();
                self.follow_in_place(&report, to);
                return;
            }
        }
        self.counts.started -= 1;
        let key = self.plan.keys.key(report.url.parts());
        let of_seed = self.seed_watch.is_seed(key);
        let target = match &report.outcome {
            Outcome::Redirected { to } => Some((to.clone(), self.plan.keys.key(to.parts()))),
            _ => None,
        };
        let refused = if let Some((to, key)) = &target {
            self.admit_target(&report, to, *key, of_seed).err()
        } else {
            self.admit_links(&mut report);
            None
        };
        if let Some(reason) = refused {
            self.counts.refuse(reason);
            if reason.is_trap() && !report.links.is_empty() {
                report.links.set_refused(vec![(0, reason)]);
            }
        }
        // A target that was refused for another reason is never fetched.
        let is_admitted = matches!(refused, None | Some(RefuseReason::Seen));
        let target = target.map(|(_, key)| key);
        let closes_loop = target
            .filter(|_| is_admitted)
            .is_some_and(|target| self.redirects.closes_loop(key, target));
        if of_seed {
            self.seed_watch.note(&report, target, refused, closes_loop);
        }
        if closes_loop {
            fail_loop(&mut report);
        }
        self.counts.finish(&report);
        out.push(Delivery::Page(Box::new(report)));
    }

    fn may_retry(&self, host: usize, report: &PageReport) -> bool {
        let Outcome::Failed(failure) = &report.outcome else {
            return false;
        };
        let (attempt, max_attempts) = (report.attempt, self.plan.max_attempts);
        may_retry(
            failure.kind,
            attempt,
            max_attempts,
            report.retry_after,
            MAX_HOST_PAUSE,
        ) && self.stopped.is_none()
            && self.hosts[host].parked().is_none()
    }

    /// Updates the host's ledger from a response.
    pub(crate) fn note_response(
        &mut self,
        host: usize,
        response: HostResponse,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let ledger = &mut self.hosts[host];
        match ledger.note_response(response, now, &mut self.rng) {
            None => (),
            Some(Throttled::Paused(pause)) if pause < Duration::from_secs(1) => (),
            Some(Throttled::Paused(pause)) => {
                let host = ledger.host.to_string();
                let message = format!("answered {}", response.status);
                out.push(Delivery::Notice(Notice::HostSlowed {
                    host,
                    pause,
                    message,
                }));
            }
            Some(Throttled::Parked(message)) => self.park(host, message, out),
        }
    }

    /// Whether two URLs have the same key, or differ only in a session id that was just assigned.
    fn is_same_page(&self, from: &CrawlUrl, to: &CrawlUrl) -> bool {
        AdmissionFilter::is_same_page(&self.plan, from, to)
    }

    /// Follows a redirect to the page's own key: it is queued again and reported under its first URL.
    fn follow_in_place(&mut self, report: &PageReport, to: CrawlUrl) {
        let task = Task {
            url: to,
            reported_url: Some(report.url.clone()),
            hops: report.hops + 1,
            attempt: 0,
            ..report.task()
        };
        self.requeue(task);
    }

    /// Admits the links of a fetched page, and records on the page why others were refused.
    fn admit_links(&mut self, report: &mut PageReport) {
        let fetched = matches!(report.outcome, Outcome::Fetched { .. });
        if !fetched || self.plan.sitemaps == SitemapPolicy::Only {
            return;
        }
        let mut refused = Vec::new();
        let depth = report.depth + 1;
        let via = report.url.shared_text();
        let mut evidence = if self.plan.traps {
            self.traps.evidence(report, &self.plan.keys, &self.seen)
        } else {
            None
        };
        for (index, (key, facts)) in (0..).zip(report.links.keys_and_facts()) {
            if let Some(reason) = self.quick_refusal(key, facts, depth) {
                self.counts.refuse(reason);
                continue;
            }
            let Some(url) = report
                .links
                .get(index as usize)
                .and_then(|link| link.parts())
            else {
                self.counts.refuse(RefuseReason::Scheme);
                continue;
            };
            let task = |url| Task::new(url, Discovery::Link, depth, Some(Arc::clone(&via)));
            if let Err(reason) = self.admit(url, key, task, depth, Bounds::ALL, evidence.as_mut()) {
                self.counts.refuse(reason);
                refused.push((index, reason));
            }
        }
        report.links.set_refused(refused);
        if let Some(evidence) = evidence {
            self.traps
                .take_in(report, evidence, &self.plan.keys, &self.seen);
        }
    }

    /// Admits a redirect's target like any link, at the same depth. A redirect target of the seed counts as the
    /// seed: include and exclude do not apply to it.
    fn admit_target(
        &mut self,
        report: &PageReport,
        to: &CrawlUrl,
        key: UrlKey,
        of_seed: bool,
    ) -> Result<(), RefuseReason> {
        let (depth, hops) = (report.depth, report.hops + 1);
        let via = Some(report.url.shared_text());
        let task = |url| Task {
            hops,
            ..Task::new(url, Discovery::Redirect, depth, via)
        };
        let bounds = if of_seed {
            Bounds::WITHOUT_PATTERNS
        } else {
            Bounds::ALL
        };
        let mut evidence = if self.plan.traps && !of_seed {
            self.traps
                .redirect_evidence(report, to.parts(), &self.plan.keys)
        } else {
            None
        };
        let admission = self.admit(to.parts(), key, task, depth, bounds, evidence.as_mut());
        if let Some(evidence) = evidence {
            self.traps.take_in_redirect(&evidence, key, admission.err());
        }
        admission
    }
}

/// Reports a redirect whose target leads back to it as a failure. Its one link is still its target, so that the whole loop
/// is in the output.
fn fail_loop(report: &mut PageReport) {
    if let Outcome::Redirected { to } = &report.outcome {
        report.outcome = Outcome::Failed(redirect_loop(to));
    }
}
