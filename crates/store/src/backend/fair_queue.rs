//! Turns of owners and their jobs at one resource: the workers as a whole, or one host.
//!
//! Start-time fair queueing on two levels. A contender's next turn has a start on a virtual clock, and the one that starts
//! first is served; a turn of an owner takes 1/weight of the clock. The clock stands at the start that was served last. So
//! a contender that could not use its turns, because its hosts were blocked or it had no tasks, begins at the clock: it
//! is not paid back for that time, and it does not wait for the others either.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::{JobId, PlaceShares};

/// The length of a turn with weight 1.
const TURN: u64 = 1_000_000;

/// A job that has not ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenJob {
    /// The job.
    pub id: JobId,
    /// Its owner.
    pub owner: String,
    /// The weight of its owner.
    pub weight: i64,
    /// Its priority among the jobs of its owner.
    pub priority: i64,
    /// Whether none of its tasks was claimed yet.
    pub queued: bool,
    /// Whether it has a lane that a claim should check.
    pub ready: bool,
}

impl OpenJob {
    /// How much of the clock a turn of its owner takes.
    fn owner_turn(&self) -> u64 {
        TURN / self.weight.clamp(1, 100).unsigned_abs()
    }
}

/// Where a contender stands.
#[derive(Clone, Copy, Default, Debug)]
struct Turn {
    /// The end of its last turn.
    finish: u64,
    /// When it was served last, in turns of all contenders: breaks ties.
    served: u64,
}

/// Contenders that take turns with each other.
#[derive(Debug)]
struct Level<K> {
    clock: u64,
    turns: HashMap<K, Turn>,
}

impl<K> Default for Level<K> {
    fn default() -> Self {
        Self {
            clock: 0,
            turns: HashMap::new(),
        }
    }
}

/// Jobs of one owner with one priority.
type JobsKey = (String, i64);

/// The turns at one resource.
#[derive(Default, Debug)]
pub(super) struct FairQueue {
    owners: Level<String>,
    jobs: HashMap<JobsKey, Level<JobId>>,
    served: u64,
}

/// How many turns are divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnLimits<'a> {
    /// Turns of anyone.
    pub(super) total: i64,
    /// Turns of owners that hold less than their shares; they come first.
    pub(super) within_shares: i64,
    /// What these hold.
    pub(super) shares: &'a PlaceShares,
}

/// How turns are divided, before they are used.
#[derive(Debug)]
pub(super) struct Division {
    /// The number of turns of each job.
    pub(super) counts: Vec<i64>,
    /// The job of each turn.
    pub(super) turns: Vec<usize>,
    owner_clock: u64,
    job_clocks: HashMap<JobsKey, u64>,
}

/// An owner while turns are divided.
struct OwnerContender<'a> {
    name: &'a str,
    turn: u64,
    start: u64,
    served: u64,
    /// By priority, the start that was served last.
    clocks: HashMap<i64, u64>,
    /// How many turns are left of its share.
    left: i64,
    jobs: Vec<JobContender>,
}

/// A job while turns are divided.
struct JobContender {
    place: usize,
    id: JobId,
    priority: i64,
    start: u64,
    served: u64,
    room: i64,
}

impl FairQueue {
    /// Divides at most `total` turns among jobs that can each use a number of them.
    pub(super) fn divide(&self, jobs: &[(&OpenJob, i64)], total: i64) -> Division {
        let shares = PlaceShares::default();
        let limits = TurnLimits {
            total,
            within_shares: 0,
            shares: &shares,
        };
        self.divide_within(jobs, limits)
    }

    /// Divides turns among jobs that can each use a number of them. Owners that hold less than their shares come first.
    pub(super) fn divide_within(
        &self,
        jobs: &[(&OpenJob, i64)],
        limits: TurnLimits<'_>,
    ) -> Division {
        let mut division = Division {
            counts: vec![0; jobs.len()],
            turns: Vec::new(),
            owner_clock: self.owners.clock,
            job_clocks: HashMap::new(),
        };
        let mut owners = self.contenders(jobs, limits.shares);
        let mut served = self.served;
        for turn in 0..limits.total.max(limits.within_shares) {
            let within = (turn < limits.within_shares).then(|| next_owner(&owners, true));
            let next = match within.flatten() {
                None if turn < limits.total => next_owner(&owners, false),
                next => next,
            };
            let Some(owner) = next.and_then(|at| owners.get_mut(at)) else {
                break;
            };
            owner.left -= 1;
            let waiting = owner.jobs.iter_mut().filter(|job| job.room > 0);
            let first =
                waiting.min_by_key(|job| (Reverse(job.priority), job.start, job.served, job.id));
            let Some(job) = first else { break };
            served += 1;
            division.owner_clock = division.owner_clock.max(owner.start);
            owner.clocks.insert(job.priority, job.start);
            owner.start += owner.turn;
            owner.served = served;
            job.start += TURN;
            job.served = served;
            job.room -= 1;
            division.turns.push(job.place);
            if let Some(count) = division.counts.get_mut(job.place) {
                *count += 1;
            }
        }
        for owner in owners {
            let clocks = owner.clocks.into_iter();
            let clocks = clocks.map(|(priority, clock)| ((owner.name.to_owned(), priority), clock));
            division.job_clocks.extend(clocks);
        }
        division
    }

