//! Jobs as a client sees them.

use crate::{
    CallWrapper, Cancel, Cursor, Job, JobCreation, JobFilter, JobId, ListPage, NewJob, StoreResult,
    WrappedStore,
};

/// Jobs as a client sees them: created, read, listed, cancelled.
pub trait Jobs: Send + Sync {
    /// Creates a job and its first tasks in one transaction. A job without seeds fails immediately. If a job with its
    /// idempotency key exists, nothing is created.
    fn create_job(&self, job: NewJob) -> impl Future<Output = StoreResult<JobCreation>> + Send;

    /// Returns a job with its current counts.
    fn job(&self, id: JobId) -> impl Future<Output = StoreResult<Option<Job>>> + Send;

    /// Lists jobs, newest first.
    fn jobs(
        &self,
        filter: JobFilter,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> impl Future<Output = StoreResult<ListPage<Job>>> + Send;

    /// Cancels a job: open tasks become skipped and their leases end; stored results stay.
    fn cancel(&self, id: JobId) -> impl Future<Output = StoreResult<Cancel>> + Send;
}

impl<S: Jobs, W: CallWrapper> Jobs for WrappedStore<S, W> {
    async fn create_job(&self, job: NewJob) -> StoreResult<JobCreation> {
        let call = self.inner.create_job(job);
        self.wrapper.call("create_job", call).await
    }

    async fn job(&self, id: JobId) -> StoreResult<Option<Job>> {
        self.wrapper.call("job", self.inner.job(id)).await
    }

    async fn jobs(
        &self,
        filter: JobFilter,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<Job>> {
        let call = self.inner.jobs(filter, limit, cursor);
        self.wrapper.call("jobs", call).await
    }

    async fn cancel(&self, id: JobId) -> StoreResult<Cancel> {
        self.wrapper.call("cancel", self.inner.cancel(id)).await
    }
}
