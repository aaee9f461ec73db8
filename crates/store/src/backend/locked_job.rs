//! A job's row under its lock, and what the rules derive from it.

use std::collections::BTreeSet;

use super::MAX_LEFT_OUT;
use crate::{JobId, JobState, TrapCounts};

/// The stop reason of a job that left out tasks because of its limit of tasks.
pub(super) const MAX_PAGES: &str = "max_pages";

/// The fields of a job that the rules need, as read under the row's lock and as written back.
#[derive(Clone, Debug)]
pub struct LockedJob {
    /// The job.
    pub id: JobId,
    /// The stable spelling of its state.
    pub status: String,
    /// Its depth limit.
    pub max_depth: Option<i64>,
    /// Its limit of admitted tasks.
    pub max_tasks: Option<i64>,
    /// Its limit of body bytes.
    pub max_bytes: Option<i64>,
    /// Why it is being ended early, or that it left out tasks at its limit.
    pub stop_reason: Option<String>,
    /// With a depth limit, tasks deeper than this are gated.
    pub open_depth: i64,
    /// Tasks admitted.
    pub admitted: i64,
    /// New tasks that were not admitted.
    pub left_out: i64,
    /// URLs that were refused as crawler traps.
    pub traps: TrapCounts,
    /// Body bytes.
    pub bytes: i64,
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
    /// Hosts that may have work again.
    pub hosts: BTreeSet<String>,
}

impl LockedJob {
    /// Whether the job has ended.
    pub fn is_final(&self) -> bool {
        JobState::named(&self.status).is_none_or(JobState::is_final)
    }

    /// Whether the job is being ended early. At the limit of tasks it is not: those that were admitted are still fetched.
    pub fn is_stopping(&self) -> bool {
        let reason = self.stop_reason.as_deref();
        reason.is_some_and(|reason| reason != MAX_PAGES)
    }

    /// How many more tasks may be admitted.
    pub fn remaining_tasks(&self) -> i64 {
        if self.is_stopping() {
            return 0;
        }
        self.max_tasks
            .map_or(i64::MAX, |max| (max - self.admitted).max(0))
    }

    /// Whether further URLs that are left out are counted: each takes space until the job has ended.
    pub(super) fn counts_left_out(&self) -> bool {
        self.left_out < MAX_LEFT_OUT
    }

    /// Tasks deeper than this are gated; without a depth limit none is.
    pub fn gate(&self) -> i64 {
        if self.max_depth.is_some() {
            self.open_depth
        } else {
            i64::MAX
        }
    }

    /// Whether tasks that workers hold are skipped too. At the byte limit, they may finish.
    pub(super) fn stops_held_tasks(&self) -> bool {
        self.is_stopping() && self.stop_reason.as_deref() != Some("max_bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> LockedJob {
        LockedJob {
            id: JobId::fresh(),
            status: "running".to_owned(),
            max_depth: None,
            max_tasks: Some(10),
            max_bytes: None,
            stop_reason: None,
            open_depth: 2,
            admitted: 7,
            left_out: 0,
            traps: TrapCounts::default(),
            bytes: 0,
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
        job.stop_reason = Some("max_pages".to_owned());
        assert_eq!(job.remaining_tasks(), i64::MAX);
        job.stop_reason = Some("cancelled".to_owned());
        assert_eq!(job.remaining_tasks(), 0);
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
        job.max_depth = Some(5);
        assert_eq!(job.gate(), 2);
    }

    #[test]
    fn at_the_byte_limit_held_tasks_may_finish() {
        let mut job = job();
        assert!(!job.stops_held_tasks());
        for (reason, stops) in [
            ("max_bytes", false),
            ("max_pages", false),
            ("max_duration", true),
            ("cancelled", true),
        ] {
            job.stop_reason = Some(reason.to_owned());
            assert_eq!(job.stops_held_tasks(), stops, "{reason}");
        }
    }
}
