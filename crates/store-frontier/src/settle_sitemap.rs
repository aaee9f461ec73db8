//! Taking in sitemaps. Their pages count as found on the seed and settle with it.

use crawler_frontier::{
    Bounds, Moment, SiteFileAttempt, SiteFileStep, SitemapFetchResult, SitemapTask,
};
use crawler_model::site_rules::MAX_SITEMAP_LEVELS;
use crawler_model::{Discovery, FailKind, LinkList, SitemapPolicy};
use crawler_store::TaskOutcome;
use crawler_weburl::{CrawlUrl, Origin};

use crate::settle_page::new_task;
use crate::{FrontierStore, StoreFrontier};

impl<S: FrontierStore> StoreFrontier<S> {
    /// Queues the sitemaps of a seed's origin.
    pub(crate) fn queue_sitemaps(&mut self, ticket: u64, origin: &Origin, now: Moment) {
        self.sitemaps.begin(ticket);
        for (url, named) in self.robots.sitemaps(origin) {
            self.sitemaps.queue(ticket, url, 1, named, now);
        }
    }

    pub(crate) fn settle_sitemap(
        &mut self,
        mut site_file: SitemapTask,
        attempt: SiteFileAttempt,
        answer: SitemapFetchResult,
        now: Moment,
    ) {
        let ticket = site_file.ticket;
        self.sitemaps.fetch_ended(ticket);
        match attempt.sitemap_step(answer) {
            SiteFileStep::Follow(to) => {
                site_file.url = to;
                site_file.hops += 1;
                site_file.attempt = 0;
                self.sitemaps.requeue(site_file, now);
            }
            SiteFileStep::Retry => {
                let wait = self.site_file_delay(attempt);
                self.sitemaps.requeue(site_file, now + wait);
            }
            SiteFileStep::Done(Err(failure)) => {
                if site_file.named || failure.kind != FailKind::DeadLink {
                    tracing::info!(
                        host = site_file.url.host_key().as_str(),
                        kind = failure.kind.as_str(),
                        error = failure.message,
                        "sitemap not read"
                    );
                    let problem = format!("{}: {}", site_file.url, failure.message);
                    self.sitemaps.note_problem(ticket, problem);
                }
            }
            SiteFileStep::Done(Ok(content)) => {
                if site_file.level < MAX_SITEMAP_LEVELS {
                    for url in content.sitemaps {
                        self.sitemaps
                            .queue(ticket, url, site_file.level + 1, true, now);
                    }
                }
                self.list(ticket, &site_file.url, &content.pages);
            }
        }
        if let Some((listed, problem)) = self.sitemaps.finished(ticket) {
            self.continue_seed(ticket, listed, problem, now);
        }
    }

    fn list(&mut self, ticket: u64, sitemap: &CrawlUrl, pages: &LinkList) {
        let job_cache = self
            .held
            .get(&ticket)
            .and_then(|held| self.jobs.get_mut(&held.claimed.job));
        let Some(job_cache) = job_cache else { return };
        let Ok(plan) = &job_cache.plan else { return };
        let depth = u32::from(plan.sitemaps != SitemapPolicy::Only);
        for link in pages.iter() {
            // The worker that read the sitemap has matched the scope: not again here, in the loop.
            let Some(url) = link.parts().filter(|_| link.facts.in_scope) else {
                continue;
            };
            if job_cache
                .filter
                .admit(plan, url, depth, Bounds::LISTED.in_scope(), None)
                .is_err()
            {
                continue;
            }
            let mut task = new_task(url, plan, depth);
            task.via = Some(sitemap.to_string());
            task.found = Discovery::Sitemap;
            if !self.sitemaps.list(ticket, task) {
                return;
            }
        }
    }

    /// Continues with the seed itself once all its sitemaps are read, or finishes it.
    fn continue_seed(
        &mut self,
        ticket: u64,
        listed: Vec<crawler_store::NewTask>,
        problem: Option<String>,
        now: Moment,
    ) {
        let Some(held) = self.held.get_mut(&ticket) else {
            return;
        };
        let plan = self.jobs.get(&held.claimed.job);
        let plan = plan.and_then(|job_cache| job_cache.plan.as_ref().ok());
        let only = plan.is_some_and(|plan| plan.sitemaps == SitemapPolicy::Only);
        let names_seed = listed
            .iter()
            .any(|task| task.final_url == held.claimed.final_url);
        if !only || names_seed {
            held.listed = Some(listed);
            self.ready.insert((now, ticket));
        } else if listed.is_empty() {
            let outcome = TaskOutcome::Failed {
                kind: FailKind::DeadLink,
                error: match problem {
                    Some(problem) => {
                        format!("no sitemap lists a page of this site ({problem})")
                    }
                    None => "no sitemap lists a page of this site".to_owned(),
                },
                bytes: 0,
            };
            self.conclude(ticket, outcome, now);
        } else {
            // The seed is only used to find the sitemaps.
            let outcome = TaskOutcome::Skipped {
                reason: "sitemaps_only".to_owned(),
                detail: "only pages listed in sitemaps are visited".to_owned(),
            };
            held.listed = Some(listed);
            self.conclude(ticket, outcome, now);
        }
    }
}
