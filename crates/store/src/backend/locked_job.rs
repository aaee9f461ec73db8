//! A job's row under its lock, and what the rules derive from it.

use super::{MAX_LEFT_OUT, Woken};
use crate::{JobId, JobState, JobStopReason, NewTask, RefusedCounts};

/// The fields of a job that the rules need, as read under the row's lock and as written back.
#[derive(Clone, Debug)]
pub struct LockedJob {
    /// The job.
    pub id: JobId,
    /// Its owner.
    pub owner: String,
    /// Its state.
    pub state: JobState,
    /// Its depth limit.
    pub max_depth: Option<i64>,
    /// Its limit of admitted tasks.
    pub max_tasks: Option<i64>,
    /// Its limit of body bytes.
    pub max_bytes: Option<i64>,
    /// Why it is being ended early, or that it left out tasks at its limit.
    pub stop_reason: Option<JobStopReason>,
    /// With a depth limit, tasks deeper than this are gated. Negative: even seeds are, until all of them are stored.
    pub open_depth: i64,
    /// Tasks admitted.
    pub admitted: i64,
    /// New tasks that were not admitted.
    pub left_out: i64,
    /// URLs that were refused as crawler traps or as too deep.
    pub traps: RefusedCounts,
    /// Body bytes.
    pub bytes: i64,
    /// Tasks that have not ended.
    pub open_tasks: i64,
    /// Bytes of stored results.
    pub stored_bytes: i64,
    /// How many more tasks its owner's quota allows. Not a column: set by what knows the quota.
    pub owner_room: i64,
    /// Sequence number of the last finished task.
    pub sequence: i64,
    /// Whether its deadline has passed.
    pub overdue: bool,
}

/// What [`conclude`](super::conclude()) changed.
#[derive(Default, Debug)]
pub struct Conclusion {
    /// The job has ended.
    pub finished: bool,
    /// The next depth level, or a part of it, was opened.
    pub opened: bool,
    /// Tasks of a job that ends early were skipped, and there may be more of them.
    pub(super) skips_more: bool,
    /// What claims may check again.
    pub woken: Woken,
}

impl LockedJob {
    /// Whether the job has ended.
    pub fn is_final(&self) -> bool {
        self.state.is_final()
    }

    /// Whether the job is being ended early. At the limit of tasks it is not: those that were admitted are still fetched.
    pub fn is_stopping(&self) -> bool {
        self.stop_reason
            .is_some_and(|reason| !reason.leaves_out_only())
    }

    /// Whether the job has done no more than to leave out tasks at a limit.
    pub(super) fn left_out_only(&self) -> bool {
        self.stop_reason.is_some_and(JobStopReason::leaves_out_only)
    }

    /// The limit that the next task that is left out is left out because of.
    pub(super) fn task_limit(&self) -> JobStopReason {
        if self.owner_room < self.job_room() {
            JobStopReason::QueuedTasksQuota
        } else {
            JobStopReason::MaxPages
        }
    }

    fn job_room(&self) -> i64 {
        self.max_tasks
            .map_or(i64::MAX, |max| (max - self.admitted).max(0))
    }

    /// Ends the job early if it has open tasks and is not ending already.
    pub(super) fn stop_early(&mut self, reason: JobStopReason) {
        if self.open_tasks > 0 && !self.is_stopping() {
            self.stop_reason = Some(reason);
        }
    }

    /// Takes in that tasks ended.
    pub fn end_tasks(&mut self, count: i64) {
        self.sequence += count;
        self.open_tasks -= count;
    }

    /// How many more tasks may be admitted.
    pub fn remaining_tasks(&self) -> i64 {
        if self.is_stopping() {
            return 0;
        }
        self.job_room().min(self.owner_room.max(0))
    }

    /// Whether further URLs that are left out are counted: each takes space until the job has ended.
    pub(super) fn counts_left_out(&self) -> bool {
        self.left_out < MAX_LEFT_OUT
    }

