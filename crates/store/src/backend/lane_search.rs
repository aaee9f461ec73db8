//! A claim's search for lanes whose host is open, job by job in fair order, with a bounded number of rows. A lane is the queue
//! of one job at one host: a row of `job_hosts`.

use std::collections::{HashMap, HashSet};

use super::fair_queue::OpenJob;
use super::fair_shares::{ClaimLane, FairShares};
use crate::{ClaimRoom, JobId};

/// The number of jobs in each part of a search, so that no number of jobs makes it long. If there are more, the last part
/// continues where that of the search before ended: each job is found after some claims.
const PARTS: [usize; 3] = [64, 256, 512];
/// In each part, the number of jobs of an owner once there are hosts enough.
const PARTS_OF_OWNER: [usize; 3] = [1, 1, 4];
/// Minimum number of lanes that are read of each job.
const MIN_LANES: usize = 4;
/// Of the tasks of a lane, at least this many are counted.
const MIN_COUNTED: usize = 32;
/// Maximum number of blocked lanes that one claim postpones.
const MAX_POSTPONED: usize = 512;
/// How long a lane is postponed if no slot of its host is free: one may become free at any moment.
const SLOT_WAIT: i64 = 100;
/// Number of lanes of a blocked host that are ready when it opens. If there are more, the others are postponed together
/// for longer.
const LANES_OF_HOST: usize = 64;
/// How long the others are postponed: this many times as long as the host is blocked, ...
const CROWD_WAIT: i64 = 8;
/// ... but only so much longer, ...
const MAX_CROWD_WAIT: i64 = 10_000;
/// ... or so long if no slot is free.
const CROWD_SLOT_WAIT: i64 = 1_000;

/// A row of a lane and its host, as a search reads it.
#[derive(Clone, Debug)]
pub struct LaneRow {
    /// Position of the job in its part, from 0.
    pub place: i64,
    /// The host.
    pub host_key: String,
    /// How often the lane was woken.
    pub woken: i64,
    /// Whether a claim may take tasks from the host now.
    pub open: bool,
    /// Milliseconds until the host's next start or the end of its pause lets a claim take tasks; in the past if neither
    /// blocks it.
    pub opens_in: i64,
}

/// The next jobs to read the lanes of.
#[derive(Clone, Debug)]
pub struct SearchPart {
    /// The jobs.
    pub jobs: Vec<JobId>,
    /// Maximum number of lanes of each.
    pub lanes: i64,
}

/// A lane whose host is open.
#[derive(Debug)]
struct OpenLane {
    job: usize,
    host: String,
    woken: i64,
}

/// A lane to be checked later.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PostponedLane {
    /// Its job.
    pub job: JobId,
    /// Its host.
    pub host: String,
    /// Milliseconds until then.
    pub millis: i64,
}

/// A blocked host that many lanes wait for: all but some are to be checked later.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrowdedHost {
    /// The host.
    pub host: String,
    /// The first jobs in fair order, whose lanes stay as they are.
    pub first: Vec<JobId>,
    /// Milliseconds until the others are checked.
    pub millis: i64,
}

/// The search of one claim.
#[derive(Debug)]
pub struct LaneSearch {
    max: usize,
    jobs: Vec<OpenJob>,
    /// Jobs that were not searched, in order.
    left: Vec<usize>,
    part: Vec<usize>,
    lanes_per_job: usize,
    round: usize,
    open: Vec<OpenLane>,
    hosts: HashSet<String>,
    /// The hosts in the order that they are to be locked in; empty before [`LaneSearch::choose`].
    chosen: Vec<String>,
    /// Owners of jobs with an open lane.
    found: HashSet<String>,
    lanes_of_job: HashMap<usize, usize>,
    /// The last job of a search that left out jobs: the next one continues after it.
    after: Option<JobId>,
    /// Of each blocked host, the jobs of its first lanes.
    blocked: HashMap<String, Vec<JobId>>,
    /// Lanes that hid others, or cost a search too much.
    pub postponed: Vec<PostponedLane>,
    /// Hosts with many of them.
    pub crowded: Vec<CrowdedHost>,
}

impl LaneSearch {
    /// A search for the lanes of a claim of `max` tasks.
    pub fn of(shares: &FairShares, jobs: Vec<OpenJob>, max: usize) -> Self {
        let mut search = Self::new(shares.order(jobs), max);
        search.after = shares.searched();
        search
    }

    /// The jobs are in fair order.
    fn new(jobs: Vec<OpenJob>, max: usize) -> Self {
        let ready = jobs.iter().enumerate().filter(|(_, job)| job.ready);
        let left = ready.map(|(at, _)| at).collect();
        Self {
            max,
            jobs,
            left,
            part: Vec::new(),
            lanes_per_job: 0,
            round: 0,
            open: Vec::new(),
            hosts: HashSet::new(),
            chosen: Vec::new(),
            found: HashSet::new(),
            lanes_of_job: HashMap::new(),
            after: None,
            blocked: HashMap::new(),
            postponed: Vec::new(),
            crowded: Vec::new(),
        }
    }

