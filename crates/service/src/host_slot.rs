//! A request slot of a host in the store.

use crawler_store::{Store, TurnId};

/// A request slot of a host, freed on drop.
#[derive(Debug)]
pub(crate) struct HostSlot<S: Store> {
    store: S,
    id: TurnId,
}

impl<S: Store> HostSlot<S> {
    pub(crate) fn new(store: S, id: TurnId) -> Self {
        Self { store, id }
    }
}

impl<S: Store> Drop for HostSlot<S> {
    fn drop(&mut self) {
        let (store, id) = (self.store.clone(), self.id);
        tokio::spawn(async move {
            // If this fails, the slot is freed when its lease expires.
            if let Err(error) = store.end_turn(id).await {
                tracing::warn!(%error, "cannot free the slot of a host");
            }
        });
    }
}
