//! An answer in the making: what the browser told of a page, as a fetcher tells it.

use std::time::SystemTime;

use bytes::Bytes;
use fetch::{Body, Fetched, Want, retry_after};
use model::{RenderReason, Rendering};
use tokio::time::Instant;

use crate::navigation::Head;
use crate::snapshot::Snapshot;

/// What a tab made of a page.
#[derive(Debug)]
pub(crate) enum Made {
    /// An answer.
    Answer(Box<Fetched>),
    /// It is no page: whoever wants it may have it by HTTP.
    NotHtml,
}

/// An answer in the making.
pub(crate) struct Making {
    pub(crate) head: Head,
    pub(crate) wire_bytes: u64,
    pub(crate) begun: Instant,
}

impl Making {
    fn answer(&self) -> Fetched {
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
            rendering: Some(Rendering::because(RenderReason::Asked)),
            elapsed: self.begun.elapsed(),
        }
    }

    /// With a document.
    pub(crate) fn document(&self, taken: Snapshot) -> Made {
        Made::Answer(Box::new(Fetched {
            body: Body::Html(taken.html.into()),
            truncated: taken.cut,
            ..self.answer()
        }))
    }

    /// A status says it all.
    pub(crate) fn head_alone(&self, want: Want) -> Made {
        let mut answer = self.answer();
        answer.rendering = Some(Rendering::not(RenderReason::NotHtml));
        if want == Want::Document && answer.status >= 400 {
            answer.body = Body::Html(Bytes::new());
        }
        Made::Answer(Box::new(answer))
    }

    /// It is elsewhere.
    pub(crate) fn elsewhere(&self, to: String, moved_by_script: bool) -> Made {
        Made::Answer(Box::new(Fetched {
            location: Some(to),
            moved_by_script,
            ..self.answer()
        }))
    }
}