    fn contenders<'a>(
        &self,
        jobs: &[(&'a OpenJob, i64)],
        shares: &PlaceShares,
    ) -> Vec<OwnerContender<'a>> {
        let mut owners: Vec<OwnerContender<'a>> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (place, (job, room)) in jobs.iter().enumerate().filter(|(_, (_, room))| *room > 0) {
            let at = *places.entry(&job.owner).or_insert_with(|| {
                let (start, served) = self.owner_standing(&job.owner);
                owners.push(OwnerContender {
                    name: &job.owner,
                    turn: job.owner_turn(),
                    start,
                    served,
                    clocks: HashMap::new(),
                    left: shares.left_of_share(&job.owner),
                    jobs: Vec::new(),
                });
                owners.len() - 1
            });
            let (start, served) = self.job_standing(job);
            if let Some(owner) = owners.get_mut(at) {
                owner.jobs.push(JobContender {
                    place,
                    id: job.id,
                    priority: job.priority,
                    start,
                    served,
                    room: *room,
                });
            }
        }
        owners
    }

    /// When an owner's next turn starts, and when it was served last.
    pub(super) fn owner_standing(&self, owner: &str) -> (u64, u64) {
        let turn = self.owners.turns.get(owner).copied().unwrap_or_default();
        (turn.finish.max(self.owners.clock), turn.served)
    }

    /// When a job's next turn starts, and when it was served last.
    pub(super) fn job_standing(&self, job: &OpenJob) -> (u64, u64) {
        let Some(level) = self.jobs.get(&(job.owner.clone(), job.priority)) else {
            return (0, 0);
        };
        let turn = level.turns.get(&job.id).copied().unwrap_or_default();
        (turn.finish.max(level.clock), turn.served)
    }

    /// Records the turns that were used: in each place, a job and a number.
    pub(super) fn charge<'a>(
        &mut self,
        division: &Division,
        used: impl IntoIterator<Item = (&'a OpenJob, i64)>,
    ) {
        let (before, owners) = (self.owners.clock, &mut self.owners);
        for (job, count) in used {
            let count = count.max(0).unsigned_abs();
            if count == 0 {
                continue;
            }
            self.served += 1;
            let turn = owners.turns.entry(job.owner.clone()).or_default();
            turn.finish = turn.finish.max(before) + count * job.owner_turn();
            turn.served = self.served;
            let level = self.jobs.entry((job.owner.clone(), job.priority));
            let level = level.or_default();
            let turn = level.turns.entry(job.id).or_default();
            turn.finish = turn.finish.max(level.clock) + count * TURN;
            turn.served = self.served;
        }
        owners.clock = owners.clock.max(division.owner_clock);
        for (key, clock) in &division.job_clocks {
            if let Some(level) = self.jobs.get_mut(key) {
                level.clock = level.clock.max(*clock);
            }
        }
    }

    /// Whether nobody's turns are remembered.
    pub(super) fn is_empty(&self) -> bool {
        self.jobs.is_empty() && self.owners.turns.is_empty()
    }

    /// Forgets all other jobs. An owner without jobs is remembered while its turns lie ahead of the clock: many small jobs
    /// must not get more than one large one.
    pub(super) fn retain(&mut self, open: &HashSet<JobId>, owners: &HashSet<String>) {
        for level in self.jobs.values_mut() {
            level.turns.retain(|job, _| open.contains(job));
        }
        self.jobs.retain(|_, level| !level.turns.is_empty());
        let clock = self.owners.clock;
        self.owners
            .turns
            .retain(|owner, turn| turn.finish > clock || owners.contains(owner));
    }
}

