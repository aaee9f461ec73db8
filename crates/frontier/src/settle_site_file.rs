//! Settling site files: robots.txt and sitemaps.

use std::sync::Arc;
use std::time::Duration;

use crawler_model::site_rules::{
    MAX_HOST_PAUSE, MAX_SITE_FILE_REDIRECTS, MAX_SITEMAP_LEVELS, MAX_WAIT, SITE_FILE_ATTEMPTS,
    may_retry,
};
use crawler_model::{
    Discovery, FailKind, Failure, LinkList, Notice, RobotsErrors, RobotsPolicy, SeedProblem,
    SitemapPolicy, Task, counted,
};
use crawler_sitefiles::RobotsFile;
use crawler_weburl::{CrawlUrl, Resolved, Resolver};

use crate::backoff::retry_delay;
use crate::frontier::{Delivery, Moment, Work};
use crate::memory_frontier::MemoryFrontier;
use crate::rules::Bounds;
use crate::settle::Reply;
use crate::site::RobotsState;
use crate::site_file_task::{
    RobotsAnswer, RobotsTask, SiteFileReport, SiteFileResult, SiteFileTask, SitemapAnswer,
    SitemapTask,
};

impl MemoryFrontier {
    pub(crate) fn settle_file(
        &mut self,
        report: SiteFileReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        self.site_files_out -= 1;
        self.counts.bytes += report.wire_bytes;
        let host = self.host_for(report.found.url().parts());
        self.hosts[host].end();
        let reply = Reply {
            status: report.status,
            retry_after: report.retry_after,
            elapsed: report.elapsed,
        };
        match report.found {
            SiteFileResult::Robots(site_file, answer) => {
                let too_long = reply.retry_after.is_some_and(|pause| pause > MAX_WAIT);
                // Nothing else is requested from an origin whose robots.txt stays unavailable.
                if !(too_long && matches!(answer, RobotsAnswer::Unavailable(_))) {
                    self.note_reply(host, &reply, now, out);
                }
                self.settle_robots(host, site_file, answer, reply.retry_after, now, out);
            }
            SiteFileResult::Sitemap(site_file, answer) => {
                self.sitemaps_out -= 1;
                self.levels.remove(0);
                self.note_reply(host, &reply, now, out);
                self.settle_sitemap(site_file, answer, reply.retry_after, now, out);
            }
        }
    }

    fn settle_robots(
        &mut self,
        host: usize,
        mut site_file: RobotsTask,
        answer: RobotsAnswer,
        retry_after: Option<Duration>,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let Some(site) = self.site_named(&site_file.origin) else {
            return;
        };
        let origin = site_file.origin.to_string();
        let respected = self.plan.robots == RobotsPolicy::Respect;
        let attempts = self.plan.max_attempts.max(SITE_FILE_ATTEMPTS);
        let retries = |kind| {
            self.stopped.is_none()
                && self.hosts[host].parked().is_none()
                && may_retry(kind, site_file.attempt, attempts, retry_after, MAX_WAIT)
        };
        let retry = match &answer {
            RobotsAnswer::Unavailable(failure) | RobotsAnswer::Unreachable(failure) => {
                retries(failure.kind)
            }
            RobotsAnswer::Moved(_) | RobotsAnswer::Rules(_) => false,
        };
        self.sites[site].robots = match answer {
            RobotsAnswer::Moved(to) if site_file.hops < MAX_SITE_FILE_REDIRECTS => {
                site_file.url = to;
                site_file.hops += 1;
                site_file.attempt = 0;
                self.site_files.push_front(SiteFileTask::Robots(site_file));
                return;
            }
            // After too many redirects, the file counts as having no rules.
            RobotsAnswer::Moved(_) => {
                self.queue_sitemaps_of(site, &site_file.url, &[]);
                RobotsState::Known(RobotsFile::without_rules())
            }
            RobotsAnswer::Rules(rules) => {
                let pause = rules
                    .crawl_delay()
                    .filter(|pause| respected && !pause.is_zero());
                if let Some(pause) = pause {
                    // The origin's own host: the file may have come from another host by a redirect.
                    let host = self.sites[site].host;
                    if let Some(message) = self.hosts[host].slow_to(pause, now) {
                        self.park(host, message, out);
                    }
                    out.push(Delivery::Notice(Notice::CrawlDelay { origin, pause }));
                }
                self.queue_sitemaps_of(site, &site_file.url, rules.sitemaps());
                RobotsState::Known(RobotsFile::Rules(rules))
            }
            RobotsAnswer::Unavailable(_) | RobotsAnswer::Unreachable(_) if retry => {
                let attempt = site_file.attempt;
                let wait = retry_delay(self.plan.backoff, attempt, retry_after, &mut self.rng);
                self.delayed
                    .push(now + wait, Work::SiteFile(SiteFileTask::Robots(site_file)));
                return;
            }
            RobotsAnswer::Unavailable(_) | RobotsAnswer::Unreachable(_)
                if self.plan.robots_errors == RobotsErrors::Allow =>
            {
                self.queue_sitemaps_of(site, &site_file.url, &[]);
                RobotsState::Known(RobotsFile::without_rules())
            }
            RobotsAnswer::Unavailable(failure) => {
                self.give_up_on(site, &failure, respected, out);
                RobotsState::Known(RobotsFile::Unavailable(failure))
            }
            RobotsAnswer::Unreachable(failure) => {
                if self.plan.sitemaps == SitemapPolicy::Only {
                    let (url, message) = (self.seed.to_string(), failure.message.clone());
                    self.seed_watch.set(SeedProblem::Failed { url, message });
                }
                RobotsState::Known(RobotsFile::Unreachable(failure))
            }
        };
        self.list(site);
    }

