//! The admission rules, for a frontier whose URLs are in a store.
//!
//! The keys remembered here only save work: the store decides whether a URL is new, and counts each refused one once.

use std::collections::{HashMap, HashSet};

use crawler_model::{CrawlRules, PageReport, RefuseReason, Task};
use crawler_weburl::{CrawlUrl, Origin, UrlKey, UrlRef};

use crate::rules::{Bounds, MAX_ORIGINS, judge, limits_origins};
use crate::seen::Seen;
use crate::traps::{PageEvidence, Traps};

/// Keys remembered before all are dropped.
const MAX_KNOWN: usize = 200_000;

/// Refused URLs remembered for each reason before all are dropped.
const MAX_REFUSED: usize = 100_000;

/// A page whose links are admitted, and what they tell about it.
#[derive(Debug)]
pub struct LinkSource(Option<PageEvidence>);

/// Admits the links of one job.
#[derive(Debug, Default)]
pub struct AdmissionFilter {
    seen: Seen,
    traps: Traps,
    origins: HashSet<Origin>,
    /// Keys that are stored, with their depth.
    known: HashMap<UrlKey, u32>,
    /// Keys that were refused, by reason.
    refused: HashMap<RefuseReason, HashSet<UrlKey>>,
}

impl AdmissionFilter {
    /// Admits a URL if the rules allow it; the store decides whether it is new. `source`: the page that it was found on.
    pub fn admit(
        &mut self,
        plan: &CrawlRules,
        url: UrlRef<'_>,
        depth: u32,
        bounds: Bounds,
        source: Option<&mut LinkSource>,
    ) -> Result<(), RefuseReason> {
        let source = source.and_then(|source| source.0.as_mut());
        let is_excess_origin =
            || self.origins.len() >= MAX_ORIGINS && !self.origins.contains(&url.origin());
        // A URL that was admitted before is no duplicate of itself.
        let is_link = !bounds.is_listed() && !bounds.is_of_seed();
        let bounds = if is_link && plan.traps && self.seen.contains(plan.keys.key(url)) {
            bounds.without_traps()
        } else {
            bounds
        };
        let known = (&self.traps, &self.seen);
        let evidence = source.as_deref();
        let trap_check = judge(plan, known, url, depth, bounds, evidence, is_excess_origin)?;
        if plan.traps {
            let key = plan.keys.key(url);
            let is_new = self.seen.insert(key);
            self.seen.extend(trap_check.without_session);
            // A URL that was found before tells nothing about the page it is on.
            if is_new {
                self.traps.note(key, &trap_check, source);
            }
            if limits_origins(plan) {
                self.origins.insert(url.origin());
            }
        }
        Ok(())
    }

    /// Starts to collect what the links of a fetched page tell about it.
    pub fn source(&mut self, plan: &CrawlRules, report: &PageReport) -> LinkSource {
        LinkSource(if plan.traps {
            self.traps.evidence(report, &plan.keys, &self.seen)
        } else {
            None
        })
    }

    /// Starts to collect what a redirect tells.
    pub fn redirect_source(
        &self,
        plan: &CrawlRules,
        report: &PageReport,
        to: &CrawlUrl,
    ) -> LinkSource {
        LinkSource(if plan.traps {
            self.traps.redirect_evidence(report, to.parts(), &plan.keys)
        } else {
            None
        })
    }

    /// Takes in a redirect after its target.
    pub fn take_in_redirect(
        &mut self,
        plan: &CrawlRules,
        to: &CrawlUrl,
        source: LinkSource,
        refused: Option<RefuseReason>,
    ) {
        if let Some(evidence) = source.0 {
            let refused = refused.or(evidence.is_end().then_some(RefuseReason::Seen));
            let key = plan.keys.key(to.parts());
            self.traps.take_in_redirect(&evidence, key, refused);
        }
    }

    /// Takes in a fetched page after its links.
    pub fn take_in(&mut self, plan: &CrawlRules, report: &PageReport, source: LinkSource) {
        if let Some(evidence) = source.0 {
            self.traps.take_in(report, evidence, &plan.keys, &self.seen);
        }
    }

    /// Whether a refusal is to be reported: it is the first one of this URL for this reason, as far as is remembered.
    pub fn is_first_refusal(&mut self, key: UrlKey, reason: RefuseReason) -> bool {
        let refused = self.refused.entry(reason).or_default();
        if refused.len() >= MAX_REFUSED {
            if reason == RefuseReason::TooDeep {
                // Fewer are counted, and most pages of the last level have some.
                return false;
            }
            refused.clear();
        }
        refused.insert(key)
    }

    /// Prepares a task for its start, or returns why it is a trap.
    pub fn start(&mut self, plan: &CrawlRules, task: &mut Task) -> Result<(), RefuseReason> {
        if !plan.traps {
            return Ok(());
        }
        if let Some(reason) = self.traps.refusal_at_start(task, &plan.keys, &self.seen) {
            return Err(reason);
        }
        task.wants_text = self.traps.wants_text(task, &plan.keys);
        Ok(())
    }

    /// Whether a key is known to be stored, at this depth or a lower one.
    pub fn knows(&self, key: UrlKey, depth: u32) -> bool {
        self.known.get(&key).is_some_and(|known| *known <= depth)
    }

    /// The number of URLs remembered.
    pub fn len(&self) -> usize {
        let refused: usize = self.refused.values().map(HashSet::len).sum();
        self.seen.len() + self.known.len() + self.traps.len() + refused
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Records that a key is stored at this depth.
    pub fn keep(&mut self, key: UrlKey, depth: u32) {
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        let known = self.known.entry(key).or_insert(depth);
        *known = depth.min(*known);
    }

    /// Forgets what was admitted, after something of it was not stored.
    pub fn forget(&mut self) {
        let mut traps = std::mem::take(&mut self.traps);
        traps.forget_admitted();
        *self = Self {
            traps,
            ..Self::default()
        };
    }

    /// Whether two URLs have the same key, or differ only in a session id that was just assigned.
    pub fn is_same_page(plan: &CrawlRules, from: &CrawlUrl, to: &CrawlUrl) -> bool {
        let keys = &plan.keys;
        if keys.key(from.parts()) == keys.key(to.parts()) {
            return true;
        }
        plan.traps && Traps::plain_key(from.parts(), keys) == Traps::plain_key(to.parts(), keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_is_reported_once() {
        let mut filter = AdmissionFilter::default();
        let reasons = [RefuseReason::TrapQuery, RefuseReason::TooDeep];
        let mut report = || {
            let keys = (0..2_000).map(UrlKey);
            let reported =
                keys.map(|key| reasons.map(|reason| filter.is_first_refusal(key, reason)));
            reported.flatten().filter(|is_first| *is_first).count()
        };
        assert_eq!(report(), 4_000);
        assert_eq!(report(), 0);
    }
}
