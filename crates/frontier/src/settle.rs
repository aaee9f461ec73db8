//! The way back: taking in reports.

use std::sync::Arc;
use std::time::Duration;

use model::{
    FailKind, Failure, Found, Notice, Outcome, PageReport, RefuseReason, RobotsErrors, SeedProblem,
    SitemapPolicy, Task,
};
use sitefiles::Robots;
use weburl::CrawlUrl;

use crate::backoff;
use crate::errand::{
    Errand, ErrandReport, RobotsAnswer, RobotsErrand, SitemapAnswer, SitemapErrand,
};
use crate::frontier::{Delivery, Moment, Work};
use crate::host_ledger::Throttled;
use crate::memory_frontier::MemoryFrontier;
use crate::seed_watch::SeedWatch;
use crate::site::RobotsState;

/// Deepest sitemap that is read: an index of indexes, and their files.
const MOST_SITEMAP_LEVELS: u32 = 3;

impl MemoryFrontier {
    pub(crate) fn settle_page(
        &mut self,
        mut report: PageReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let fetched_at = report.landed.as_ref().unwrap_or(&report.url).clone();
        let host = self.host_for(fetched_at.parts());
        self.counts.in_flight -= 1;
        self.counts.bytes += report.wire_bytes;
        self.levels.remove(report.depth, 1);
        self.hosts[host].end();
        self.note_throttling(host, &report, now, out);

        if self.may_retry(host, &report) {
            let wait = backoff::before_retry(report.attempt, &mut self.chance)
                .max(report.retry_after.unwrap_or_default());
            self.counts.delayed += 1;
            self.delayed.push(now + wait, Work::Page(report.task()));
            return;
        }
        if let Outcome::Redirected { to } = &report.outcome {
            if report.hops >= self.plan.max_redirects {
                let words = format!("too many redirects ({})", self.plan.max_redirects);
                report.outcome = Outcome::Failed(Failure::new(FailKind::TooManyRedirects, words));
            } else if self.is_same_page(&report.url, to) {
                let to = to.clone();
                self.follow_in_place(&report, to);
                return;
            }
        }
        self.counts.begun -= 1;
        let refused = self.admit_found(&report);
        self.counts.finish(&report);
        if SeedWatch::is_seed(&report) {
            self.seed_watch.note(&report, refused);
        }
        out.push(Delivery::Page(Box::new(report)));
    }

    fn may_retry(&self, host: usize, report: &PageReport) -> bool {
        let Outcome::Failed(failure) = &report.outcome else {
            return false;
        };
        failure.kind.retryable()
            && report.attempt < self.plan.max_attempts
            && self.stopped.is_none()
            && self.hosts[host].parked().is_none()
    }

    /// `429`, and `503` that says when to come back, are about the host and not the page.
    fn note_throttling(
        &mut self,
        host: usize,
        report: &PageReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let throttles = match report.status {
            Some(429) => true,
            Some(503) => report.retry_after.is_some(),
            _ => false,
        };
        if !throttles {
            if report.status.is_some() {
                self.hosts[host].relax();
            }
            return;
        }
        if self.hosts[host].parked().is_some() {
            return;
        }
        let begun = now.saturating_sub(report.elapsed);
        let words = format!("answered {}", report.status.unwrap_or_default());
        let ledger = &mut self.hosts[host];
        match ledger.throttle(report.retry_after, begun, now, &mut self.chance) {
            Throttled::AlreadyPaused => (),
            Throttled::Paused(pause) if pause < Duration::from_secs(1) => (),
            Throttled::Paused(pause) => {
                let host = ledger.host.to_string();
                out.push(Delivery::Notice(Notice::HostSlowed { host, pause, words }));
            }
            Throttled::Parked(words) => self.park(host, words, out),
        }
    }

    fn is_same_page(&self, from: &CrawlUrl, to: &CrawlUrl) -> bool {
        self.plan.keys.key(from.parts()) == self.plan.keys.key(to.parts())
    }

    /// A redirect to the page's own key: the page goes on under its first name, through the same gates.
    fn follow_in_place(&mut self, report: &PageReport, to: CrawlUrl) {
        let task = Task {
            url: to,
            first_met: Some(report.url.clone()),
            hops: report.hops + 1,
            attempt: 0,
            ..report.task()
        };
        self.requeue(task);
    }

