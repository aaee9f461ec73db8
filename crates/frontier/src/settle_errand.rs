//! The way back: taking in a site's own files.

use std::sync::Arc;
use std::time::Duration;

use model::{
    FailKind, Failure, Found, LinkList, Notice, RobotsErrors, RobotsPolicy, SeedProblem,
    SitemapPolicy, Task,
};
use sitefiles::Robots;
use weburl::{CrawlUrl, Resolved, Resolver};

use crate::backoff;
use crate::errand::{
    Errand, ErrandFound, ErrandReport, RobotsAnswer, RobotsErrand, SitemapAnswer, SitemapErrand,
};
use crate::frontier::{Delivery, Moment, Work};
use crate::memory_frontier::MemoryFrontier;
use crate::rules::Bounds;
use crate::settle::Reply;
use crate::site::RobotsState;

/// Deepest sitemap that is read: an index of indexes, and their files.
const MOST_SITEMAP_LEVELS: u32 = 3;
/// Redirects followed for a site's own file, as RFC 9309 asks.
const MOST_HOPS: u32 = 5;
/// Longest pause after which robots.txt is asked for again. Asked to wait for longer, we do without the
/// file rather than hold everything up.
const LONGEST_WAIT_FOR_ROBOTS: Duration = Duration::from_mins(1);

impl MemoryFrontier {
    pub(crate) fn settle_site_file(
        &mut self,
        report: ErrandReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        self.errands_out -= 1;
        self.counts.bytes += report.wire_bytes;
        let host = self.host_for(report.found.url().parts());
        self.hosts[host].end();
        let reply = Reply {
            status: report.status,
            retry_after: report.retry_after,
            elapsed: report.elapsed,
        };
        match report.found {
            ErrandFound::Robots(errand, answer) => {
                let too_long = reply
                    .retry_after
                    .is_some_and(|asked| asked > LONGEST_WAIT_FOR_ROBOTS);
                // An origin whose robots.txt stays out of reach is not asked for anything else.
                if !(too_long && matches!(answer, RobotsAnswer::Unavailable(_))) {
                    self.note_reply(host, &reply, now, out);
                }
                self.settle_robots(host, errand, answer, reply.retry_after, now, out);
            }
            ErrandFound::Sitemap(errand, answer) => {
                self.sitemaps_out -= 1;
                self.levels.remove(0);
                self.note_reply(host, &reply, now, out);
                self.settle_sitemap(errand, answer, reply.retry_after, now, out);
            }
        }
    }

