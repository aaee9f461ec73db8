//! Which open jobs a claim reads: all of them, or of very many a part in turn, so that a claim costs the same however many
//! there are.
//!
//! Of very many, a window has some jobs of each owner: those of the highest priority (the newest first), and some of the others,
//! which continue where the window before ended. So each job is read after some claims, and a job that was just created is
//! read by the next one. Who is served first among those that were read is decided by [`FairShares`](super::FairShares).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::OpenJob;
use crate::JobId;

/// Up to so many open jobs are all read.
pub const MAX_JOBS_READ: usize = 1_024;
/// Maximum number of owners in a window; the next one continues after them.
pub const MAX_OWNERS_READ: usize = 256;
/// Minimum number of jobs of an owner in each half of a window.
const MIN_JOBS_OF_OWNER: usize = 2;
/// Maximum number of windows that a claim reads to find a job with a lane to check.
const MAX_WINDOWS: usize = 16;
/// Number of claims after which it is checked again whether there are still very many jobs.
const CLAIMS_PER_CHECK: u32 = 32;
/// Owners whose position is remembered; above it, all begin anew.
const MAX_POSITIONS: usize = 4_096;
/// How often jobs that have ended are forgotten while there are very many: all open jobs are read for that.
const CLEANING_INTERVAL: Duration = Duration::from_mins(1);

/// The position of the windows; shared by all handles to a store.
#[derive(Clone, Default, Debug)]
pub struct JobWindow(Arc<Mutex<State>>);

#[derive(Default, Debug)]
struct State {
    /// Number of claims until all jobs are tried to be read again.
    claims_left: u32,
    /// The last owner of the window before, unless it was the last of all.
    owners_after: String,
    /// Of each owner, the last job in turn.
    positions: HashMap<String, (i64, JobId)>,
    cleaned_at: Option<Instant>,
}

/// One window's jobs of one owner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnerWindow {
    /// The owner.
    pub owner: String,
    /// The jobs in turn continue below this priority, ...
    pub priority: i64,
    /// ... or with this priority, and an id below this.
    pub id: JobId,
}

/// The jobs that a store read in a window.
#[derive(Debug)]
pub struct WindowRow {
    /// The job.
    pub job: OpenJob,
    /// Whether it is one of those in turn.
    pub in_turn: bool,
}

/// The windows of one claim.
#[derive(Debug)]
pub struct WindowReading<'a> {
    window: &'a JobWindow,
    windows: usize,
    jobs: HashMap<JobId, OpenJob>,
}

impl JobWindow {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a claim should try to read all jobs.
    pub fn reads_all(&self) -> bool {
        let mut state = self.state();
        state.claims_left = state.claims_left.saturating_sub(1);
        state.claims_left == 0
    }

    /// Records how many jobs were read, of which at most one more than [`MAX_JOBS_READ`]; returns whether these were all.
    pub fn has_read(&self, jobs: usize) -> bool {
        let all = jobs <= MAX_JOBS_READ;
        if !all {
            self.state().claims_left = CLAIMS_PER_CHECK;
        }
        all
    }

    /// Whether claims read windows, and the jobs that have ended should be forgotten now.
    pub fn is_cleaning_due(&self) -> bool {
        let mut state = self.state();
        let is_recent = |at: Instant| at.elapsed() < CLEANING_INTERVAL;
        if state.claims_left == 0 || state.cleaned_at.is_some_and(is_recent) {
            return false;
        }
        state.cleaned_at = Some(Instant::now());
        true
    }

    /// Begins to read windows.
    pub fn read(&self) -> WindowReading<'_> {
        WindowReading {
            window: self,
            windows: 0,
            jobs: HashMap::new(),
        }
    }
}