    /// Reports an unavailable robots.txt: if it is respected, nothing of its origin is fetched, sitemaps included.
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
                self.queue_sitemaps_of(site, &robots, &[]);
            }
            return;
        }
        let origin = self.sites[site].origin.to_string();
        let message = failure.message.clone();
        if self.plan.sitemaps == SitemapPolicy::Only {
            let message = format!("blocked: robots.txt could not be read ({message})");
            let url = self.seed.to_string();
            self.seed_watch.set(SeedProblem::Robots { url, message });
        }
        out.push(Delivery::Notice(Notice::RobotsUnavailable {
            origin,
            message,
        }));
    }

    /// Queues the sitemaps that robots.txt names, or else `/sitemap.xml`. Only for the seed's host: another
    /// host's sitemaps list another site.
    fn queue_sitemaps_of(&mut self, site: usize, robots: &CrawlUrl, named: &[String]) {
        let origin = self.sites[site].origin.clone();
        let on_seed_host = self.hosts[self.sites[site].host].host == self.seed.host_key();
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
            && let Some(default) = CrawlUrl::from_normalised(&format!("{origin}/sitemap.xml"))
        {
            self.queue_sitemap(default, 1, false);
        }
        for url in named {
            self.queue_sitemap(url, 1, true);
        }
    }

    fn settle_sitemap(
        &mut self,
        mut site_file: SitemapTask,
        answer: SitemapAnswer,
        retry_after: Option<Duration>,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let url = site_file.url.to_string();
        let mut notify = |message: String| {
            let url = url.clone();
            out.push(Delivery::Notice(Notice::Sitemap { url, message }));
        };
        match answer {
            SitemapAnswer::Moved(to) if site_file.hops < MAX_SITE_FILE_REDIRECTS => {
                site_file.url = to;
                site_file.hops += 1;
                site_file.attempt = 0;
                self.levels.add(0);
                self.site_files.push_front(SiteFileTask::Sitemap(site_file));
                return;
            }
            SitemapAnswer::Moved(_) => {
                notify(format!("too many redirects ({MAX_SITE_FILE_REDIRECTS})"));
            }
            SitemapAnswer::Failed(failure) => {
                let (kind, attempt) = (failure.kind, site_file.attempt);
                let retry = may_retry(
                    kind,
                    attempt,
                    self.plan.max_attempts,
                    retry_after,
                    MAX_HOST_PAUSE,
                );
                if retry && self.stopped.is_none() {
                    let wait = retry_delay(self.plan.backoff, attempt, retry_after, &mut self.rng);
                    self.delayed
                        .push(now + wait, Work::SiteFile(SiteFileTask::Sitemap(site_file)));
                    return;
                }
                if site_file.named || failure.kind != FailKind::DeadLink {
                    notify(failure.message);
                }
            }
            SitemapAnswer::Read {
                pages,
                sitemaps,
                problem,
            } => {
                problem.into_iter().for_each(&mut notify);
                if site_file.level >= MAX_SITEMAP_LEVELS && !sitemaps.is_empty() {
                    notify(format!(
                        "{} nested too deeply, not read",
                        counted(sitemaps.len(), "sitemap")
                    ));
                } else {
                    let level = site_file.level + 1;
                    let refused = sitemaps
                        .into_iter()
                        .filter(|url| !self.queue_sitemap(url.clone(), level, true))
                        .count();
                    if refused > 0 {
                        notify(format!(
                            "too many sitemaps; {} not read",
                            counted(refused, "sitemap")
                        ));
                    }
                }
                self.admit_listed(&site_file.url, &pages);
            }
        }
        self.sitemaps_pending -= 1;
        self.check_sitemaps_only();
    }

    fn admit_listed(&mut self, sitemap: &CrawlUrl, pages: &LinkList) {
        let depth = u32::from(self.plan.sitemaps != SitemapPolicy::Only);
        let via = sitemap.shared_text();
        for link in pages.iter() {
            let Some(url) = link.parts() else { continue };
            let task = |url| Task::new(url, Discovery::Sitemap, depth, Some(Arc::clone(&via)));
            if let Err(reason) = self.admit(url, link.key, task, depth, Bounds::All) {
                self.counts.refuse(reason);
            }
        }
    }

    /// With sitemaps only, a crawl whose sitemaps list no page is an error.
    fn check_sitemaps_only(&mut self) {
        let only = self.plan.sitemaps == SitemapPolicy::Only;
        if only && self.sitemaps_pending == 0 && self.counts.admitted == 0 {
            let origin = self.seed.origin().to_string();
            self.seed_watch.set(SeedProblem::NoSitemap { origin });
        }
    }
}
