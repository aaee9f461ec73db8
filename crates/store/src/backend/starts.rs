//! The order in which the tasks of a claim start at their host.

use std::collections::HashMap;

use super::fair_shares::ClaimLane;
use crate::{Claimed, JobId, StartSchedule};

/// Sorts the tasks by their start and sets their delays: at each host, one of each owner in turn. Returns how many tasks
/// each host gave.
pub fn set_starts<'a>(
    claimed: &mut Vec<Claimed>,
    lanes: &[ClaimLane<'_>],
    schedule_of: impl Fn(&str) -> Option<&'a StartSchedule>,
) -> HashMap<String, i64> {
    let owners: HashMap<JobId, &str> = lanes
        .iter()
        .map(|lane| (lane.job.id, lane.job.owner.as_str()))
        .collect();
    claimed.sort_by_key(|task| task.lease.task);
    let mut turns: HashMap<(String, &str), usize> = HashMap::new();
    let mut ranked: Vec<(usize, Claimed)> = std::mem::take(claimed)
        .into_iter()
        .map(|task| {
            let owner = owners.get(&task.job).copied().unwrap_or_default();
            let turn = turns.entry((task.host.as_str().to_owned(), owner));
            let turn = turn.or_default();
            *turn += 1;
            (*turn, task)
        })
        .collect();
    ranked.sort_by_key(|(turn, _)| *turn);
    claimed.extend(ranked.into_iter().map(|(_, task)| task));
    let mut taken: HashMap<String, i64> = HashMap::new();
    for task in claimed {
        let position = taken.entry(task.host.as_str().to_owned()).or_default();
        if let Some(schedule) = schedule_of(task.host.as_str()) {
            task.delay = schedule.delay(*position);
        }
        *position += 1;
    }
    taken
}

/// How many tasks each lane gave.
pub fn taken_from(lanes: &[ClaimLane<'_>], claimed: &[Claimed]) -> Vec<i64> {
    let mut taken: HashMap<(JobId, &str), i64> = HashMap::new();
    for task in claimed {
        *taken.entry((task.job, task.host.as_str())).or_default() += 1;
    }
    let count = |lane: &ClaimLane<'_>| taken.get(&(lane.job.id, lane.host)).copied();
    lanes.iter().map(|lane| count(lane).unwrap_or(0)).collect()
}