impl WindowReading<'_> {
    /// The owner after which the owners of the next window begin; `None` if enough was read.
    pub fn next_owners(&mut self) -> Option<String> {
        let found = self.jobs.values().any(|job| job.ready);
        if found || self.windows >= MAX_WINDOWS {
            return None;
        }
        self.windows += 1;
        Some(self.window.state().owners_after.clone())
    }

    /// The window of these owners, and how many jobs of each half it has.
    pub fn of(&self, owners: Vec<String>) -> (Vec<OwnerWindow>, i64) {
        let mut state = self.window.state();
        let is_full = owners.len() >= MAX_OWNERS_READ;
        state.owners_after = match owners.last() {
            Some(last) if is_full => last.clone(),
            _ => String::new(),
        };
        let jobs = MAX_JOBS_READ.checked_div(2 * owners.len()).unwrap_or(0);
        let windows = owners.into_iter().map(|owner| {
            let position = state.positions.get(&owner).copied();
            let (priority, id) = position.unwrap_or((i64::MAX, JobId(Uuid::nil())));
            OwnerWindow {
                owner,
                priority,
                id,
            }
        });
        let jobs = i64::try_from(jobs.max(MIN_JOBS_OF_OWNER)).unwrap_or(i64::MAX);
        (windows.collect(), jobs)
    }

    /// Adds the rows of a window; `jobs` is the size of each half.
    pub fn add(&mut self, windows: &[OwnerWindow], jobs: i64, rows: Vec<WindowRow>) {
        let mut in_turn: HashMap<String, Vec<(i64, JobId)>> = HashMap::new();
        let size = usize::try_from(jobs).unwrap_or(usize::MAX);
        for row in rows {
            let job = row.job;
            if row.in_turn {
                let of_owner = in_turn.entry(job.owner.clone()).or_default();
                of_owner.push((job.priority, job.id));
            }
            self.jobs.insert(job.id, job);
        }
        let mut state = self.window.state();
        if state.positions.len() > MAX_POSITIONS {
            state.positions.clear();
        }
        for window in windows {
            let mut of_owner = in_turn.remove(&window.owner).unwrap_or_default();
            // Two queries, one for the rest of a priority and one for those below it, gave so many each.
            of_owner.sort_unstable_by(|one, other| other.cmp(one));
            of_owner.truncate(size);
            match of_owner.last() {
                Some(last) if of_owner.len() >= size => {
                    state.positions.insert(window.owner.clone(), *last);
                }
                // The last ones: the next window begins again.
                _ => {
                    state.positions.remove(&window.owner);
                }
            }
        }
    }

    /// The jobs that were read.
    pub fn into_jobs(self) -> Vec<OpenJob> {
        self.jobs.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn job(id: u128, owner: &str, priority: i64) -> OpenJob {
        OpenJob {
            id: JobId(Uuid::from_u128(id)),
            owner: owner.to_owned(),
            weight: 1,
            priority,
            queued: false,
            ready: true,
        }
    }

    /// Reads a window like a store; `jobs` are sorted by descending priority and id.
    fn read(window: &JobWindow, jobs: &[OpenJob]) -> Vec<OpenJob> {
        let mut reading = window.read();
        while let Some(after) = reading.next_owners() {
            let mut owners: Vec<String> = jobs.iter().map(|job| job.owner.clone()).collect();
            owners.sort_unstable();
            owners.dedup();
            owners.retain(|owner| *owner > after);
            owners.truncate(MAX_OWNERS_READ);
            let (windows, count) = reading.of(owners);
            let mut rows = Vec::new();
            for window in &windows {
                let size = usize::try_from(count).unwrap();
                let own = || jobs.iter().filter(|job| job.owner == window.owner);
                let mut push = |job: &OpenJob, in_turn| {
                    let job = job.clone();
                    rows.push(WindowRow { job, in_turn });
                };
                own().take(size).for_each(|job| push(job, false));
                let position = (window.priority, window.id);
                let rest = own().filter(|job| (job.priority, job.id) < position);
                rest.take(size).for_each(|job| push(job, true));
            }
            reading.add(&windows, count, rows);
        }
        reading.into_jobs()
    }

    #[test]
    fn every_job_is_read_after_some_claims() {
        let mut jobs: Vec<OpenJob> = (0..30_000)
            .map(|id| job(id, &format!("owner{}", id % 7), i64::from(id % 3 == 0)))
            .collect();
        jobs.sort_by_key(|job| std::cmp::Reverse((job.priority, job.id)));
        let window = JobWindow::default();
        let mut seen = HashSet::new();
        for _ in 0..70 {
            let part = read(&window, &jobs);
            assert!(part.len() <= MAX_JOBS_READ, "{}", part.len());
            let owners: HashSet<&str> = part.iter().map(|job| job.owner.as_str()).collect();
            assert_eq!(owners.len(), 7);
            // The newest of the highest priority is always among them.
            assert!(part.iter().any(|job| job.id == jobs[0].id));
            seen.extend(part.into_iter().map(|job| job.id));
        }
        assert_eq!(seen.len(), jobs.len());
    }

    #[test]
    fn owners_are_read_in_turn_if_there_are_very_many() {
        let jobs: Vec<OpenJob> = (0..2_000)
            .rev()
            .map(|id| job(id, &format!("owner{id}"), 5))
            .collect();
        let window = JobWindow::default();
        let mut seen = HashSet::new();
        for _ in 0..8 {
            let part = read(&window, &jobs);
            assert!(part.len() <= MAX_OWNERS_READ);
            seen.extend(part.into_iter().map(|job| job.id));
        }
        assert_eq!(seen.len(), jobs.len());
    }

    /// Jobs whose lanes are all postponed do not keep a claim from the others, up to a limit.
    #[test]
    fn windows_are_read_until_a_job_is_ready() {
        let mut jobs: Vec<OpenJob> = (0..6_000).rev().map(|id| job(id, "one", 5)).collect();
        for job in jobs.iter_mut().take(5_999) {
            job.ready = false;
        }
        let window = JobWindow::default();
        assert!(read(&window, &jobs).iter().any(|job| job.ready));
    }

    #[test]
    fn all_jobs_are_tried_again_after_some_claims() {
        let window = JobWindow::default();
        assert!(window.reads_all());
        assert!(!window.is_cleaning_due());
        assert!(!window.has_read(MAX_JOBS_READ + 1));
        assert!(window.is_cleaning_due());
        assert!(!window.is_cleaning_due(), "not again at once");
        assert_eq!((0..100).take_while(|_| !window.reads_all()).count(), 31);
        assert!(window.has_read(MAX_JOBS_READ));
        assert!(window.reads_all());
    }
}