    /// Admits what a finished page points to. Says why a redirect's target was refused, if it was.
    fn admit_found(&mut self, report: &PageReport) -> Option<RefuseReason> {
        match &report.outcome {
            Outcome::Redirected { to } => {
                let refused = self.admit_target(report, to).err();
                if let Some(reason) = refused {
                    self.counts.refuse(reason);
                }
                return refused;
            }
            Outcome::Fetched { .. } if self.plan.sitemaps != SitemapPolicy::Only => (),
            _ => return None,
        }
        let depth = report.depth + 1;
        let via = report.url.shared_text();
        for link in report.links.iter() {
            let Some(url) = link.parts() else {
                self.counts.refuse(RefuseReason::Scheme);
                continue;
            };
            let task = |url| Task {
                url,
                first_met: None,
                depth,
                hops: 0,
                via: Some(Arc::clone(&via)),
                found: Found::Link,
                attempt: 0,
            };
            if let Err(reason) = self.admit(url, link.key, task, depth) {
                self.counts.refuse(reason);
            }
        }
        None
    }

    /// A redirect's target is admitted like any link, at the same depth. Where the seed points is the
    /// seed: include and exclude are not asked about it.
    fn admit_target(&mut self, report: &PageReport, to: &CrawlUrl) -> Result<(), RefuseReason> {
        let key = self.plan.keys.key(to.parts());
        let (depth, hops) = (report.depth, report.hops + 1);
        let via = Some(report.url.shared_text());
        let task = |url| Task {
            url,
            first_met: None,
            depth,
            hops,
            via,
            found: Found::Redirect,
            attempt: 0,
        };
        if SeedWatch::is_seed(report) {
            if !self.plan.scope.contains(to.parts()) {
                return Err(RefuseReason::OutOfScope);
            }
            return self.admit_new(to.parts(), key, task, depth);
        }
        self.admit(to.parts(), key, task, depth)
    }

    pub(crate) fn settle_site_file(
        &mut self,
        report: ErrandReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        self.errands_out -= 1;
        let url = match &report {
            ErrandReport::Robots { errand, .. } => &errand.url,
            ErrandReport::Sitemap { errand, .. } => &errand.url,
        };
        let host = self.host_for(url.parts());
        self.hosts[host].end();
        match report {
            ErrandReport::Robots {
                errand,
                answer,
                retry_after,
            } => {
                self.settle_robots(host, errand, answer, retry_after, now, out);
            }
            ErrandReport::Sitemap {
                errand,
                answer,
                wire_bytes,
            } => {
                self.counts.bytes += wire_bytes;
                self.sitemaps_out -= 1;
                self.levels.remove(0, 1);
                self.settle_sitemap(errand, answer, now, out);
            }
        }
    }

    fn settle_robots(
        &mut self,
        host: usize,
        errand: RobotsErrand,
        answer: RobotsAnswer,
        retry_after: Option<Duration>,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let Some(site) = self.site_named(&errand.origin) else {
            return;
        };
        let origin = errand.origin.to_string();
        let again = errand.attempt < self.plan.max_attempts.max(2) && self.stopped.is_none();
        self.sites[site].robots = match answer {
            RobotsAnswer::Rules(rules) => {
                if self.plan.robots == model::RobotsPolicy::Respect
                    && let Some(pause) = rules.crawl_delay()
                {
                    if let Some(words) = self.hosts[host].slow_to(pause, now) {
                        self.park(host, words, out);
                    }
                    out.push(Delivery::Notice(Notice::CrawlDelay { origin, pause }));
                }
                self.ask_sitemaps_of(site, rules.sitemaps());
                RobotsState::Rules(rules)
            }
            RobotsAnswer::Unavailable(_) | RobotsAnswer::Unreachable(_) if again => {
                let wait = backoff::before_retry(errand.attempt, &mut self.chance)
                    .max(retry_after.unwrap_or_default().min(Duration::from_mins(1)));
                self.errands_waiting += 1;
                self.delayed
                    .push(now + wait, Work::Errand(Errand::Robots(errand)));
                return;
            }
            RobotsAnswer::Unavailable(_) | RobotsAnswer::Unreachable(_)
                if self.plan.robots_errors == RobotsErrors::Allow =>
            {
                self.ask_sitemaps_of(site, &[]);
                RobotsState::Rules(Robots::allow_all())
            }
            RobotsAnswer::Unavailable(failure) => {
                let words = failure.words.clone();
                if self.plan.robots == model::RobotsPolicy::Respect {
                    out.push(Delivery::Notice(Notice::RobotsUnavailable {
                        origin,
                        words,
                    }));
                }
                self.ask_sitemaps_of(site, &[]);
                RobotsState::Unavailable(failure)
            }
            RobotsAnswer::Unreachable(failure) => {
                if self.plan.sitemaps == SitemapPolicy::Only {
                    let (url, words) = (self.plan.seed.to_string(), failure.words.clone());
                    self.seed_watch.set(SeedProblem::Failed { url, words });
                }
                RobotsState::Unreachable(failure)
            }
        };
    }

