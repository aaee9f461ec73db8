//! Who gets the next tasks: owners in turn, then the jobs of each, then the hosts of each job.
//!
//! The workers as a whole are shared by one queue of turns, and each host that several jobs wait for by one of its own:
//! what an owner gets at a fast host must not cost it its turns at a slow one. The state is in memory, one per process:
//! each worker process is fair by itself, so their sum is, and no row of the database is written by every claim.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

use crawler_model::lock;

use super::fair_queue::{Division, FairQueue, OpenJob, TurnLimits};
use crate::{ClaimRoom, JobId};

/// What ended is forgotten once in this many claims.
const CLAIMS_PER_CLEANING: u64 = 64;
/// The turns of this many shared hosts are remembered, those that were shared last: a host with a long interval is used once
/// in many claims.
const MAX_HOSTS: usize = 10_000;

/// The turns of owners and jobs; shared by all handles to a store.
#[derive(Clone, Default, Debug)]
pub struct FairShares(Arc<Mutex<State>>);

#[derive(Default, Debug)]
struct State {
    workers: FairQueue,
    hosts: HashMap<String, HostShares>,
    claims: u64,
    /// The claim after which ended jobs were forgotten last.
    cleaned: u64,
    /// The last job of a search that left out jobs.
    searched: Option<JobId>,
}

#[derive(Default, Debug)]
struct HostShares {
    queue: FairQueue,
    /// The claim that divided its starts last.
    used: u64,
}

/// The tasks that a claim may take from each of its lanes.
#[derive(Debug)]
pub struct Allotment {
    /// The number of tasks of each lane.
    pub counts: Vec<i64>,
    workers: Division,
    hosts: Vec<(String, Division, Vec<usize>)>,
}

/// A lane of a claim: the queue of a job at a host.
#[derive(Clone, Copy, Debug)]
pub struct ClaimLane<'a> {
    /// The job.
    pub job: &'a OpenJob,
    /// Its host.
    pub host: &'a str,
}

impl Allotment {
    /// The jobs of the starts of a host, in fair order; `None` if only one job waits for it.
    pub(super) fn starts_of(&self, host: &str, lanes: &[ClaimLane<'_>]) -> Option<Vec<JobId>> {
        let (_, division, positions) = self.hosts.iter().find(|(name, ..)| name == host)?;
        let jobs = division.turns.iter().filter_map(|turn| {
            let position = positions.get(*turn)?;
            Some(lanes.get(*position)?.job.id)
        });
        Some(jobs.collect())
    }
}

impl FairShares {
    /// Records that these are all open jobs, not only a part of them. The others are forgotten now and then.
    pub fn note_all(&self, jobs: &[OpenJob]) {
        let mut state = self.state();
        if state.claims >= state.cleaned + CLAIMS_PER_CLEANING {
            state.cleaned = state.claims;
            let open = jobs.iter().map(|job| (job.id, job.owner.clone()));
            state.clean(&open.collect());
        }
    }

    /// Forgets all but these open jobs and their owners.
    pub fn keep_only(&self, open: &HashMap<JobId, String>) {
        self.state().clean(open);
    }

