//! What a session tells us, as far as we listen.

use std::collections::BTreeMap;

use serde::Deserialize;

/// `Fetch.requestPaused`: a request, or the head of its answer, waits for our word.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Paused {
    pub(crate) request_id: String,
    pub(crate) request: Request,
    #[serde(default)]
    pub(crate) frame_id: String,
    #[serde(default)]
    pub(crate) resource_type: String,
    pub(crate) response_error_reason: Option<String>,
    pub(crate) response_status_code: Option<i64>,
    #[serde(default)]
    pub(crate) response_headers: Vec<Header>,
    /// Of a navigation, its loader.
    pub(crate) network_id: Option<String>,
    pub(crate) redirected_request_id: Option<String>,
}

impl Paused {
    /// The status of the answer, if there is one that means anything.
    pub(crate) fn status(&self) -> Option<u16> {
        self.response_status_code?.try_into().ok()
    }
}

/// The same, when the rest of it cannot be read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PausedAlone {
    pub(crate) request_id: String,
}

/// What is asked for.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    pub(crate) url: String,
    pub(crate) method: String,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
}

impl Request {
    /// Whether a reader is to be taken there. A file that is to be kept is asked for in the same frame, and as the same
    /// kind of thing, but not as a page.
    pub(crate) fn is_for_a_page(&self) -> bool {
        self.headers.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case("upgrade-insecure-requests")
                || (name.eq_ignore_ascii_case("accept") && value.contains("text/html"))
        })
    }
}

/// One header.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// `Network.requestWillBeSent`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WillBeSent {
    pub(crate) request_id: String,
    #[serde(default, rename = "type")]
    pub(crate) kind: String,
    pub(crate) request: Sent,
}

/// The part of it that counts.
#[derive(Debug, Deserialize)]
pub(crate) struct Sent {
    pub(crate) url: String,
}

/// `Network.loadingFinished` and `loadingFailed`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Loaded {
    pub(crate) request_id: String,
}

/// `Page.lifecycleEvent`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Lifecycle {
    pub(crate) frame_id: String,
    pub(crate) loader_id: String,
    pub(crate) name: String,
}

/// `Page.javascriptDialogOpening`.
#[derive(Debug, Deserialize)]
pub(crate) struct Dialog {
    #[serde(default, rename = "type")]
    pub(crate) kind: String,
}

/// The answer to `Page.navigate`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Navigated {
    pub(crate) error_text: Option<String>,
    #[serde(default)]
    pub(crate) is_download: bool,
}
