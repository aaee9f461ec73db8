//! The messages between the two processes.
//!
//! A message is a length of four bytes and that many bytes of JSON; a length of zero says that the server still works on the page.
//! The document of a page follows its message as it is. Both ends bound what they read: the server renders hostile
//! pages, and whoever takes it over must not be able to fill the memory of the other.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use crawler_fetch::{Accept, Body, Fetched};
use crawler_model::{FailKind, Failure, RenderReason, Rendering};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::page_request::RenderedPage;
use crate::tab_result::TabResult;
use crate::{BrowserState, RenderCounts, RenderSettings, ResourceKind};

/// Maximum length of a message: a URL, headers, or the head of a response, of which each is far smaller.
const MAX_MESSAGE_BYTES: u32 = 4 << 20;
/// The byte order mark of a document, which does not count as part of it.
const MARK_BYTES: u64 = 3;

/// A request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RemoteRequest {
    /// Render a page.
    Page(Box<RemotePage>),
    /// Return the state of the browser.
    Status,
}

/// A page to render, with the settings of the process that asks.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RemotePage {
    pub(super) url: String,
    /// Also pages with an error status.
    pub(super) any_status: bool,
    pub(super) visit: u64,
    /// Headers for the origin of the URL.
    pub(super) headers: Vec<(String, String)>,
    pub(super) nav_timeout: Duration,
    pub(super) idle_timeout: Duration,
    pub(super) viewport: (u32, u32),
    pub(super) user_agent: Option<String>,
    /// Added to the browser's own user agent.
    pub(super) added_agent: String,
    pub(super) blocked: Vec<ResourceKind>,
    pub(super) max_body: u64,
    /// Destinations that the process that asks denies.
    #[serde(default)]
    pub(super) denied: Vec<String>,
    /// Destinations that it allows.
    #[serde(default)]
    pub(super) allowed: Vec<String>,
    /// Whether it allows all addresses that are not public.
    #[serde(default)]
    pub(super) allow_private: bool,
    /// Whose turn at the tabs is used.
    #[serde(default)]
    pub(super) tab_owner: u64,
}

impl RemotePage {
    pub(super) fn accept(&self) -> Accept {
        if self.any_status {
            Accept::Document
        } else {
            Accept::Page
        }
    }

    /// Returns the settings for this page: what concerns the browser and its budgets is decided by its own process.
    pub(super) fn settings(&self, own: &RenderSettings) -> RenderSettings {
        RenderSettings {
            nav_timeout: self.nav_timeout,
            idle_timeout: self.idle_timeout,
            viewport: self.viewport,
            user_agent: self.user_agent.clone(),
            added_agent: Some(self.added_agent.clone()),
            blocked: self.blocked.clone(),
            max_body: self.max_body,
            ..own.clone()
        }
    }
}

/// The response to a request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RemoteAnswer {
    /// The page has a tab; its result follows.
    Started,
    Page(Box<RemotePageHead>),
    NotHtml {
        waited: Duration,
        browser_time: Duration,
    },
    Failed {
        kind: String,
        message: String,
        /// Time for which a tab was held.
        #[serde(default)]
        browser_time: Duration,
    },
    Status(RemoteStatus),
}

/// A rendered page without its document.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RemotePageHead {
    status: u16,
    content_type: Option<String>,
    location: Option<String>,
    retry_after: Option<Duration>,
    wire_bytes: u64,
    truncated: bool,
    moved_by_script: bool,
    rendered: bool,
    timed_out: bool,
    waited: Duration,
    pub(super) browser_time: Duration,
    /// Length of the document that follows; `None`: there is none.
    pub(super) body: Option<u64>,
}

/// The state of the browser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RemoteStatus {
    running: bool,
    down: Option<String>,
    pub(super) counts: RenderCounts,
}

impl RemoteStatus {
    pub(super) fn new(state: BrowserState, counts: RenderCounts) -> Self {
        let (running, down) = match state {
            BrowserState::NotRunning => (false, None),
            BrowserState::Running => (true, None),
            BrowserState::Down(why) => (false, Some(why)),
        };
        Self {
            running,
            down,
            counts,
        }
    }

    pub(super) fn state(&self) -> BrowserState {
        match (&self.down, self.running) {
            (Some(why), _) => BrowserState::Down(why.clone()),
            (None, true) => BrowserState::Running,
            (None, false) => BrowserState::NotRunning,
        }
    }
}

