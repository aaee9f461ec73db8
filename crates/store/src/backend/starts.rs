//! The order in which the tasks of a claim start at their host.

use std::collections::HashMap;

use super::fair_shares::{Allotment, ClaimLane};
use crate::{Claimed, JobId, StartSchedule, TaskId};

/// Sorts the tasks by their start and sets their delays: at each host in the order of its turns. Returns how many tasks each
/// host gave.
pub fn set_starts<'a>(
    claimed: &mut Vec<Claimed>,
    lanes: &[ClaimLane<'_>],
    allotment: &Allotment,
    schedule_of: impl Fn(&str) -> Option<&'a StartSchedule>,
) -> HashMap<String, i64> {
    claimed.sort_by_key(|task| task.lease.task);
    let mut by_host: HashMap<String, Vec<Claimed>> = HashMap::new();
    for task in claimed.drain(..) {
        let host = by_host.entry(task.host.as_str().to_owned());
        host.or_default().push(task);
    }
    let mut ranked: Vec<(usize, Claimed)> = Vec::new();
    let mut taken: HashMap<String, i64> = HashMap::new();
    for (host, mut tasks) in by_host {
        if let Some(jobs) = allotment.starts_of(&host, lanes) {
            sort_by_turns(&mut tasks, &jobs);
        }
        let schedule = schedule_of(&host);
        for ((rank, mut task), position) in tasks.into_iter().enumerate().zip(0..) {
            if let Some(schedule) = schedule {
                task.delay = schedule.delay(position);
            }
            taken.insert(host.clone(), position + 1);
            ranked.push((rank, task));
        }
    }
    ranked.sort_by_key(|(rank, task)| (*rank, task.lease.task));
    claimed.extend(ranked.into_iter().map(|(_, task)| task));
    taken
}

/// Sorts the tasks of a host, which are in the order of their ids, by the turns of their jobs.
fn sort_by_turns(tasks: &mut [Claimed], turns: &[JobId]) {
    let mut turns_of: HashMap<JobId, Vec<usize>> = HashMap::new();
    for (turn, job) in turns.iter().enumerate() {
        turns_of.entry(*job).or_default().push(turn);
    }
    let mut used: HashMap<JobId, usize> = HashMap::new();
    let mut ranks: HashMap<TaskId, usize> = HashMap::new();
    for task in &*tasks {
        let count = used.entry(task.job).or_default();
        let turn = turns_of.get(&task.job).and_then(|turns| turns.get(*count));
        *count += 1;
        ranks.insert(task.lease.task, turn.copied().unwrap_or(usize::MAX));
    }
    tasks.sort_by_key(|task| ranks.get(&task.lease.task).copied());
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