    /// The sitemaps that robots.txt names, else the usual place. Asked of the seed's host only: another
    /// host's list would be another site's.
    fn ask_sitemaps_of(&mut self, site: usize, named: &[String]) {
        let origin = self.sites[site].origin.clone();
        let on_seed_host = self.hosts[self.sites[site].host].host == self.plan.seed.host_key();
        if self.plan.sitemaps == SitemapPolicy::Skip || !on_seed_host {
            return;
        }
        let named: Vec<CrawlUrl> = named
            .iter()
            .filter_map(|text| CrawlUrl::parse(text).ok())
            .collect();
        if named.is_empty() {
            let usual = CrawlUrl::from_normalised(&format!("{origin}/sitemap.xml"));
            if let Some(url) = usual {
                self.ask_sitemap(url, 1, false);
            }
        }
        for url in named {
            self.ask_sitemap(url, 1, true);
        }
    }

    fn settle_sitemap(
        &mut self,
        errand: SitemapErrand,
        answer: SitemapAnswer,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let url = errand.url.to_string();
        let mut tell = |words: String| {
            out.push(Delivery::Notice(Notice::Sitemap {
                url: url.clone(),
                words,
            }));
        };
        match answer {
            SitemapAnswer::Failed(failure) => {
                let again = failure.kind.retryable()
                    && errand.attempt < self.plan.max_attempts
                    && self.stopped.is_none();
                if again {
                    let wait = backoff::before_retry(errand.attempt, &mut self.chance);
                    self.errands_waiting += 1;
                    self.delayed
                        .push(now + wait, Work::Errand(Errand::Sitemap(errand)));
                    return;
                }
                if errand.named || failure.kind != FailKind::DeadLink {
                    tell(failure.words);
                }
            }
            SitemapAnswer::Read {
                pages,
                sitemaps,
                problem,
            } => {
                problem.into_iter().for_each(&mut tell);
                if errand.level >= MOST_SITEMAP_LEVELS && !sitemaps.is_empty() {
                    tell(format!(
                        "{} sitemaps nested deeper than we read",
                        sitemaps.len()
                    ));
                } else {
                    let level = errand.level + 1;
                    let refused = sitemaps
                        .into_iter()
                        .filter(|url| !self.ask_sitemap(url.clone(), level, true))
                        .count();
                    if refused > 0 {
                        tell(format!("{refused} more sitemaps than we read"));
                    }
                }
                self.admit_listed(&errand.url, &pages);
            }
        }
        self.watch_sitemaps_only();
    }

    fn admit_listed(&mut self, sitemap: &CrawlUrl, pages: &model::LinkList) {
        let depth = u32::from(self.plan.sitemaps != SitemapPolicy::Only);
        let via = sitemap.shared_text();
        for link in pages.iter() {
            let Some(url) = link.parts() else { continue };
            let task = |url| Task {
                url,
                first_met: None,
                depth,
                hops: 0,
                via: Some(Arc::clone(&via)),
                found: Found::Sitemap,
                attempt: 0,
            };
            if let Err(reason) = self.admit(url, link.key, task, depth) {
                self.counts.refuse(reason);
            }
        }
    }

    /// With sitemaps only, no page named means nothing to do: that is worth an error.
    fn watch_sitemaps_only(&mut self) {
        let last = self.errands.is_empty() && self.errands_out == 0 && self.errands_waiting == 0;
        if self.plan.sitemaps == SitemapPolicy::Only && last && self.counts.admitted == 0 {
            let origin = self.plan.seed.origin().to_string();
            self.seed_watch.set(SeedProblem::NoSitemap { origin });
        }
    }
}
