//! The [`Site`] trait: responds to requests. A closure is a site.

use std::sync::Arc;

use crate::{Request, SiteResponse};

/// Responds to requests. Called from many connections at once, so any state needs a lock.
pub trait Site: Send + Sync + 'static {
    /// Returns the response to a request. Must not block: all connections share a thread.
    fn respond(&self, request: &Request) -> SiteResponse;
}

impl<F> Site for F
where
    F: Fn(&Request) -> SiteResponse + Send + Sync + 'static,
{
    fn respond(&self, request: &Request) -> SiteResponse {
        self(request)
    }
}

impl<S: Site + ?Sized> Site for Arc<S> {
    fn respond(&self, request: &Request) -> SiteResponse {
        (**self).respond(request)
    }
}
