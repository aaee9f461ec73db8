//! Converts what the browser reported about a page into a [`Fetched`].

use std::time::SystemTime;

use bytes::Bytes;
use crawler_fetch::{Accept, Body, Fetched, retry_after};
use crawler_model::{RenderReason, Rendering};
use tokio::time::Instant;

use crate::navigation::ResponseHead;
use crate::snapshot::Snapshot;

/// The result of rendering a page in a tab.
#[derive(Debug)]
pub(crate) enum TabResult {
    /// A response.
    Response(Box<Fetched>),
    /// Not an HTML page; fetch it by HTTP instead.
    NotHtml,
}

/// The parts of a response known before its body.
pub(crate) struct ResponseParts {
    pub(crate) head: ResponseHead,
    pub(crate) wire_bytes: u64,
    pub(crate) start: Instant,
}

impl ResponseParts {
    fn response(&self) -> Fetched {
        let text = |name| {
            let value = self.head.headers.get(name)?;
            Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        Fetched {
            status: self.head.status,
            content_type: text(http::header::CONTENT_TYPE),
            location: text(http::header::LOCATION),
            retry_after: retry_after(&self.head.headers, SystemTime::now()),
            body: Body::Unread,
            wire_bytes: self.wire_bytes,
            truncated: false,
            moved_by_script: false,
            rendering: Some(Rendering::because(RenderReason::Requested)),
            elapsed: self.start.elapsed(),
        }
    }

    /// Returns a response with a document; `timed_out`: its scripts were still running at the time limit.
    pub(crate) fn document(&self, snapshot: Snapshot, timed_out: bool) -> TabResult {
        TabResult::Response(Box::new(Fetched {
            body: Body::Html(snapshot.html.into()),
            truncated: snapshot.truncated,
            rendering: Some(Rendering {
                timed_out,
                ..Rendering::because(RenderReason::Requested)
            }),
            ..self.response()
        }))
    }

    /// Returns a response without a document.
    pub(crate) fn without_body(&self, accept: Accept) -> TabResult {
        let mut response = self.response();
        response.rendering = Some(Rendering::not(RenderReason::NotHtml));
        if accept == Accept::Document && response.page_status().is_error_page() {
            response.body = Body::Html(Bytes::new());
        }
        TabResult::Response(Box::new(response))
    }

    /// Returns a redirect.
    pub(crate) fn redirect(&self, to: String, moved_by_script: bool) -> TabResult {
        TabResult::Response(Box::new(Fetched {
            location: Some(to),
            moved_by_script,
            ..self.response()
        }))
    }
}
