//! Progress of the reconciler over the open jobs.

use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

use super::{MAX_JOBS_CHECKED, MAX_JOBS_PER_ROUND, to_i64};
use crate::JobId;

/// Progress of the reconciler over the open jobs; shared by all handles to a store.
#[derive(Clone, Default, Debug)]
pub struct JobSweep(Arc<Mutex<Option<JobId>>>);

impl JobSweep {
    /// The job that was checked last; the smallest one at the start of a sweep.
    pub fn position(&self) -> JobId {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.unwrap_or(JobId(Uuid::nil()))
    }

    /// Records a round, whose jobs are in ascending order, and returns those that the rules are to be applied to. If these are too
    /// many for one round, the next one continues after the last of them; a round that is not full is the last one of its sweep.
    pub fn advance(&self, checked: impl IntoIterator<Item = (JobId, bool)>) -> Vec<JobId> {
        let (mut due, mut count, mut last) = (Vec::new(), 0, None);
        for (job, is_due) in checked {
            count += 1;
            last = Some(job);
            due.extend(is_due.then_some(job));
            if to_i64(due.len() as u64) >= MAX_JOBS_PER_ROUND {
                count = MAX_JOBS_CHECKED;
                break;
            }
        }
        let last = last.filter(|_| count >= MAX_JOBS_CHECKED);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = last;
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_checked_in_its_round() {
        let all: Vec<JobId> = (1..=5_000).map(|id| JobId(Uuid::from_u128(id))).collect();
        let sweep = JobSweep::default();
        let round = |is_due: fn(u128) -> bool| {
            let after = sweep.position();
            let rest = all.iter().filter(|job| **job > after).take(2_000);
            let due = sweep.advance(rest.map(|job| (*job, is_due(job.0.as_u128()))));
            due.len()
        };
        let rounds: Vec<usize> = (0..4).map(|_| round(|id| id % 1_000 == 0)).collect();
        assert_eq!(rounds, [2, 2, 1, 2]);
        let sweep_of_many: Vec<usize> = (0..9).map(|_| round(|_| true)).collect();
        assert_eq!(sweep_of_many[..6], [500; 6]);
    }
}