    /// The next part; `None` when every owner with a ready job has an open lane and there are hosts enough.
    pub fn next_part(&mut self) -> Option<SearchPart> {
        let size = *PARTS.get(self.round)?;
        let of_owner = *PARTS_OF_OWNER.get(self.round)?;
        self.round += 1;
        let rotates = self.round == PARTS.len() && self.left.len() > size;
        if rotates {
            let id = |at: &usize| self.jobs.get(*at).map(|job| job.id);
            self.left.sort_by_key(id);
            let next = self.left.partition_point(|at| id(at) <= self.after);
            self.left.rotate_left(next);
        }
        let enough = self.hosts.len() >= self.max;
        let (jobs, found) = (&self.jobs, &self.found);
        let mut chosen_of: HashMap<&str, usize> = HashMap::new();
        let wanted = |at: &usize| {
            let Some(job) = jobs.get(*at).filter(|_| enough) else {
                return true;
            };
            let count = chosen_of.entry(&job.owner).or_default();
            *count += 1;
            *count <= of_owner && !found.contains(&job.owner)
        };
        let part: Vec<usize> = self
            .left
            .iter()
            .copied()
            .filter(wanted)
            .take(size)
            .collect();
        if part.is_empty() {
            return None;
        }
        if rotates {
            let last = part.last().and_then(|at| self.jobs.get(*at));
            self.after = last.map(|job| job.id);
        }
        let chosen: HashSet<usize> = part.iter().copied().collect();
        self.left.retain(|at| !chosen.contains(at));
        self.lanes_per_job = (self.max * 4 / part.len()).max(MIN_LANES);
        self.part = part;
        let ids = self.part.iter().filter_map(|at| self.jobs.get(*at));
        Some(SearchPart {
            jobs: ids.map(|job| job.id).collect(),
            lanes: i64::try_from(self.lanes_per_job).unwrap_or(i64::MAX),
        })
    }

    /// Adds the lanes of the last part, each job's longest waiting first.
    pub fn add(&mut self, rows: Vec<LaneRow>) {
        let mut read: HashMap<i64, usize> = HashMap::new();
        for row in &rows {
            *read.entry(row.place).or_default() += 1;
        }
        for row in rows {
            let place = usize::try_from(row.place).unwrap_or(usize::MAX);
            let Some(at) = self.part.get(place).copied() else {
                continue;
            };
            let Some(job) = self.jobs.get(at) else {
                continue;
            };
            *self.lanes_of_job.entry(at).or_default() += 1;
            if row.open {
                self.hosts.insert(row.host_key.clone());
                self.found.insert(job.owner.clone());
                self.open.push(OpenLane {
                    job: at,
                    host: row.host_key,
                    woken: row.woken,
                });
                continue;
            }
            let first = self.blocked.entry(row.host_key.clone()).or_default();
            if first.len() < LANES_OF_HOST {
                first.push(job.id);
            } else {
                add_crowded(&mut self.crowded, row, first);
                continue;
            }
            // There may be open lanes behind the last one that was read.
            let hides = read
                .get(&row.place)
                .is_some_and(|rows| *rows >= self.lanes_per_job);
            if (hides || self.round > 1) && self.postponed.len() < MAX_POSTPONED {
                let millis = if row.opens_in > 0 {
                    row.opens_in
                } else {
                    SLOT_WAIT
                };
                self.postponed.push(PostponedLane {
                    job: job.id,
                    host: row.host_key,
                    millis,
                });
            }
        }
    }

    /// Keeps the lanes of at most so many hosts, and puts the hosts in fair order.
    pub fn choose(&mut self, shares: &FairShares, hosts: usize, room: &ClaimRoom) {
        shares.set_searched(self.after);
        let lanes = self.lanes();
        let mut chosen = Vec::new();
        let mut names: HashSet<&str> = HashSet::new();
        for position in shares.choose(&lanes, hosts, room) {
            let name = lanes.get(position).map(|lane| lane.host);
            chosen.extend(name.filter(|name| names.insert(name)).map(str::to_owned));
        }
        if self.hosts.len() > hosts {
            let kept: HashSet<String> = chosen.iter().cloned().collect();
            self.keep_hosts(|host| kept.contains(host));
        } else {
            let others = self
                .hosts
                .iter()
                .filter(|host| !names.contains(host.as_str()));
            chosen.extend(others.cloned());
        }
        self.chosen = chosen;
    }

    /// Keeps the lanes of these hosts.
    pub fn keep_hosts(&mut self, keep: impl Fn(&str) -> bool) {
        self.open.retain(|lane| keep(&lane.host));
        self.hosts.retain(|host| keep(host));
        self.chosen.retain(|host| keep(host));
    }

    /// The hosts of the open lanes, in fair order.
    pub fn hosts(&self) -> &[String] {
        &self.chosen
    }