/// The owner whose turn is next, of those that can use one, or of those that have some left of their shares.
fn next_owner(owners: &[OwnerContender<'_>], within_share: bool) -> Option<usize> {
    let waiting = owners.iter().enumerate().filter(|(_, owner)| {
        (!within_share || owner.left > 0) && owner.jobs.iter().any(|job| job.room > 0)
    });
    let first = waiting.min_by_key(|(_, owner)| (owner.start, owner.served));
    first.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn job(id: u128, owner: &str, weight: i64, priority: i64) -> OpenJob {
        OpenJob {
            id: JobId(Uuid::from_u128(id)),
            owner: owner.to_owned(),
            weight,
            priority,
            queued: false,
            ready: true,
        }
    }

    /// Serves one turn at a time to these jobs; returns how many each got.
    fn serve(queue: &mut FairQueue, jobs: &[&OpenJob], turns: usize) -> Vec<i64> {
        let mut got = vec![0; jobs.len()];
        for _ in 0..turns {
            let waiting: Vec<_> = jobs.iter().map(|job| (*job, 1)).collect();
            let division = queue.divide(&waiting, 1);
            let used = jobs.iter().copied().zip(division.counts.clone());
            queue.charge(&division, used);
            for (sum, count) in got.iter_mut().zip(&division.counts) {
                *sum += count;
            }
        }
        got
    }

    #[test]
    fn owners_take_turns_by_weight_whatever_their_number_of_jobs() {
        let (a, b) = (job(1, "a", 1, 5), job(2, "b", 3, 5));
        let more: Vec<OpenJob> = (10..30).map(|id| job(id, "c", 2, 5)).collect();
        let mut jobs = vec![&a, &b];
        jobs.extend(&more);
        let mut queue = FairQueue::default();
        let got = serve(&mut queue, &jobs, 600);
        assert_eq!((got[0], got[1]), (100, 300));
        assert!(got[2..].iter().all(|count| *count == 10), "{got:?}");
        // The same in one go.
        let waiting: Vec<_> = jobs.iter().map(|job| (*job, 1_000)).collect();
        let counts = FairQueue::default().divide(&waiting, 600).counts;
        assert_eq!((counts[0], counts[1]), (100, 300));
        assert!(counts[2..].iter().all(|count| *count == 10), "{counts:?}");
    }

    #[test]
    fn priority_orders_the_jobs_of_one_owner_only() {
        let (low, high) = (job(1, "a", 1, 0), job(2, "a", 1, 9));
        let other = job(3, "b", 1, 0);
        let mut queue = FairQueue::default();
        let got = serve(&mut queue, &[&low, &high, &other], 100);
        assert_eq!(got, [0, 50, 50]);
        assert_eq!(serve(&mut queue, &[&low, &other], 100), [50, 50]);
    }

    #[test]
    fn a_new_job_neither_waits_nor_is_paid_for_the_past() {
        let (large, small) = (job(1, "a", 1, 5), job(2, "b", 1, 5));
        let (sibling, late) = (job(3, "a", 1, 5), job(4, "c", 1, 5));
        let mut queue = FairQueue::default();
        serve(&mut queue, &[&large], 1_000_000 / 100);
        assert_eq!(serve(&mut queue, &[&large, &small], 1), [0, 1]);
        assert_eq!(serve(&mut queue, &[&large, &small], 100), [50, 50]);
        // One of the same owner is next when its owner is.
        assert_eq!(serve(&mut queue, &[&large, &sibling], 2), [1, 1]);
        assert_eq!(serve(&mut queue, &[&large, &sibling, &late], 2)[2], 1);
    }

    #[test]
    fn a_job_that_could_not_use_its_turns_is_not_paid_back() {
        let (blocked, busy) = (job(1, "a", 1, 5), job(2, "b", 1, 5));
        let mut queue = FairQueue::default();
        serve(&mut queue, &[&blocked, &busy], 10);
        serve(&mut queue, &[&busy], 1_000);
        let got = serve(&mut queue, &[&blocked, &busy], 20);
        assert!((9..=11).contains(&got[0]), "{got:?}");
    }

    #[test]
    fn many_small_jobs_get_no_more_than_a_large_one() {
        let large = job(1, "a", 1, 5);
        let mut queue = FairQueue::default();
        let mut small = 0;
        for id in 0..1_000 {
            let one = job(id + 10, "b", 1, 5);
            let got = serve(&mut queue, &[&large, &one], 1);
            small += got[1];
            let open = HashSet::from([large.id]);
            queue.retain(&open, &HashSet::from(["a".to_owned()]));
        }
        assert_eq!(small, 500);
    }

    #[test]
    fn what_ended_is_forgotten() {
        let mut queue = FairQueue::default();
        let jobs: Vec<OpenJob> = (0..100)
            .map(|id| job(id, &format!("o{id}"), 1, 5))
            .collect();
        serve(&mut queue, &jobs.iter().collect::<Vec<_>>(), 200);
        let last = job(200, "last", 1, 5);
        serve(&mut queue, &[&last], 5);
        queue.retain(
            &HashSet::from([last.id]),
            &HashSet::from(["last".to_owned()]),
        );
        assert_eq!((queue.jobs.len(), queue.owners.turns.len()), (1, 1));
    }
}