    /// Sorts jobs by who is next: the first job of each owner, then the second one of each, and so on.
    pub fn order(&self, jobs: Vec<OpenJob>) -> Vec<OpenJob> {
        let mut state = self.state();
        state.claims += 1;
        let mut sorted: Vec<_> = jobs
            .into_iter()
            .map(|job| {
                let (start, served) = state.workers.job_standing(&job);
                let rank = (std::cmp::Reverse(job.priority), start, served, job.id);
                (rank, job)
            })
            .collect();
        sorted.sort_by_key(|(rank, _)| *rank);
        let mut places: HashMap<String, (u64, u64, usize)> = HashMap::new();
        let mut ranked: Vec<_> = sorted
            .into_iter()
            .map(|(_, job)| {
                let place = places.entry(job.owner.clone()).or_insert_with(|| {
                    let (start, served) = state.workers.owner_standing(&job.owner);
                    (start, served, 0)
                });
                place.2 += 1;
                ((place.2, place.0, place.1), job)
            })
            .collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, job)| job).collect()
    }

    /// Which lanes a claim locks the hosts of, if it can lock only so many hosts: positions in `lanes`, in fair order.
    pub fn choose(&self, lanes: &[ClaimLane<'_>], hosts: usize, room: &ClaimRoom) -> Vec<usize> {
        let one_each = vec![1; lanes.len()];
        let places = places_of_jobs(lanes);
        let total = i64::try_from(hosts).unwrap_or(i64::MAX);
        let division = divide_workers(
            &self.state().workers,
            lanes,
            &places,
            &one_each,
            (room, Some(total)),
        );
        let mut left: Vec<_> = places.values().map(|positions| positions.iter()).collect();
        let turns = division.turns.into_iter();
        turns
            .filter_map(|place| left.get_mut(place)?.next().copied())
            .collect()
    }

    /// Divides the starts of each host among its lanes, which have so many tasks `ready`, and then the tasks that there is room for among the
    /// jobs; a job takes them from its lanes in the order given.
    pub fn allot(
        &self,
        lanes: &[ClaimLane<'_>],
        ready: &[i64],
        rooms: &HashMap<&str, i64>,
        claim: &ClaimRoom,
    ) -> Allotment {
        let mut state = self.state();
        let claims = state.claims;
        let mut by_host: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (position, lane) in lanes.iter().enumerate() {
            by_host.entry(lane.host).or_default().push(position);
        }
        let mut offers = vec![0; lanes.len()];
        let tasks = |position: usize| ready.get(position).copied().unwrap_or(0);
        let mut hosts = Vec::new();
        for (host, positions) in by_host {
            let room = rooms.get(host).copied().unwrap_or(0);
            if let [only] = positions[..] {
                set(&mut offers, only, room.min(tasks(only)));
            } else if room > 0 {
                let shares = state.hosts.entry(host.to_owned()).or_default();
                shares.used = claims;
                let waiting: Vec<_> = positions
                    .iter()
                    .filter_map(|position| {
                        Some((lanes.get(*position)?.job, room.min(tasks(*position))))
                    })
                    .collect();
                let division = shares.queue.divide(&waiting, room);
                for (position, count) in positions.iter().zip(&division.counts) {
                    set(&mut offers, *position, *count);
                }
                hosts.push((host.to_owned(), division, positions));
            }
        }
        let places = places_of_jobs(lanes);
        let workers = divide_workers(&state.workers, lanes, &places, &offers, (claim, None));
        let mut counts = vec![0; lanes.len()];
        for (positions, total) in places.values().zip(&workers.counts) {
            let mut left = *total;
            for position in positions {
                let count = offers.get(*position).copied().unwrap_or(0).min(left);
                set(&mut counts, *position, count);
                left -= count;
            }
        }
        Allotment {
            counts,
            workers,
            hosts,
        }
    }

    /// Records how many tasks were taken from each lane. A lane that gave none, though it could, has had a turn: another
    /// claim holds its tasks, or they have to be tried alone, and the others must not wait for that.
    pub fn charge(&self, lanes: &[ClaimLane<'_>], allotment: &Allotment, taken: &[i64]) {
        let mut state = self.state();
        let used = |position: usize| {
            let taken = taken.get(position).copied().unwrap_or(0);
            let allotted = allotment.counts.get(position).copied().unwrap_or(0);
            taken.max(allotted.min(1))
        };
        let charged = lanes.iter().enumerate();
        let charged = charged.map(|(position, lane)| (lane.job, used(position)));
        state.workers.charge(&allotment.workers, charged);
        for (host, division, positions) in &allotment.hosts {
            if let Some(shares) = state.hosts.get_mut(host) {
                let charged = positions
                    .iter()
                    .filter_map(|position| Some((lanes.get(*position)?.job, used(*position))));
                shares.queue.charge(division, charged);
            }
        }
    }

    /// The last job of a search that left out jobs.
    pub(super) fn searched(&self) -> Option<JobId> {
        self.state().searched
    }

    /// Records the last job of a search.
    pub(super) fn set_searched(&self, last: Option<JobId>) {
        self.state().searched = last;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

impl State {
    /// Forgets jobs that have ended, hosts without any, and those that were not shared for longest if there are too many.
    fn clean(&mut self, open: &HashMap<JobId, String>) {
        let jobs: HashSet<JobId> = open.keys().copied().collect();
        let owners: HashSet<String> = open.values().cloned().collect();
        self.workers.retain(&jobs, &owners);
        self.hosts.retain(|_, shares| {
            shares.queue.retain(&jobs, &owners);
            !shares.queue.is_empty()
        });
        let surplus = self.hosts.len().saturating_sub(MAX_HOSTS);
        if surplus > 0 {
            let mut used: Vec<u64> = self.hosts.values().map(|shares| shares.used).collect();
            let (_, oldest_kept, _) = used.select_nth_unstable(surplus);
            let oldest_kept = *oldest_kept;
            self.hosts.retain(|_, shares| shares.used >= oldest_kept);
        }
    }
}

fn set(counts: &mut [i64], position: usize, value: i64) {
    if let Some(count) = counts.get_mut(position) {
        *count = value;
    }
}

/// The positions of each job's lanes.
fn places_of_jobs(lanes: &[ClaimLane<'_>]) -> BTreeMap<JobId, Vec<usize>> {
    let mut places: BTreeMap<JobId, Vec<usize>> = BTreeMap::new();
    for (position, lane) in lanes.iter().enumerate() {
        places.entry(lane.job.id).or_default().push(position);
    }
    places
}

/// Divides the tasks that there is room for, or `total` turns, among jobs that can each take the sum of their offers.
fn divide_workers(
    queue: &FairQueue,
    lanes: &[ClaimLane<'_>],
    places: &BTreeMap<JobId, Vec<usize>>,
    offers: &[i64],
    (room, total): (&ClaimRoom, Option<i64>),
) -> Division {
    let max = i64::try_from(room.max).unwrap_or(i64::MAX);
    let offer = |position: &usize| offers.get(*position).copied().unwrap_or(0).min(max);
    let jobs: Vec<(&OpenJob, i64)> = places
        .values()
        .filter_map(|positions| {
            let job = lanes.get(*positions.first()?)?.job;
            Some((job, positions.iter().map(offer).sum()))
        })
        .collect();
    let mut shares = room.places.clone();
    for (job, _) in jobs.iter().filter(|(_, offer)| *offer > 0) {
        shares.hold(&job.owner, job.weight, 0);
    }
    let limits = TurnLimits {
        total: total.unwrap_or_else(|| max.min(shares.free())),
        within_shares: max.min(shares.free_for_shares()),
        shares: &shares,
    };
    queue.divide_within(&jobs, limits)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn job(id: u128, owner: &str) -> OpenJob {
        OpenJob {
            id: JobId(Uuid::from_u128(id)),
            owner: owner.to_owned(),
            weight: 1,
            priority: 5,
            queued: false,
            ready: true,
        }
    }

    /// Lets the jobs claim from hosts with this room, in rounds; returns how much each lane gave.
    fn claim(
        shares: &FairShares,
        lanes: &[ClaimLane<'_>],
        rooms: &[(&str, i64)],
        max: usize,
        rounds: usize,
    ) -> Vec<i64> {
        let rooms = rooms.iter().copied().collect();
        let ready = vec![1_000; lanes.len()];
        let mut sums = vec![0; lanes.len()];
        for _ in 0..rounds {
            let allotment = shares.allot(lanes, &ready, &rooms, &max.into());
            shares.charge(lanes, &allotment, &allotment.counts);
            for (sum, count) in sums.iter_mut().zip(&allotment.counts) {
                *sum += count;
            }
        }
        sums
    }

    /// An owner that is busy elsewhere gets its turns at a host that others wait for.
    #[test]
    fn a_shared_host_has_turns_of_its_own() {
        let shares = FairShares::default();
        let (a, b, busy) = (job(1, "a"), job(2, "b"), job(3, "busy"));
        let lane = |job, host| ClaimLane { job, host };
        let lanes = [
            lane(&a, "shared"),
            lane(&b, "shared"),
            lane(&busy, "shared"),
            lane(&busy, "fast"),
        ];
        let rooms = [("shared", 1), ("fast", 50)];
        let got = claim(&shares, &lanes, &rooms, 100, 300);
        assert_eq!(got, [100, 100, 100, 15_000]);
    }

    /// With fewer workers than work, owners share them equally, and what one cannot use the others get.
    #[test]
    fn workers_are_shared_by_owners_not_by_hosts() {
        let shares = FairShares::default();
        let (wide, narrow) = (job(1, "wide"), job(2, "narrow"));
        let hosts: Vec<String> = (0..100).map(|number| format!("h{number}")).collect();
        let mut lanes: Vec<ClaimLane<'_>> = hosts
            .iter()
            .map(|host| ClaimLane { job: &wide, host })
            .collect();
        lanes.push(ClaimLane {
            job: &narrow,
            host: "own",
        });
        let mut rooms: Vec<(&str, i64)> = hosts.iter().map(|host| (host.as_str(), 5)).collect();
        rooms.push(("own", 1));
        let got = claim(&shares, &lanes, &rooms, 10, 50);
        assert_eq!(got[100], 50, "it can use one each time");
        assert_eq!(got[..100].iter().sum::<i64>(), 450);
        if let Some(own) = rooms.last_mut() {
            own.1 = 100;
        }
        let got = claim(&shares, &lanes, &rooms, 10, 50);
        assert_eq!(got[100], 250);
    }

    /// What one lane has no tasks for, the others get.
    #[test]
    fn starts_are_divided_among_tasks_that_are_ready() {
        let shares = FairShares::default();
        let (a, b) = (job(1, "a"), job(2, "b"));
        let lane = |job, host| ClaimLane { job, host };
        let lanes = [lane(&a, "shared"), lane(&b, "shared"), lane(&a, "own")];
        let rooms = HashMap::from([("shared", 10), ("own", 10)]);
        let allotment = shares.allot(&lanes, &[2, 30, 3], &rooms, &100.into());
        assert_eq!(allotment.counts, [2, 8, 3]);
        let allotment = shares.allot(&lanes, &[2, 30, 3], &rooms, &8.into());
        assert_eq!(allotment.counts, [2, 4, 2]);
    }

    /// A lane whose tasks cannot be taken has had its turn.
    #[test]
    fn a_lane_that_gives_nothing_does_not_hold_up_the_others() {
        let shares = FairShares::default();
        let (stuck, other) = (job(1, "a"), job(2, "b"));
        let lanes = [&stuck, &other].map(|job| ClaimLane { job, host: "h" });
        let rooms = HashMap::from([("h", 1)]);
        let mut taken = 0;
        for _ in 0..10 {
            let allotment = shares.allot(&lanes, &[5, 5], &rooms, &10.into());
            let given = [0, allotment.counts[1]];
            taken += given[1];
            shares.charge(&lanes, &allotment, &given);
        }
        assert_eq!(taken, 5);
    }

    /// However many claims lie between two starts of a host, it continues with the next job.
    #[test]
    fn a_slow_host_keeps_its_turns() {
        let shares = FairShares::default();
        let (a, b) = (job(1, "a"), job(2, "b"));
        let lanes = [&a, &b].map(|job| ClaimLane { job, host: "slow" });
        let mut got = [0, 0];
        for _ in 0..10 {
            let turn = claim(&shares, &lanes, &[("slow", 1)], 10, 1);
            got = [got[0] + turn[0], got[1] + turn[1]];
            for _ in 0..3_000 {
                shares.note_all(&[a.clone(), b.clone()]);
                shares.order(vec![a.clone(), b.clone()]);
            }
            assert_eq!(shares.state().hosts.len(), 1);
        }
        assert_eq!(got, [5, 5]);
        for host in 0..MAX_HOSTS + 100 {
            let name = format!("h{host}");
            let lanes = [&a, &b].map(|job| ClaimLane { job, host: &name });
            claim(&shares, &lanes, &[(&name, 1)], 10, 1);
            if host % 2 == 0 {
                shares.order(vec![a.clone(), b.clone()]);
            }
        }
        for _ in 0..CLAIMS_PER_CLEANING {
            shares.order(vec![a.clone(), b.clone()]);
        }
        shares.note_all(&[a.clone(), b.clone()]);
        assert!(shares.state().hosts.len() <= MAX_HOSTS + 1);
        assert!(!shares.state().hosts.contains_key("slow"));
    }

    /// The first job of each owner comes before the second one of any.
    #[test]
    fn jobs_are_searched_owner_by_owner() {
        let shares = FairShares::default();
        let jobs = vec![
            job(1, "a"),
            job(2, "a"),
            job(3, "a"),
            job(4, "b"),
            job(5, "c"),
        ];
        let order = |jobs: Vec<OpenJob>| -> Vec<u128> {
            let order = shares.order(jobs);
            order.iter().map(|job| job.id.0.as_u128()).collect()
        };
        assert_eq!(order(jobs.clone()), [1, 4, 5, 2, 3]);
        let lanes = [ClaimLane {
            job: &jobs[0],
            host: "h",
        }];
        claim(&shares, &lanes, &[("h", 3)], 10, 1);
        assert_eq!(order(jobs), [4, 5, 2, 3, 1]);
    }
}
