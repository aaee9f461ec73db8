//! Politeness toward hosts, shared by all workers of a store.

use std::time::Duration;

use crawler_weburl::HostKey;

use crate::{CallWrapper, HostTurn, StoreResult, TurnId, WrappedStore};

/// Politeness toward hosts, shared by all workers of a store.
pub trait HostTurns: Send + Sync {
    /// Sets the minimum interval between requests to a host, its crawl-delay. The longest one ever set applies.
    fn slow_host(
        &self,
        host: &HostKey,
        interval: Duration,
    ) -> impl Future<Output = StoreResult<()>> + Send;

    /// Sends no request to a host for this long, its `Retry-After`. The latest end ever set applies.
    fn pause_host(
        &self,
        host: &HostKey,
        pause: Duration,
    ) -> impl Future<Output = StoreResult<()>> + Send;

    /// Takes a slot for one request outside of any job. The slot is freed after `lease` at the latest.
    fn take_turn(
        &self,
        host: &HostKey,
        lease: Duration,
    ) -> impl Future<Output = StoreResult<HostTurn>> + Send;

    /// Gives a slot back.
    fn end_turn(&self, turn: TurnId) -> impl Future<Output = StoreResult<()>> + Send;

    /// Reserves a host's next start for a request that no claim scheduled; returns how long to wait for it.
    fn reserve_start(&self, host: &HostKey) -> impl Future<Output = StoreResult<Duration>> + Send;
}

impl<S: HostTurns, W: CallWrapper> HostTurns for WrappedStore<S, W> {
    async fn slow_host(&self, host: &HostKey, interval: Duration) -> StoreResult<()> {
        let call = self.inner.slow_host(host, interval);
        self.wrapper.call("slow_host", call).await
    }

    async fn pause_host(&self, host: &HostKey, pause: Duration) -> StoreResult<()> {
        let call = self.inner.pause_host(host, pause);
        self.wrapper.call("pause_host", call).await
    }

    async fn take_turn(&self, host: &HostKey, lease: Duration) -> StoreResult<HostTurn> {
        let call = self.inner.take_turn(host, lease);
        self.wrapper.call("take_turn", call).await
    }

    async fn end_turn(&self, turn: TurnId) -> StoreResult<()> {
        self.wrapper
            .call("end_turn", self.inner.end_turn(turn))
            .await
    }

    async fn reserve_start(&self, host: &HostKey) -> StoreResult<Duration> {
        let call = self.inner.reserve_start(host);
        self.wrapper.call("reserve_start", call).await
    }
}
