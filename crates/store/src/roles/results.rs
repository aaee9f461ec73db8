//! The results of a job so far.

use crate::{
    CallWrapper, Cursor, FinishedTask, JobId, ListPage, MappedUrl, StoreResult, StoredDocument,
    StoredTask, TaskState, WrappedStore,
};

/// The results of a job so far, in pages.
pub trait Results: Send + Sync {
    /// Lists a job's documents in the order they were stored.
    fn documents(
        &self,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> impl Future<Output = StoreResult<ListPage<StoredDocument>>> + Send;

    /// Lists a job's mapped URLs in the order they were stored.
    fn mapped(
        &self,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> impl Future<Output = StoreResult<ListPage<MappedUrl>>> + Send;

    /// Lists a job's tasks in the order they were admitted.
    fn tasks(
        &self,
        job: JobId,
        state: Option<TaskState>,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> impl Future<Output = StoreResult<ListPage<StoredTask>>> + Send;

    /// Lists the tasks that finished after this event, in the order of commits and without gaps.
    fn finished_since(
        &self,
        job: JobId,
        sequence: i64,
        limit: u32,
    ) -> impl Future<Output = StoreResult<Vec<FinishedTask>>> + Send;
}

impl<S: Results, W: CallWrapper> Results for WrappedStore<S, W> {
    async fn documents(
        &self,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<StoredDocument>> {
        let call = self.inner.documents(job, limit, cursor);
        self.wrapper.call("documents", call).await
    }

    async fn mapped(
        &self,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<MappedUrl>> {
        let call = self.inner.mapped(job, limit, cursor);
        self.wrapper.call("mapped", call).await
    }

    async fn tasks(
        &self,
        job: JobId,
        state: Option<TaskState>,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<StoredTask>> {
        let call = self.inner.tasks(job, state, limit, cursor);
        self.wrapper.call("tasks", call).await
    }

    async fn finished_since(
        &self,
        job: JobId,
        sequence: i64,
        limit: u32,
    ) -> StoreResult<Vec<FinishedTask>> {
        let call = self.inner.finished_since(job, sequence, limit);
        self.wrapper.call("finished_since", call).await
    }
}