    /// The open lanes, in fair order of their jobs.
    pub fn lanes(&self) -> Vec<ClaimLane<'_>> {
        let lanes = self.open.iter().filter_map(|lane| {
            Some(ClaimLane {
                job: self.jobs.get(lane.job)?,
                host: &lane.host,
            })
        });
        lanes.collect()
    }

    /// Maximum number of ready tasks that are counted in each lane.
    pub fn max_ready(&self) -> i64 {
        let each = (self.max * 4).checked_div(self.open.len()).unwrap_or(0);
        i64::try_from(each.max(MIN_COUNTED)).unwrap_or(i64::MAX)
    }

    /// Of each open lane, how often it was woken, and whether its job has others to take turns with.
    pub fn marks(&self) -> Vec<(i64, bool)> {
        let lanes = self.open.iter().map(|lane| {
            let others = self
                .lanes_of_job
                .get(&lane.job)
                .is_some_and(|count| *count > 1);
            (lane.woken, others)
        });
        lanes.collect()
    }
}

/// Adds the host of a blocked lane.
fn add_crowded(crowded: &mut Vec<CrowdedHost>, lane: LaneRow, first: &[JobId]) {
    let millis = if lane.opens_in > 0 {
        let longer = lane.opens_in.saturating_mul(CROWD_WAIT - 1);
        lane.opens_in.saturating_add(longer.min(MAX_CROWD_WAIT))
    } else {
        CROWD_SLOT_WAIT
    };
    if crowded.iter().all(|one| one.host != lane.host_key) {
        crowded.push(CrowdedHost {
            host: lane.host_key,
            first: first.to_vec(),
            millis,
        });
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn jobs(count: u128) -> Vec<OpenJob> {
        let job = |id| OpenJob {
            id: JobId(Uuid::from_u128(id)),
            owner: format!("owner{}", id % 10),
            weight: 1,
            priority: 5,
            queued: false,
            ready: true,
        };
        (0..count).map(job).collect()
    }

    fn row(place: i64, host: &str, open: bool) -> LaneRow {
        LaneRow {
            place,
            host_key: host.to_owned(),
            woken: 0,
            open,
            opens_in: 0,
        }
    }

    #[test]
    fn a_search_ends_when_there_are_hosts_enough_for_every_owner() {
        let mut search = LaneSearch::new(jobs(1_000), 20);
        let part = search.next_part().expect("a part");
        assert_eq!((part.jobs.len(), part.lanes), (64, 4));
        // Owner 9 has only lanes at blocked hosts.
        let rows = (0..64).map(|place| row(place, &format!("h{place}"), place % 10 != 9));
        search.add(rows.collect());
        let part = search.next_part().expect("the next job of owner 9");
        assert_eq!(part.jobs.len(), 1);
        search.add(vec![row(0, "closed", false)]);
        let part = search.next_part().expect("its next jobs");
        assert_eq!(part.jobs.len(), 4);
        search.add(vec![row(3, "open", true)]);
        assert!(search.next_part().is_none());
        search.choose(&FairShares::default(), 20, &20.into());
        assert_eq!(search.hosts().len(), 20);
    }

    #[test]
    fn jobs_without_lanes_are_not_searched() {
        let mut all = jobs(3);
        all[1].ready = false;
        let mut search = LaneSearch::new(all, 20);
        assert_eq!(search.next_part().expect("a part").jobs.len(), 2);
        assert!(search.next_part().is_none());
    }

    #[test]
    fn blocked_lanes_are_postponed_when_they_hide_others() {
        let mut search = LaneSearch::new(jobs(1), 2);
        let part = search.next_part().expect("a part");
        search.add((0..part.lanes - 1).map(|_| row(0, "h", false)).collect());
        assert!(search.postponed.is_empty());
        let mut search = LaneSearch::new(jobs(1), 2);
        search.next_part().expect("a part");
        let mut rows: Vec<LaneRow> = (0..part.lanes).map(|_| row(0, "h", false)).collect();
        rows[0].opens_in = 7_000;
        search.add(rows);
        let millis: Vec<i64> = search.postponed.iter().map(|lane| lane.millis).collect();
        assert_eq!(millis.len(), 8);
        assert_eq!(&millis[..2], [7_000, SLOT_WAIT]);
    }

    /// However many jobs wait for a blocked host, a search is short, and each job is searched in its turn.
    #[test]
    fn a_search_is_bounded_and_leaves_out_no_job() {
        let shares = FairShares::default();
        let mut all = jobs(5_000);
        for job in &mut all {
            "one".clone_into(&mut job.owner);
        }
        let mut seen = HashSet::new();
        for _ in 0..10 {
            let mut search = LaneSearch::of(&shares, all.clone(), 20);
            let mut read = 0;
            while let Some(part) = search.next_part() {
                read += part.jobs.len();
                seen.extend(part.jobs.iter().copied());
                let rows = (0..).zip(&part.jobs).map(|(place, _)| LaneRow {
                    opens_in: 900,
                    ..row(place, "slow", false)
                });
                search.add(rows.collect());
            }
            search.choose(&shares, 20, &20.into());
            assert_eq!(read, 832);
            assert_eq!(search.postponed.len(), 0, "the first part is read again");
            let [crowded] = &search.crowded[..] else {
                panic!("{:?}", search.crowded);
            };
            assert_eq!((crowded.first.len(), crowded.millis), (64, 7_200));
        }
        assert_eq!(seen.len(), 5_000);
    }
}
