//! The results of a job so far.

use crate::{
    Access, CallWrapper, Cursor, FinishedTask, JobId, ListPage, MappedUrl, StoreResult,
    StoredDocument, StoredTask, TaskState, WrappedStore,
};

/// The results of a job so far, in pages. Those of a job that is not accessible are empty.
pub trait Results: Send + Sync {
    /// Lists a job's documents in the order they were stored.
    fn documents(
        &self,
        access: &Access,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> impl Future<Output = StoreResult<ListPage<StoredDocument>>> + Send;

    /// Lists a job's mapped URLs in the order they were stored.
    fn mapped(
        &self,
        access: &Access,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> impl Future<Output = StoreResult<ListPage<MappedUrl>>> + Send;

    /// Lists a job's tasks in the order they were admitted.
    fn tasks(
        &self,
        access: &Access,
        job: JobId,
        state: Option<TaskState>,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> impl Future<Output = StoreResult<ListPage<StoredTask>>> + Send;

    /// Lists the tasks that finished after this event, in the order of commits and without gaps.
    fn finished_since(
        &self,
        access: &Access,
        job: JobId,
        sequence: i64,
        limit: u32,
    ) -> impl Future<Output = StoreResult<Vec<FinishedTask>>> + Send;
}

impl<S: Results, W: CallWrapper> Results for WrappedStore<S, W> {
    async fn documents(
        &self,
        access: &Access,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<StoredDocument>> {
        let call = self.inner.documents(access, job, limit, cursor);
        self.wrapper.call("documents", call).await
    }

    async fn mapped(
        &self,
        access: &Access,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<MappedUrl>> {
        let call = self.inner.mapped(access, job, limit, cursor);
        self.wrapper.call("mapped", call).await
    }

    async fn tasks(
        &self,
        access: &Access,
        job: JobId,
        state: Option<TaskState>,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<StoredTask>> {
        let call = self.inner.tasks(access, job, state, limit, cursor);
        self.wrapper.call("tasks", call).await
    }

    async fn finished_since(
        &self,
        access: &Access,
        job: JobId,
        sequence: i64,
        limit: u32,
    ) -> StoreResult<Vec<FinishedTask>> {
        let call = self.inner.finished_since(access, job, sequence, limit);
        self.wrapper.call("finished_since", call).await
    }
}
