//! The rules a URL passes on its way in, in their one order; whether it is new is asked elsewhere, before or after.

use model::{CrawlPlan, RefuseReason};
use weburl::{UrlRef, Verdict};

use crate::seen::Seen;
use crate::traps::{Sighting, Traps};

/// Most origins (hosts and their ports) that are followed while traps are refused.
pub(crate) const MOST_HOSTS: usize = 100;

/// How much of the scope a URL is held to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bounds {
    /// All of it.
    All,
    /// Its outline alone: where the seed redirects to is the seed, whatever the patterns say.
    Outline,
}

/// Scope, include and exclude, kinds of files, depth, traps. Changes nothing.
pub(crate) fn judge(
    plan: &CrawlPlan,
    (traps, seen): (&Traps, &Seen),
    url: UrlRef<'_>,
    depth: u32,
    bounds: Bounds,
    hosts_full: impl FnOnce() -> bool,
) -> Result<Sighting, RefuseReason> {
    match (plan.scope.verdict(url), bounds) {
        (Verdict::In, _) | (Verdict::Excluded | Verdict::NotIncluded, Bounds::Outline) => (),
        (Verdict::Outside, _) => return Err(RefuseReason::OutOfScope),
        (Verdict::Excluded, Bounds::All) => return Err(RefuseReason::Excluded),
        (Verdict::NotIncluded, Bounds::All) => return Err(RefuseReason::NotIncluded),
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
