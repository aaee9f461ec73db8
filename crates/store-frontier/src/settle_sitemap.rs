//! The way back: taking in sitemaps. Their pages are found on the seed, and settle with it.

use std::time::Duration;

use frontier::{Bounds, Moment, SitemapAnswer, SitemapErrand, before_retry};
use model::{FailKind, Found, LinkList, SitemapPolicy};
use store::{Store, Verdict};
use weburl::{CrawlUrl, Resolved, Resolver};

use crate::StoreFrontier;
use crate::settle_page::new_task;

/// Deepest sitemap that is read: an index of indexes, and their files.
const MOST_LEVELS: u32 = 3;
/// Redirects followed for a sitemap.
const MOST_HOPS: u32 = 5;
/// Attempts at one file.
const ATTEMPTS: u32 = 2;
/// Longest pause after which it is asked for again.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

impl<S: Store> StoreFrontier<S> {
    /// Sends for a seed's sitemaps: those its robots.txt names, else the usual place.
    pub(crate) fn ask_sitemaps(&mut self, ticket: u64, named: &[String], now: Moment) {
        let Some(held) = self.held.get(&ticket) else {
            return;
        };
        let robots = held.url.at_path("/robots.txt");
        let resolver = Resolver::new(&robots);
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
        self.sitemaps.begin(ticket);
        if named.is_empty() {
            let usual = held.url.at_path("/sitemap.xml");
            self.sitemaps.ask(ticket, usual, 1, false, now);
        }
        for url in named {
            self.sitemaps.ask(ticket, url, 1, true, now);
        }
    }

    pub(crate) fn settle_sitemap(
        &mut self,
        mut errand: SitemapErrand,
        answer: SitemapAnswer,
        retry_after: Option<Duration>,
        now: Moment,
    ) {
        let ticket = errand.ticket;
        self.sitemaps.back(ticket);
        match answer {
            SitemapAnswer::Moved(to) if errand.hops < MOST_HOPS => {
                errand.url = to;
                errand.hops += 1;
                errand.attempt = 0;
                self.sitemaps.ask_again(errand, now);
            }
            SitemapAnswer::Moved(_) => (),
            SitemapAnswer::Failed(failure) => {
                let patient = retry_after.is_none_or(|asked| asked <= LONGEST_WAIT);
                if failure.kind.retryable() && errand.attempt < ATTEMPTS && patient {
                    let wait =
                        before_retry(self.errand_plan.backoff, errand.attempt, &mut self.chance)
                            .max(retry_after.unwrap_or_default());
                    self.sitemaps.ask_again(errand, now + wait);
                }
            }
            SitemapAnswer::Read {
                pages, sitemaps, ..
            } => {
                if errand.level < MOST_LEVELS {
                    for url in sitemaps {
                        self.sitemaps.ask(ticket, url, errand.level + 1, true, now);
                    }
                }
                self.list(ticket, &errand.url, &pages);
            }
        }
        if let Some(listed) = self.sitemaps.finished(ticket) {
            self.go_on(ticket, listed, now);
        }
    }

    fn list(&mut self, ticket: u64, sitemap: &CrawlUrl, pages: &LinkList) {
        let desk = self
            .held
            .get(&ticket)
            .and_then(|held| self.jobs.get_mut(&held.claimed.job));
        let Some(desk) = desk else { return };
        let Ok(plan) = &desk.plan else { return };
        let depth = u32::from(plan.sitemaps != SitemapPolicy::Only);
        for link in pages.iter() {
            let Some(url) = link.parts() else { continue };
            if desk.links.pass(plan, url, depth, Bounds::All).is_err() {
                continue;
            }
            let mut task = new_task(url, plan, depth);
            task.via = Some(sitemap.to_string());
            task.found = Found::Sitemap;
            if !self.sitemaps.list(ticket, task) {
                return;
            }
        }
    }

    /// All sitemaps of a seed are read: the seed itself is next, or is finished.
    fn go_on(&mut self, ticket: u64, listed: Vec<store::NewTask>, now: Moment) {
        let Some(held) = self.held.get_mut(&ticket) else {
            return;
        };
        let plan = self.jobs.get(&held.claimed.job);
        let plan = plan.and_then(|desk| desk.plan.as_ref().ok());
        let only = plan.is_some_and(|plan| plan.sitemaps == SitemapPolicy::Only);
        let names_seed = listed
            .iter()
            .any(|task| task.final_url == held.claimed.final_url);
        if !only || names_seed {
            held.listed = Some(listed);
            self.ready.insert((now, ticket));
        } else if listed.is_empty() {
            let verdict = Verdict::Failed {
                kind: FailKind::DeadLink,
                error: "no sitemap names a page of this site".to_owned(),
                bytes: 0,
            };
            self.conclude(ticket, verdict, now);
        } else {
            // The seed only says where the sitemaps are.
            let verdict = Verdict::Skipped {
                reason: "sitemaps_only".to_owned(),
                detail: "only the pages that sitemaps name are visited".to_owned(),
            };
            held.listed = Some(listed);
            self.conclude(ticket, verdict, now);
        }
    }
}
