//! Caches the pages of a site in memory, so that a server only has to send them. For benchmarks.

use std::collections::HashMap;
use std::sync::RwLock;

use bytes::Bytes;

use crate::coding::gzip;
use crate::site_response::ResponseKind;
use crate::{Request, Site, SiteResponse};

/// Caches the pages of a site. All clients must use the same host name, because pages may contain it.
#[derive(Debug)]
pub struct CachedSite<S> {
    site: S,
    gzip: bool,
    /// Pages by target. Only responses with status 200 are cached, so that the cache is bounded.
    pages: RwLock<HashMap<String, SiteResponse>>,
}

impl<S: Site> CachedSite<S> {
    /// Caches pages as the site generates them.
    pub fn new(site: S) -> Self {
        Self {
            site,
            gzip: false,
            pages: RwLock::default(),
        }
    }

    /// Caches and sends them compressed for clients that accept gzip.
    #[must_use]
    pub fn gzipped(mut self) -> Self {
        self.gzip = true;
        self
    }
}

impl<S: Site> Site for CachedSite<S> {
    fn respond(&self, request: &Request) -> SiteResponse {
        if self.gzip && !request.accepts_gzip() {
            return self.site.respond(request);
        }
        if let Some(page) = self.pages.read().unwrap().get(request.target()) {
            return page.clone();
        }
        let mut response = self.site.respond(request);
        let ResponseKind::Reply(reply) = &mut response.kind else {
            return response;
        };
        if reply.status != 200 {
            return response;
        }
        if self.gzip {
            reply.body = Bytes::from(gzip(&reply.body));
            response = response.header("Content-Encoding", "gzip");
        }
        let target = request.target().to_owned();
        self.pages.write().unwrap().insert(target, response.clone());
        response
    }
}
