//! A site whose pages are written once and kept, so that a server asked for the same pages again and again has nothing
//! to do but to send them. For benchmarks: it takes as much memory as the pages have bytes.

use std::collections::HashMap;
use std::sync::RwLock;

use bytes::Bytes;

use crate::answer::Kind;
use crate::coding::gzip;
use crate::{Answer, Request, Site};

/// Keeps the pages of a site. Everybody must ask by the same host name: a page that prints it is kept with it.
#[derive(Debug)]
pub struct Kept<S> {
    site: S,
    gzip: bool,
    /// By their target. What is not 200 is not kept: there is no end of what a site does not have.
    pages: RwLock<HashMap<String, Answer>>,
}

impl<S: Site> Kept<S> {
    /// Keeps pages as the site writes them.
    pub fn new(site: S) -> Self {
        Self {
            site,
            gzip: false,
            pages: RwLock::default(),
        }
    }

    /// Sends them gzipped to those who accept that, and keeps them so.
    #[must_use]
    pub fn gzipped(mut self) -> Self {
        self.gzip = true;
        self
    }
}

impl<S: Site> Site for Kept<S> {
    fn answer(&self, request: &Request) -> Answer {
        if self.gzip && !request.accepts_gzip() {
            return self.site.answer(request);
        }
        if let Some(page) = self.pages.read().unwrap().get(request.target()) {
            return page.clone();
        }
        let mut answer = self.site.answer(request);
        let Kind::Reply(reply) = &mut answer.kind else {
            return answer;
        };
        if reply.status != 200 {
            return answer;
        }
        if self.gzip {
            reply.body = Bytes::from(gzip(&reply.body));
            answer = answer.header("Content-Encoding", "gzip");
        }
        let target = request.target().to_owned();
        self.pages.write().unwrap().insert(target, answer.clone());
        answer
    }
}
