//! A job's row under its lock, as the databases return it.

#![expect(missing_docs, reason = "a field is the column of that name")]

use super::LockedJob;
use crate::{JobId, JobState, JobStopReason, RefusedCounts};

/// The row of a [`LockedJob`].
#[derive(Clone, Debug)]
pub struct LockedJobRow {
    pub id: JobId,
    pub owner: String,
    pub status: String,
    pub max_depth: Option<i64>,
    pub max_tasks: Option<i64>,
    pub max_bytes: Option<i64>,
    pub stop_reason: Option<String>,
    pub open_depth: i64,
    pub admitted: i64,
    pub left_out: i64,
    pub traps: RefusedCounts,
    pub bytes: i64,
    pub open_tasks: i64,
    pub stored_bytes: i64,
    pub owner_room: i64,
    pub sequence: i64,
    pub overdue: bool,
}

impl TryFrom<LockedJobRow> for LockedJob {
    /// What is wrong with the row.
    type Error = String;

    fn try_from(row: LockedJobRow) -> Result<Self, String> {
        let state = JobState::named(&row.status)
            .ok_or_else(|| format!("the stored status of a job is {:?}", row.status))?;
        let stop_reason = row.stop_reason.map(|reason| {
            JobStopReason::named(&reason)
                .ok_or_else(|| format!("the stored stop reason of a job is {reason:?}"))
        });
        Ok(Self {
            id: row.id,
            owner: row.owner,
            state,
            max_depth: row.max_depth,
            max_tasks: row.max_tasks,
            max_bytes: row.max_bytes,
            stop_reason: stop_reason.transpose()?,
            open_depth: row.open_depth,
            admitted: row.admitted,
            left_out: row.left_out,
            traps: row.traps,
            bytes: row.bytes,
            open_tasks: row.open_tasks,
            stored_bytes: row.stored_bytes,
            owner_room: row.owner_room,
            sequence: row.sequence,
            overdue: row.overdue,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(status: &str, stop_reason: Option<&str>) -> LockedJobRow {
        LockedJobRow {
            id: JobId::fresh(),
            owner: "local".to_owned(),
            status: status.to_owned(),
            max_depth: None,
            max_tasks: None,
            max_bytes: None,
            stop_reason: stop_reason.map(str::to_owned),
            open_depth: 0,
            admitted: 0,
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
    fn spellings_become_states_and_unknown_ones_are_errors() {
        for (status, reason, result) in [
            ("queued", None, Ok((JobState::Queued, None))),
            (
                "running",
                Some("cancelled"),
                Ok((JobState::Running, Some(JobStopReason::Cancelled))),
            ),
            ("lost", None, Err("the stored status of a job is \"lost\"")),
            (
                "running",
                Some("tired"),
                Err("the stored stop reason of a job is \"tired\""),
            ),
        ] {
            let job = LockedJob::try_from(row(status, reason));
            let read = job.map(|job| (job.state, job.stop_reason));
            assert_eq!(
                read.as_ref().map_err(String::as_str),
                result.as_ref().map_err(|error| *error)
            );
        }
    }
}
