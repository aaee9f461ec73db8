//! The one seam of this crate: a site is what answers requests. A closure is a site.

use std::sync::Arc;

use crate::{Answer, Request};

/// Answers requests; called from many connections at once, so state needs a lock of its own.
pub trait Site: Send + Sync + 'static {
    /// The answer to one request. Must not block: all connections share a thread.
    fn answer(&self, request: &Request) -> Answer;
}

impl<F> Site for F
where
    F: Fn(&Request) -> Answer + Send + Sync + 'static,
{
    fn answer(&self, request: &Request) -> Answer {
        self(request)
    }
}

impl<S: Site + ?Sized> Site for Arc<S> {
    fn answer(&self, request: &Request) -> Answer {
        (**self).answer(request)
    }
}
