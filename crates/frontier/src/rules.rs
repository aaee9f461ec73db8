//! The admission rules, in their one order; whether a URL is new is checked elsewhere, before or after.

use crawler_model::{CrawlRules, RefuseReason};
use crawler_weburl::{ScopeVerdict, UrlRef};

use crate::seen::Seen;
use crate::traps::{Sighting, Traps};

/// Limit on the origins (hosts and their ports) that are followed while traps are refused.
pub(crate) const MAX_HOSTS: usize = 100;

/// Which part of the scope applies to a URL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bounds {
    /// All of it.
    All,
    /// Its outline alone: where the seed redirects to is the seed, whatever the patterns say.
    Outline,
}

/// Scope, include and exclude, kinds of files, depth, traps. Changes nothing.
pub(crate) fn judge(
    plan: &CrawlRules,
    (traps, seen): (&Traps, &Seen),
    url: UrlRef<'_>,
    depth: u32,
    bounds: Bounds,
    hosts_full: impl FnOnce() -> bool,
) -> Result<Sighting, RefuseReason> {
    match (plan.scope.verdict(url), bounds) {
        (ScopeVerdict::In, _)
        | (ScopeVerdict::Excluded | ScopeVerdict::NotIncluded, Bounds::Outline) => (),
        (ScopeVerdict::Outside, _) => return Err(RefuseReason::OutOfScope),
        (ScopeVerdict::Excluded, Bounds::All) => return Err(RefuseReason::Excluded),
        (ScopeVerdict::NotIncluded, Bounds::All) => return Err(RefuseReason::NotIncluded),
    }
    if bounds == Bounds::All && has_ending(url, &plan.blocked_extensions) {
        return Err(RefuseReason::BlockedExtension);
    }
    if plan.limits.depth.is_some_and(|most| depth > most) {
        return Err(RefuseReason::TooDeep);
    }
    if !plan.traps {
        return Ok(Sighting::default());
    }
    if hosts_full() {
        return Err(RefuseReason::TrapHosts);
    }
    traps.look(url, &plan.keys, seen)
}

/// Whether the path's last segment ends in one of these.
fn has_ending(url: UrlRef<'_>, endings: &[String]) -> bool {
    if endings.is_empty() {
        return false;
    }
    let name = url.path().rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(_, ending)| {
        endings
            .iter()
            .any(|blocked| blocked.eq_ignore_ascii_case(ending))
    })
}