    /// Whether the job was created in parts, and its seeds are still being opened.
    pub(super) fn opens_seeds(&self) -> bool {
        self.open_depth < 0
    }

    /// Tasks deeper than this are gated; without a depth limit none is, once the seeds are open.
    pub fn gate(&self) -> i64 {
        if self.max_depth.is_some() || self.opens_seeds() {
            self.open_depth
        } else {
            i64::MAX
        }
    }

    /// Whether gated tasks may have been found at a greater depth than these.
    pub fn may_move(&self, tasks: &[&NewTask]) -> bool {
        let is_open = |task: &&NewTask| i64::from(task.depth) <= self.gate();
        self.max_depth.is_some() && tasks.iter().any(is_open)
    }

    /// Whether tasks that workers hold are skipped too. At the byte limit and the quotas of its owner, they may finish.
    pub(super) fn stops_held_tasks(&self) -> bool {
        let may_finish = JobStopReason::lets_held_tasks_finish;
        self.is_stopping() && !self.stop_reason.is_some_and(may_finish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> LockedJob {
        LockedJob {
            id: JobId::fresh(),
            owner: "local".to_owned(),
            state: JobState::Running,
            max_depth: None,
            max_tasks: Some(10),
            max_bytes: None,
            stop_reason: None,
            open_depth: 2,
            admitted: 7,
            left_out: 0,
            traps: RefusedCounts::default(),
            bytes: 0,
            open_tasks: 0,
            stored_bytes: 0,
            owner_room: i64::MAX,
            sequence: 0,
            overdue: false,
        }
    }

    #[test]
    fn a_stopping_job_admits_nothing() {
        let mut job = job();
        assert_eq!(job.remaining_tasks(), 3);
        job.admitted = 12;
        assert_eq!(job.remaining_tasks(), 0);
        job.max_tasks = None;
        assert_eq!(job.remaining_tasks(), i64::MAX);
        job.stop_reason = Some(JobStopReason::MaxPages);
        assert_eq!(job.remaining_tasks(), i64::MAX);
        job.stop_reason = Some(JobStopReason::Cancelled);
        assert_eq!(job.remaining_tasks(), 0);
    }

    #[test]
    fn the_smaller_of_two_limits_is_the_reason() {
        let mut job = job();
        assert_eq!(job.task_limit(), JobStopReason::MaxPages);
        job.owner_room = 2;
        let quota = JobStopReason::QueuedTasksQuota;
        assert_eq!((job.remaining_tasks(), job.task_limit()), (2, quota));
        job.stop_reason = Some(quota);
        assert_eq!(job.remaining_tasks(), 2, "it goes on when there is room");
        job.admitted = 9;
        let max_pages = JobStopReason::MaxPages;
        assert_eq!((job.remaining_tasks(), job.task_limit()), (1, max_pages));
    }

    #[test]
    fn the_count_of_urls_left_out_is_limited() {
        let mut job = job();
        assert!(job.counts_left_out());
        job.left_out = MAX_LEFT_OUT;
        assert!(!job.counts_left_out());
    }

    #[test]
    fn only_a_depth_limit_has_a_gate() {
        let mut job = job();
        assert_eq!(job.gate(), i64::MAX);
        job.open_depth = -1;
        assert_eq!(job.gate(), -1);
        job.open_depth = 2;
        job.max_depth = Some(5);
        assert_eq!(job.gate(), 2);
    }

    #[test]
    fn at_the_byte_limit_held_tasks_may_finish() {
        let mut job = job();
        assert!(!job.stops_held_tasks());
        for (reason, stops) in [
            (JobStopReason::MaxBytes, false),
            (JobStopReason::MaxPages, false),
            (JobStopReason::QueuedTasksQuota, false),
            (JobStopReason::PagesQuota, false),
            (JobStopReason::StoredBytesQuota, false),
            (JobStopReason::MaxDuration, true),
            (JobStopReason::Cancelled, true),
        ] {
            job.stop_reason = Some(reason);
            assert_eq!(job.stops_held_tasks(), stops, "{reason:?}");
        }
    }
}
