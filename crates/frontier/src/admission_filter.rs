//! The admission rules, for a frontier whose URLs are in a store.
//!
//! The keys remembered here only save work: the store decides whether a URL is new.

use std::collections::{HashMap, HashSet};

use crawler_model::{CrawlRules, RefuseReason};
use crawler_weburl::{CrawlUrl, Origin, ScopeKind, UrlKey, UrlRef};

use crate::rules::{Bounds, MAX_HOSTS, judge};
use crate::seen::Seen;
use crate::traps::Traps;

/// Keys remembered before all are dropped.
const MAX_KNOWN: usize = 200_000;

/// Admits the links of one job.
#[derive(Debug, Default)]
pub struct AdmissionFilter {
    seen: Seen,
    traps: Traps,
    origins: HashSet<Origin>,
    /// Keys that are stored, with their depth.
    known: HashMap<UrlKey, u32>,
}

impl AdmissionFilter {
    /// Admits a URL if the rules allow it; the store decides whether it is new. An admitted URL is remembered and counts
    /// toward the traps' budgets.
    pub fn admit(
        &mut self,
        plan: &CrawlRules,
        url: UrlRef<'_>,
        depth: u32,
        bounds: Bounds,
    ) -> Result<(), RefuseReason> {
        let counts_hosts = plan.scope_kind != ScopeKind::Any;
        let hosts_full = || {
            counts_hosts && self.origins.len() >= MAX_HOSTS && !self.origins.contains(&url.origin())
        };
        let known = (&self.traps, &self.seen);
        let trap_check = judge(plan, known, url, depth, bounds, hosts_full)?;
        if plan.traps {
            self.seen.insert(plan.keys.key(url));
            self.seen.extend(trap_check.without_session);
            self.traps.note(&trap_check);
            if counts_hosts {
                self.origins.insert(url.origin());
            }
        }
        Ok(())
    }

    /// Whether a key is known to be stored, at this depth or a lower one.
    pub fn knows(&self, key: UrlKey, depth: u32) -> bool {
        self.known.get(&key).is_some_and(|known| *known <= depth)
    }

    /// The number of URLs remembered.
    pub fn len(&self) -> usize {
        self.seen.len() + self.known.len()
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

    /// Forgets everything, after something admitted was not stored.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Whether two URLs have the same key, or differ only in a session id that was just assigned.
    pub fn is_same_page(plan: &CrawlRules, from: &CrawlUrl, to: &CrawlUrl) -> bool {
        let keys = &plan.keys;
        if keys.key(from.parts()) == keys.key(to.parts()) {
            return true;
        }
        plan.traps
            && Traps::session_free_key(from.parts(), keys)
                == Traps::session_free_key(to.parts(), keys)
    }
}
