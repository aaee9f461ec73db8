//! A store with a wrapper around every call: timing in the service, faults in tests.

use crate::StoreResult;

/// A wrapper around store calls.
pub trait CallWrapper: Clone + Send + Sync + 'static {
    /// Runs a call. `verb` is the name of the method.
    fn call<T: Send>(
        &self,
        verb: &'static str,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> impl Future<Output = StoreResult<T>> + Send;
}

/// A store whose calls all go through a [`CallWrapper`]. It has the roles that the inner store has.
#[derive(Clone, Debug)]
pub struct WrappedStore<S, W> {
    pub(crate) inner: S,
    pub(crate) wrapper: W,
}

impl<S, W: CallWrapper> WrappedStore<S, W> {
    /// Wraps a store.
    pub fn new(inner: S, wrapper: W) -> Self {
        Self { inner, wrapper }
    }
}
