//! Reads the open jobs for a claim: all of them, or windows of very many. Each store adds only its SQL.

use super::{FairShares, JobWindow, OpenJob, OwnerWindow, WindowRow};

/// The statements that read open jobs for a claim.
pub trait OpenJobsReader: Send {
    /// The error of the driver.
    type Error;

    /// Reads up to one more job than are all read.
    fn first(&mut self) -> impl Future<Output = Result<Vec<OpenJob>, Self::Error>> + Send;

    /// Reads the next owners with open jobs after this one: each is one step in the index, however many jobs it has.
    fn owners(
        &mut self,
        after: &str,
    ) -> impl Future<Output = Result<Vec<String>, Self::Error>> + Send;

    /// Reads up to so many jobs of each half of a window.
    fn window(
        &mut self,
        windows: &[OwnerWindow],
        jobs: i64,
    ) -> impl Future<Output = Result<Vec<WindowRow>, Self::Error>> + Send;
}

/// Reads the jobs that have not ended, or a part of them if there are very many.
pub async fn open_jobs<R: OpenJobsReader>(
    reader: &mut R,
    window: &JobWindow,
    shares: &FairShares,
) -> Result<Vec<OpenJob>, R::Error> {
    if window.reads_all() {
        let jobs = reader.first().await?;
        if window.has_read(jobs.len()) {
            shares.note_all(&jobs);
            return Ok(jobs);
        }
    }
    let mut reading = window.read();
    while let Some(after) = reading.next_owners() {
        let owners = reader.owners(&after).await?;
        let (windows, jobs) = reading.of(owners);
        let rows = reader.window(&windows, jobs).await?;
        reading.add(&windows, jobs, rows);
    }
    Ok(reading.into_jobs())
}
