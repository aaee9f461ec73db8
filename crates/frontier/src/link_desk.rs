//! The rules of the way in, for a frontier that keeps its URLs elsewhere.
//!
//! What is remembered here only spares work: the last question, whether a URL is new, is the keeper's.

use std::collections::{HashMap, HashSet};

use model::{CrawlPlan, RefuseReason};
use weburl::{CrawlUrl, Origin, ScopeKind, UrlKey, UrlRef};

use crate::rules::{Bounds, MOST_HOSTS, judge};
use crate::seen::Seen;
use crate::traps::Traps;

/// Keys remembered before all are forgotten.
const MOST_KNOWN: usize = 200_000;

/// One job's way in.
#[derive(Debug, Default)]
pub struct LinkDesk {
    seen: Seen,
    traps: Traps,
    origins: HashSet<Origin>,
    /// Kept at this depth.
    known: HashMap<UrlKey, u32>,
}

impl LinkDesk {
    /// Whether a URL may come in, if it is new. What comes in counts towards the traps' budgets.
    pub fn pass(
        &mut self,
        plan: &CrawlPlan,
        url: UrlRef<'_>,
        depth: u32,
        bounds: Bounds,
    ) -> Result<(), RefuseReason> {
        let counts_hosts = plan.scope_kind != ScopeKind::Any;
        let hosts_full = || {
            counts_hosts
                && self.origins.len() >= MOST_HOSTS
                && !self.origins.contains(&url.origin())
        };
        let known = (&self.traps, &self.seen);
        let sighting = judge(plan, known, url, depth, bounds, hosts_full)?;
        if plan.traps {
            self.seen.insert(plan.keys.key(url));
            self.seen.extend(sighting.without_session);
            self.traps.note(&sighting);
            if counts_hosts {
                self.origins.insert(url.origin());
            }
        }
        Ok(())
    }

    /// Whether the keeper has it already, as near to the seed as this.
    pub fn knows(&self, key: UrlKey, depth: u32) -> bool {
        self.known.get(&key).is_some_and(|known| *known <= depth)
    }

    /// URLs remembered, for whoever has to bound them.
    pub fn len(&self) -> usize {
        self.seen.len() + self.known.len()
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The keeper has it.
    pub fn keep(&mut self, key: UrlKey, depth: u32) {
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        let known = self.known.entry(key).or_insert(depth);
        *known = depth.min(*known);
    }

    /// Something that passed did not reach the keeper: nothing is taken for known any more.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The same key, or the same but for a session id that was just handed out.
    pub fn is_same_page(plan: &CrawlPlan, from: &CrawlUrl, to: &CrawlUrl) -> bool {
        let keys = &plan.keys;
        if keys.key(from.parts()) == keys.key(to.parts()) {
            return true;
        }
        plan.traps
            && Traps::session_free_key(from.parts(), keys)
                == Traps::session_free_key(to.parts(), keys)
    }
}