/// Returns the answer to a page, and its document. `browser_time` is how long a tab was held for one that failed.
pub(super) fn answer_of(
    rendered: Result<RenderedPage, Failure>,
    browser_time: Duration,
) -> (RemoteAnswer, Bytes) {
    let page = match rendered {
        Ok(page) => page,
        Err(Failure { kind, message }) => {
            let kind = kind.as_str().to_owned();
            let answer = RemoteAnswer::Failed {
                kind,
                message,
                browser_time,
            };
            return (answer, Bytes::new());
        }
    };
    let (waited, browser_time) = (page.waited, page.browser_time);
    let TabResult::Response(response) = page.result else {
        let answer = RemoteAnswer::NotHtml {
            waited,
            browser_time,
        };
        return (answer, Bytes::new());
    };
    let body = match response.body {
        Body::Html(body) => Some(body),
        Body::File(_) | Body::Unread => None,
    };
    let rendering = response.rendering;
    let head = RemotePageHead {
        status: response.status,
        content_type: response.content_type,
        location: response.location,
        retry_after: response.retry_after,
        wire_bytes: response.wire_bytes,
        truncated: response.truncated,
        moved_by_script: response.moved_by_script,
        rendered: rendering.is_some_and(|rendering| rendering.rendered),
        timed_out: rendering.is_some_and(|rendering| rendering.timed_out),
        waited,
        browser_time,
        body: body.as_ref().map(|body| body.len() as u64),
    };
    (RemoteAnswer::Page(Box::new(head)), body.unwrap_or_default())
}

impl RemotePageHead {
    /// Returns the page.
    pub(super) fn into_page(self, body: Option<Bytes>) -> RenderedPage {
        let (waited, browser_time) = (self.waited, self.browser_time);
        let reason = if self.rendered {
            RenderReason::Requested
        } else {
            RenderReason::NotHtml
        };
        let response = Fetched {
            status: self.status,
            content_type: self.content_type,
            location: self.location,
            retry_after: self.retry_after,
            body: body.map_or(Body::Unread, Body::Html),
            wire_bytes: self.wire_bytes,
            truncated: self.truncated,
            moved_by_script: self.moved_by_script,
            rendering: Some(Rendering {
                rendered: self.rendered,
                timed_out: self.timed_out,
                ..Rendering::because(reason)
            }),
            elapsed: browser_time,
        };
        RenderedPage {
            result: TabResult::Response(Box::new(response)),
            waited,
            browser_time,
        }
    }
}

/// Returns the failure that the server reported.
pub(super) fn failure(kind: &str, message: String) -> Failure {
    // A newer server may know further kinds.
    let kind = FailKind::named(kind).unwrap_or(FailKind::Browser);
    Failure::new(kind, message)
}

/// Writes a message.
pub(super) async fn write_message<T: Serialize>(
    out: &mut (impl AsyncWrite + Unpin),
    message: &T,
) -> io::Result<()> {
    let text = serde_json::to_vec(message)?;
    let length = u32::try_from(text.len()).ok();
    let length = length.filter(|length| *length <= MAX_MESSAGE_BYTES);
    let length = length.ok_or_else(|| io::Error::other("the message is too long"))?;
    out.write_u32(length).await?;
    out.write_all(&text).await?;
    out.flush().await
}

/// Says that the page is still being worked on.
pub(super) async fn write_heartbeat(out: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    out.write_u32(0).await?;
    out.flush().await
}

/// Reads a message; `None` is a heartbeat.
pub(super) async fn read_message<T: DeserializeOwned>(
    from: &mut (impl AsyncRead + Unpin),
) -> io::Result<Option<T>> {
    let length = from.read_u32().await?;
    if length == 0 {
        return Ok(None);
    }
    if length > MAX_MESSAGE_BYTES {
        return Err(io::Error::other("the message is too long"));
    }
    let text = read_bytes(from, length.into()).await?;
    Ok(Some(serde_json::from_slice(&text)?))
}

/// Reads a document.
pub(super) async fn read_document(
    from: &mut (impl AsyncRead + Unpin),
    length: u64,
    max_body: u64,
) -> io::Result<Bytes> {
    if length > max_body.saturating_add(MARK_BYTES) {
        return Err(io::Error::other("the document is too long"));
    }
    read_bytes(from, length).await.map(Bytes::from)
}

/// Memory grows with what arrives, not with what was announced.
async fn read_bytes(from: &mut (impl AsyncRead + Unpin), length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes).await?;
    if bytes.len() as u64 == length {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}
