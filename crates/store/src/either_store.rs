//! One of two stores, chosen when the program starts.
//!
//! What is generic over the store, such as the API and the worker, is then compiled once, not once per store.

use std::time::Duration;

use crawler_weburl::HostKey;
use uuid::Uuid;

use crate::{
    Access, AddedUsage, ApiKey, ApiKeys, Cancel, ClaimRoom, Claimed, Cursor, FinishedTask,
    HostTurn, HostTurns, Job, JobCreation, JobFilter, JobId, JobQueue, JobRequest, Jobs, KeyHash,
    KeyRotation, Lease, ListPage, MappedUrl, NewJob, NewKey, Owner, OwnerUsage, Quota, Reconciled,
    Rescue, Rescued, Results, RobotsRecords, RobotsText, Settled, Settlement, Statistics,
    StoreResult, StoredDocument, StoredRobots, StoredTask, TaskState, TurnId, Upkeep, Usage,
    WorkerId,
};

/// One of two stores. It has the roles that both have.
#[derive(Clone, Debug)]
pub enum EitherStore<L, R> {
    /// The first of the two.
    Left(L),
    /// The second of the two.
    Right(R),
}

/// Calls a method of the store that it is.
macro_rules! call {
    ($either:ident.$method:ident($($argument:ident),*)) => {
        match $either {
            EitherStore::Left(store) => store.$method($($argument),*).await,
            EitherStore::Right(store) => store.$method($($argument),*).await,
        }
    };
}

impl<L: ApiKeys, R: ApiKeys> ApiKeys for EitherStore<L, R> {
    async fn add_key(&self, key: NewKey) -> StoreResult<ApiKey> {
        call!(self.add_key(key))
    }

    async fn keys(&self) -> StoreResult<Vec<ApiKey>> {
        call!(self.keys())
    }

    async fn revoke_key(&self, id: Uuid) -> StoreResult<bool> {
        call!(self.revoke_key(id))
    }

    async fn rotate_key(&self, id: Uuid, rotation: KeyRotation) -> StoreResult<bool> {
        call!(self.rotate_key(id, rotation))
    }

    async fn set_quota(&self, id: Uuid, quota: Quota) -> StoreResult<bool> {
        call!(self.set_quota(id, quota))
    }

    async fn key(&self, hash: KeyHash) -> StoreResult<Option<ApiKey>> {
        call!(self.key(hash))
    }

    async fn key_used(&self, id: Uuid) -> StoreResult<()> {
        call!(self.key_used(id))
    }
}

impl<L: HostTurns, R: HostTurns> HostTurns for EitherStore<L, R> {
    async fn slow_host(&self, host: &HostKey, interval: Duration) -> StoreResult<()> {
        call!(self.slow_host(host, interval))
    }

    async fn pause_host(&self, host: &HostKey, pause: Duration) -> StoreResult<()> {
        call!(self.pause_host(host, pause))
    }

    async fn take_turn(&self, host: &HostKey, lease: Duration) -> StoreResult<HostTurn> {
        call!(self.take_turn(host, lease))
    }

    async fn end_turn(&self, turn: TurnId) -> StoreResult<()> {
        call!(self.end_turn(turn))
    }

    async fn reserve_start(&self, host: &HostKey) -> StoreResult<Duration> {
        call!(self.reserve_start(host))
    }
}

impl<L: JobQueue, R: JobQueue> JobQueue for EitherStore<L, R> {
    async fn claim(
        &self,
        worker: &WorkerId,
        room: impl Into<ClaimRoom> + Send,
        lease: Duration,
    ) -> StoreResult<Vec<Claimed>> {
        call!(self.claim(worker, room, lease))
    }

    async fn job_request(&self, id: JobId) -> StoreResult<Option<JobRequest>> {
        call!(self.job_request(id))
    }

    async fn renew(
        &self,
        worker: &WorkerId,
        leases: &[Lease],
        lease: Duration,
    ) -> StoreResult<Vec<Lease>> {
        call!(self.renew(worker, leases, lease))
    }

    async fn settle(&self, batch: Vec<Settlement>) -> StoreResult<Settled> {
        call!(self.settle(batch))
    }

    async fn rescue(&self, which: Rescue) -> StoreResult<Rescued> {
        call!(self.rescue(which))
    }

    async fn reconcile(&self) -> StoreResult<Reconciled> {
        call!(self.reconcile())
    }
}

impl<L: Jobs, R: Jobs> Jobs for EitherStore<L, R> {
    async fn create_job(&self, job: NewJob) -> StoreResult<JobCreation> {
        call!(self.create_job(job))
    }

    async fn job(&self, access: &Access, id: JobId) -> StoreResult<Option<Job>> {
        call!(self.job(access, id))
    }

    async fn request(&self, access: &Access, id: JobId) -> StoreResult<Option<JobRequest>> {
        call!(self.request(access, id))
    }

    async fn jobs(
        &self,
        access: &Access,
        filter: JobFilter,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<Job>> {
        call!(self.jobs(access, filter, limit, cursor))
    }

    async fn cancel(&self, access: &Access, id: JobId) -> StoreResult<Cancel> {
        call!(self.cancel(access, id))
    }
}

impl<L: Results, R: Results> Results for EitherStore<L, R> {
    async fn documents(
        &self,
        access: &Access,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<StoredDocument>> {
        call!(self.documents(access, job, limit, cursor))
    }

    async fn mapped(
        &self,
        access: &Access,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<MappedUrl>> {
        call!(self.mapped(access, job, limit, cursor))
    }

    async fn tasks(
        &self,
        access: &Access,
        job: JobId,
        state: Option<TaskState>,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<StoredTask>> {
        call!(self.tasks(access, job, state, limit, cursor))
    }

    async fn finished_since(
        &self,
        access: &Access,
        job: JobId,
        sequence: i64,
        limit: u32,
    ) -> StoreResult<Vec<FinishedTask>> {
        call!(self.finished_since(access, job, sequence, limit))
    }
}

impl<L: RobotsRecords, R: RobotsRecords> RobotsRecords for EitherStore<L, R> {
    async fn robots(&self, origin: &str) -> StoreResult<Option<StoredRobots>> {
        call!(self.robots(origin))
    }

    async fn save_robots(&self, origin: &str, robots: RobotsText) -> StoreResult<()> {
        call!(self.save_robots(origin, robots))
    }
}

impl<L: Upkeep, R: Upkeep> Upkeep for EitherStore<L, R> {
    async fn prune(&self, age: Duration, max: u32) -> StoreResult<u64> {
        call!(self.prune(age, max))
    }

    async fn prune_hosts(&self, age: Duration, robots_age: Duration) -> StoreResult<u64> {
        call!(self.prune_hosts(age, robots_age))
    }

    async fn shrink(&self) -> StoreResult<u64> {
        call!(self.shrink())
    }

    async fn ready(&self) -> StoreResult<()> {
        call!(self.ready())
    }

    async fn reachable(&self) -> StoreResult<()> {
        call!(self.reachable())
    }

    async fn statistics(&self) -> StoreResult<Statistics> {
        call!(self.statistics())
    }
}

impl<L: Usage, R: Usage> Usage for EitherStore<L, R> {
    async fn usage(&self, owner: &Owner) -> StoreResult<OwnerUsage> {
        call!(self.usage(owner))
    }

    async fn add_usage(&self, added: &[(Owner, AddedUsage)]) -> StoreResult<()> {
        call!(self.add_usage(added))
    }
}
