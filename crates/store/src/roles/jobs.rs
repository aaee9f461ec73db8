//! Jobs as a client sees them. What is not accessible to the client does not exist for it.

use crate::{
    Access, CallWrapper, Cancel, Cursor, Job, JobCreation, JobFilter, JobId, JobRequest, ListPage,
    NewJob, StoreResult, WrappedStore,
};

/// Jobs as a client sees them: created, read, listed, cancelled.
pub trait Jobs: Send + Sync {
    /// Creates a job and its first tasks in one transaction. A job without seeds fails immediately. If a job with its
    /// idempotency key exists, nothing is created.
    fn create_job(&self, job: NewJob) -> impl Future<Output = StoreResult<JobCreation>> + Send;

    /// Returns a job with its current counts.
    fn job(
        &self,
        access: &Access,
        id: JobId,
    ) -> impl Future<Output = StoreResult<Option<Job>>> + Send;

    /// Returns what a job was created with. The cost does not depend on the job's size.
    fn request(
        &self,
        access: &Access,
        id: JobId,
    ) -> impl Future<Output = StoreResult<Option<JobRequest>>> + Send;

    /// Lists jobs, newest first.
    fn jobs(
        &self,
        access: &Access,
        filter: JobFilter,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> impl Future<Output = StoreResult<ListPage<Job>>> + Send;

    /// Cancels a job: open tasks become skipped and their leases end; stored results stay.
    fn cancel(
        &self,
        access: &Access,
        id: JobId,
    ) -> impl Future<Output = StoreResult<Cancel>> + Send;
}

impl<S: Jobs, W: CallWrapper> Jobs for WrappedStore<S, W> {
    async fn create_job(&self, job: NewJob) -> StoreResult<JobCreation> {
        let call = self.inner.create_job(job);
        self.wrapper.call("create_job", call).await
    }

    async fn job(&self, access: &Access, id: JobId) -> StoreResult<Option<Job>> {
        let call = self.inner.job(access, id);
        self.wrapper.call("job", call).await
    }

    async fn request(&self, access: &Access, id: JobId) -> StoreResult<Option<JobRequest>> {
        let call = self.inner.request(access, id);
        self.wrapper.call("request", call).await
    }

    async fn jobs(
        &self,
        access: &Access,
        filter: JobFilter,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<Job>> {
        let call = self.inner.jobs(access, filter, limit, cursor);
        self.wrapper.call("jobs", call).await
    }

    async fn cancel(&self, access: &Access, id: JobId) -> StoreResult<Cancel> {
        let call = self.inner.cancel(access, id);
        self.wrapper.call("cancel", call).await
    }
}
