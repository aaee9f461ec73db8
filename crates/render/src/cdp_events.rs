//! The CDP events and results we use, with the fields we need.

use std::collections::BTreeMap;

use serde::Deserialize;

/// `Fetch.requestPaused`: a request or the head of its response waits for our decision.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestPaused {
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
    /// The loader id of a navigation.
    pub(crate) network_id: Option<String>,
    pub(crate) redirected_request_id: Option<String>,
}

impl RequestPaused {
    /// Returns the status of the response, if it has a valid one.
    pub(crate) fn status(&self) -> Option<u16> {
        self.response_status_code?.try_into().ok()
    }
}

/// The same, if the rest cannot be parsed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PausedRequestId {
    pub(crate) request_id: String,
}

/// The paused request.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    pub(crate) url: String,
    pub(crate) method: String,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
}

impl Request {
    /// Whether it navigates to a page. A download has the same frame and resource type, but other headers.
    pub(crate) fn is_page_navigation(&self) -> bool {
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
pub(crate) struct RequestWillBeSent {
    pub(crate) request_id: String,
    #[serde(default, rename = "type")]
    pub(crate) kind: String,
    pub(crate) request: SentRequest,
}

/// The request that will be sent.
#[derive(Debug, Deserialize)]
pub(crate) struct SentRequest {
    pub(crate) url: String,
}

/// `Network.loadingFinished` and `loadingFailed`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoadingEnded {
    pub(crate) request_id: String,
}

/// `Page.lifecycleEvent`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LifecycleEvent {
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

/// The result of `Page.navigate`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NavigateResult {
    pub(crate) error_text: Option<String>,
    #[serde(default)]
    pub(crate) is_download: bool,
}
