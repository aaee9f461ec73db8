//! Settling site files: robots.txt and sitemaps.

use std::sync::Arc;
use std::time::Duration;

use crawler_model::site_rules::{MAX_HOST_PAUSE, MAX_SITEMAP_LEVELS, SITE_FILE_ATTEMPTS};
use crawler_model::{
    Discovery, FailKind, Failure, LinkList, Notice, RobotsPolicy, SeedProblem, SitemapPolicy, Task,
    counted,
};
use crawler_sitefiles::{KnownRobots, RobotsDelay, RobotsFetch, RobotsFile};
use crawler_weburl::CrawlUrl;

use crate::backoff::retry_delay;
use crate::frontier::{Delivery, Moment, Work};
use crate::host_response::HostResponse;
use crate::memory_frontier::MemoryFrontier;
use crate::rules::Bounds;
use crate::site::RobotsState;
use crate::site_file_attempt::{SiteFileAttempt, SiteFileStep, sitemaps_of};
use crate::site_file_task::{
    RobotsFetchResult, RobotsTask, SiteFileReport, SiteFileResult, SiteFileTask,
    SitemapFetchResult, SitemapTask,
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
        let response = HostResponse::new(report.status, report.retry_after, report.elapsed);
        if let Some(response) = response {
            self.note_response(host, response, now, out);
        }
        let attempt = SiteFileAttempt {
            attempt: 0,
            max_attempts: self.plan.max_attempts,
            hops: 0,
            retry_after: report.retry_after,
            may_continue: self.stopped.is_none() && self.hosts[host].parked().is_none(),
        };
        match report.found {
            SiteFileResult::Robots(site_file, answer) => {
                let attempt = SiteFileAttempt {
                    attempt: site_file.attempt,
                    max_attempts: self.plan.max_attempts.max(SITE_FILE_ATTEMPTS),
                    hops: site_file.hops,
                    ..attempt
                };
                self.settle_robots(site_file, attempt, answer, now, out);
            }
            SiteFileResult::Sitemap(site_file, answer) => {
                self.sitemaps_out -= 1;
                self.levels.remove(0);
                let attempt = SiteFileAttempt {
                    attempt: site_file.attempt,
                    hops: site_file.hops,
                    ..attempt
                };
                self.settle_sitemap(site_file, attempt, answer, now, out);
            }
        }
    }

    fn settle_robots(
        &mut self,
        mut site_file: RobotsTask,
        attempt: SiteFileAttempt,
        answer: RobotsFetchResult,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let Some(site) = self.site_named(&site_file.origin) else {
            return;
        };
        let file = match attempt.robots_step(answer) {
            SiteFileStep::Follow(to) => {
                site_file.url = to;
                site_file.hops += 1;
                site_file.attempt = 0;
                self.site_files.push_front(SiteFileTask::Robots(site_file));
                return;
            }
            SiteFileStep::Retry => {
                let wait = self.retry_delay(attempt);
                self.delayed
                    .push(now + wait, Work::SiteFile(SiteFileTask::Robots(site_file)));
                return;
            }
            SiteFileStep::Done(file) => file,
        };
        let fetch = RobotsFetch::now(file, attempt.retry_after);
        let known = self.known_robots(site, fetch, now);
        self.sites[site].robots = RobotsState::Known(known);
        self.list(site);
        self.use_robots(site, now, out);
    }

    /// What is known about a site's robots.txt after a fetch.
    fn known_robots(&mut self, site: usize, fetch: RobotsFetch, now: Moment) -> KnownRobots {
        let robots = &mut self.sites[site].robots;
        let before = match std::mem::replace(robots, RobotsState::Unknown) {
            RobotsState::Unknown => None,
            RobotsState::Requested(before) => before,
            RobotsState::Known(known) => Some(known),
        };
        if self.plan.robots == RobotsPolicy::Ignore {
            // It was read only for the sitemaps it names.
            return KnownRobots::forever(fetch.file);
        }
        let (now, lifetime) = (self.robots_time(now), self.plan.robots_lifetime);
        KnownRobots::after(fetch, before, now, lifetime)
    }

    /// Applies the delay of a site's robots.txt, queues its sitemaps, and reports a file that blocks its origin.
    fn use_robots(&mut self, site: usize, now: Moment, out: &mut Vec<Delivery>) {
        let RobotsState::Known(known) = &self.sites[site].robots else {
            return;
        };
        let file = known.file().clone();
        let respected = self.plan.robots == RobotsPolicy::Respect;
        let blocks_all = self.sites[site].blocks_all(&self.plan);
        match &file {
            RobotsFile::Unavailable(failure) if blocks_all => {
                self.report_unavailable(site, failure, out);
            }
            RobotsFile::Unreachable(failure) if blocks_all || !respected => {
                if self.plan.sitemaps == SitemapPolicy::Only {
                    let (url, message) = (self.seed.to_string(), failure.message.clone());
                    self.seed_watch.set(SeedProblem::Failed { url, message });
                }
            }
            _ => self.queue_sitemaps_of(site, &file),
        }
        if !respected {
            return;
        }
        let origin = self.sites[site].origin.to_string();
        // The origin's own host: the file may have come from another host by a redirect.
        let host = self.sites[site].host;
        match file.delay(self.plan.crawl_delay, MAX_HOST_PAUSE) {
            RobotsDelay::None => (),
            RobotsDelay::Wait(pause) => {
                self.hosts[host].slow_to(pause, now);
                out.push(Delivery::Notice(Notice::CrawlDelay { origin, pause }));
            }
            RobotsDelay::TooLong(pause) => {
                let message = RobotsDelay::message(pause);
                if self.hosts[host].park(&message) {
                    self.park(host, message, out);
                }
                out.push(Delivery::Notice(Notice::CrawlDelay { origin, pause }));
            }
        }
    }

    /// Reports an unavailable robots.txt that blocks its origin, sitemaps included.
    fn report_unavailable(&mut self, site: usize, failure: &Failure, out: &mut Vec<Delivery>) {
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

    /// Queues a site's sitemaps. Only for the seed's host: another host's sitemaps list another site.
    fn queue_sitemaps_of(&mut self, site: usize, file: &RobotsFile) {
        let on_seed_host = self.hosts[self.sites[site].host].host == self.seed.host_key();
        if self.plan.sitemaps == SitemapPolicy::Skip || !on_seed_host {
            return;
        }
        for (url, named) in sitemaps_of(&self.sites[site].origin, file) {
            self.queue_sitemap(url, 1, named);
        }
    }

    /// The wait before another attempt at a site file.
    fn retry_delay(&mut self, attempt: SiteFileAttempt) -> Duration {
        let backoff = self.plan.backoff;
        retry_delay(backoff, attempt.attempt, attempt.retry_after, &mut self.rng)
    }

    fn settle_sitemap(
        &mut self,
        mut site_file: SitemapTask,
        attempt: SiteFileAttempt,
        answer: SitemapFetchResult,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) {
        let url = site_file.url.to_string();
        let mut notify = |message: String| {
            let url = url.clone();
            out.push(Delivery::Notice(Notice::Sitemap { url, message }));
        };
        match attempt.sitemap_step(answer) {
            SiteFileStep::Follow(to) => {
                site_file.url = to;
                site_file.hops += 1;
                site_file.attempt = 0;
                self.levels.add(0);
                self.site_files.push_front(SiteFileTask::Sitemap(site_file));
                return;
            }
            SiteFileStep::Retry => {
                let wait = self.retry_delay(attempt);
                self.delayed
                    .push(now + wait, Work::SiteFile(SiteFileTask::Sitemap(site_file)));
                return;
            }
            SiteFileStep::Done(Err(failure)) => {
                if site_file.named || failure.kind != FailKind::DeadLink {
                    notify(failure.message);
                }
            }
            SiteFileStep::Done(Ok(content)) => {
                content.problem.into_iter().for_each(&mut notify);
                let sitemaps = content.sitemaps;
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
                self.admit_listed(&site_file.url, &content.pages);
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
            if let Err(reason) = self.admit(url, link.key, task, depth, Bounds::LISTED, None) {
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
