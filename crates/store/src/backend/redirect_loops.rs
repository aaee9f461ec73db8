//! Redirects that lead back to themselves.
//!
//! The targets of redirects are tasks like all others, and any worker may fetch them, in any order. But their job's row is
//! locked while they are settled, so one redirect of a loop is written after all others: that one fails, and no other.

use std::collections::{BTreeMap, HashMap};

use super::{HeldLease, JobTransaction};
use crate::{JobId, Lease, NewTask, Settlement};

/// Maximum number of redirects that are read to find the loops of one batch. A site can link every URL of a chain, so that
/// chains may be much longer than `max_redirects`; a loop longer than this may be missed.
pub const MAX_CHAIN_REDIRECTS: i64 = 10_000;

/// The key that a redirect is stored with: that of its target, if it can be stored.
pub(super) fn target_key(settlement: &Settlement) -> Option<&str> {
    let target = settlement.redirect_target();
    let target = target.filter(|target: &&NewTask| target.fits());
    target.map(|target| target.final_url.as_str())
}

/// Returns the settlements that replace those of redirects that close a loop.
pub(super) async fn redirect_loops<T: JobTransaction>(
    db: &mut T,
    job: JobId,
    settlements: &[(&Settlement, &HeldLease)],
) -> Result<BTreeMap<Lease, Settlement>, T::Error> {
    let mut loops = BTreeMap::new();
    let redirects: Vec<(&Settlement, &str, &str)> = settlements
        .iter()
        .filter_map(|(settlement, held)| {
            let to = target_key(settlement)?;
            Some((*settlement, held.final_url.as_str(), to))
        })
        .collect();
    if redirects.is_empty() {
        return Ok(loops);
    }
    let targets: Vec<&str> = redirects.iter().map(|(_, _, to)| *to).collect();
    let stored = db.redirects_from(job, &targets).await?;
    let stored = stored.iter().map(|(from, to)| (from.as_str(), to.as_str()));
    let mut known: HashMap<&str, &str> = stored.collect();
    for (settlement, from, to) in redirects {
        if leads_to(&known, to, from) {
            loops.insert(settlement.lease, settlement.clone().into_redirect_loop());
        } else {
            known.insert(from, to);
        }
    }
    Ok(loops)
}

/// Whether redirects lead from one key to another.
fn leads_to(redirects: &HashMap<&str, &str>, from: &str, to: &str) -> bool {
    let chain = std::iter::successors(Some(from), |at| redirects.get(at).copied());
    // No loop is ever stored, so every chain ends.
    chain.take(redirects.len() + 1).any(|at| at == to)
}