    fn settle_robots(
        &mut self,
        host: usize,
        mut errand: RobotsErrand,
        answer: RobotsAnswer,
        retry_after: Option<Duration>,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let Some(site) = self.site_named(&errand.origin) else {
            return;
        };
        let origin = errand.origin.to_string();
        let respected = self.plan.robots == RobotsPolicy::Respect;
        let again = errand.attempt < self.plan.max_attempts.max(2)
            && retry_after.is_none_or(|asked| asked <= LONGEST_WAIT_FOR_ROBOTS)
            && self.stopped.is_none();
        self.sites[site].robots = match answer {
            RobotsAnswer::Moved(to) if errand.hops < MOST_HOPS => {
                errand.url = to;
                errand.hops += 1;
                errand.attempt = 0;
                self.errands.push_front(Errand::Robots(errand));
                return;
            }
            // More redirects may be taken as "no rules".
            RobotsAnswer::Moved(_) => {
                self.ask_sitemaps_of(site, &errand.url, &[]);
                RobotsState::Rules(Robots::allow_all())
            }
            RobotsAnswer::Rules(rules) => {
                let pause = rules
                    .crawl_delay()
                    .filter(|pause| respected && !pause.is_zero());
                if let Some(pause) = pause {
                    // The origin's own host: a redirect may have led to another's file.
                    let host = self.sites[site].host;
                    if let Some(words) = self.hosts[host].slow_to(pause, now) {
                        self.park(host, words, out);
                    }
                    out.push(Delivery::Notice(Notice::CrawlDelay { origin, pause }));
                }
                self.ask_sitemaps_of(site, &errand.url, rules.sitemaps());
                RobotsState::Rules(rules)
            }
            RobotsAnswer::Unavailable(_) | RobotsAnswer::Unreachable(_)
                if again && self.hosts[host].parked().is_none() =>
            {
                let wait =
                    backoff::before_retry(self.plan.backoff, errand.attempt, &mut self.chance)
                        .max(retry_after.unwrap_or_default());
                self.delayed
                    .push(now + wait, Work::Errand(Errand::Robots(errand)));
                return;
            }
            RobotsAnswer::Unavailable(_) | RobotsAnswer::Unreachable(_)
                if self.plan.robots_errors == RobotsErrors::Allow =>
            {
                self.ask_sitemaps_of(site, &errand.url, &[]);
                RobotsState::Rules(Robots::allow_all())
            }
            RobotsAnswer::Unavailable(failure) => {
                self.give_up_on(site, &failure, respected, out);
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
        self.list(site);
    }

    /// robots.txt answers with errors: nothing of its origin is fetched, sitemaps included.
    fn give_up_on(
        &mut self,
        site: usize,
        failure: &Failure,
        respected: bool,
        out: &mut Vec<Delivery>,
    ) {
        if !respected {
            let robots =
                CrawlUrl::from_normalised(&format!("{}/robots.txt", self.sites[site].origin));
            if let Some(robots) = robots {
                self.ask_sitemaps_of(site, &robots, &[]);
            }
            return;
        }
        let origin = self.sites[site].origin.to_string();
        let words = failure.words.clone();
        if self.plan.sitemaps == SitemapPolicy::Only {
            let words = format!("blocked: robots.txt could not be read ({words})");
            let url = self.plan.seed.to_string();
            self.seed_watch.set(SeedProblem::Robots { url, words });
        }
        out.push(Delivery::Notice(Notice::RobotsUnavailable {
            origin,
            words,
        }));
    }

    /// The sitemaps that robots.txt names, else the usual place. Asked of the seed's host only: another
    /// host's list would be another site's.
    fn ask_sitemaps_of(&mut self, site: usize, robots: &CrawlUrl, named: &[String]) {
        let origin = self.sites[site].origin.clone();
        let on_seed_host = self.hosts[self.sites[site].host].host == self.plan.seed.host_key();
        if self.plan.sitemaps == SitemapPolicy::Skip || !on_seed_host {
            return;
        }
        let resolver = Resolver::new(robots);
        let named: Vec<CrawlUrl> = named
            .iter()
            .filter_map(|text| {
                let mut url = String::new();
                match resolver.resolve(text, &mut url) {
                    Resolved::Web(url) => CrawlUrl::from_normalised(url.as_str()),
                    _ => None,
                }
            })
            .collect();
        if named.is_empty()
            && let Some(usual) = CrawlUrl::from_normalised(&format!("{origin}/sitemap.xml"))
        {
            self.ask_sitemap(usual, 1, false);
        }
        for url in named {
            self.ask_sitemap(url, 1, true);
        }
    }

    fn settle_sitemap(
        &mut self,
        mut errand: SitemapErrand,
        answer: SitemapAnswer,
        retry_after: Option<Duration>,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let url = errand.url.to_string();
        let mut tell = |words: String| {
            let url = url.clone();
            out.push(Delivery::Notice(Notice::Sitemap { url, words }));
        };
        match answer {
            SitemapAnswer::Moved(to) if errand.hops < MOST_HOPS => {
                errand.url = to;
                errand.hops += 1;
                errand.attempt = 0;
                self.levels.add(0);
                self.errands.push_front(Errand::Sitemap(errand));
                return;
            }
            SitemapAnswer::Moved(_) => tell(format!("too many redirects ({MOST_HOPS})")),
            SitemapAnswer::Failed(failure) => {
                let again = failure.kind.retryable()
                    && errand.attempt < self.plan.max_attempts
                    && self.stopped.is_none();
                if again {
                    let wait =
                        backoff::before_retry(self.plan.backoff, errand.attempt, &mut self.chance)
                            .max(retry_after.unwrap_or_default());
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
        self.sitemaps_pending -= 1;
        self.watch_sitemaps_only();
    }

    fn admit_listed(&mut self, sitemap: &CrawlUrl, pages: &LinkList) {
        let depth = u32::from(self.plan.sitemaps != SitemapPolicy::Only);
        let via = sitemap.shared_text();
        for link in pages.iter() {
            let Some(url) = link.parts() else { continue };
            let task = |url| Task::new(url, Found::Sitemap, depth, Some(Arc::clone(&via)));
            if let Err(reason) = self.admit(url, link.key, task, depth, Bounds::All) {
                self.counts.refuse(reason);
            }
        }
    }

    /// With sitemaps only, no page named means nothing to do: that is worth an error.
    fn watch_sitemaps_only(&mut self) {
        let only = self.plan.sitemaps == SitemapPolicy::Only;
        if only && self.sitemaps_pending == 0 && self.counts.admitted == 0 {
            let origin = self.plan.seed.origin().to_string();
            self.seed_watch.set(SeedProblem::NoSitemap { origin });
        }
    }
}
