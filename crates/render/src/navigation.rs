//! Loads one page: from the request until its document has settled.
//!
//! Events of the browser are handled one at a time, and paused requests are answered at once. Redirects, by the server
//! or by a script, are stopped before anything is sent: they end the navigation, and the caller decides about the next
//! hop. Events of the previous page have another loader id and are ignored.

use crawler_fetch::{Accept, ContentKind};
use crawler_model::site_rules::{PageStatus, has_body};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::caller_headers::{CallerHeaders, origin};
use crate::cdp::Cdp;
use crate::cdp_events::{
    Dialog, Header, LifecycleEvent, LoadingEnded, NavigateResult, PausedRequestId, Request,
    RequestPaused, RequestWillBeSent,
};
use crate::cdp_sessions::Event;
use crate::network_idle::{IdleState, NetworkIdle};
use crate::{RenderSettings, ResourceKind};

/// Maximum number of times a page may reload itself, for example after setting a cookie.
const MAX_RELOADS: u32 = 2;
/// Maximum number of dialogs dismissed before the script that opens them is stopped.
const MAX_DIALOGS: u32 = 10;

/// A page being loaded.
#[derive(Debug)]
pub(crate) struct Navigation<'a> {
    pub(crate) cdp: &'a Cdp,
    pub(crate) session: &'a str,
    /// The main frame.
    pub(crate) frame: &'a str,
    /// The requested URL, without a fragment.
    pub(crate) url: &'a str,
    pub(crate) accept: Accept,
    /// The caller's headers, for requests to one origin.
    pub(crate) caller_headers: &'a CallerHeaders,
    /// Resource kinds that are not loaded.
    blocked: &'a [ResourceKind],
    state: State,
}

#[derive(Debug)]
struct State {
    /// Loader id of the current navigation.
    loader: Option<String>,
    /// Current URL, as the browser spells it.
    current_url: String,
    head: Option<ResponseHead>,
    /// Whether there is a document.
    committed: bool,
    /// Whether the markup has been parsed completely.
    ready: bool,
    network: NetworkIdle,
    dialogs: u32,
    reloads: u32,
    crashed: bool,
    end: Option<NavigationEnd>,
}

/// The head of the page's own response.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResponseHead {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
}

/// How a navigation ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NavigationEnd {
    /// The page has settled: its document can be taken.
    Settled,
    /// The deadline has passed.
    Deadline,
    /// The server responded with a redirect; see the head.
    Redirect,
    /// The browser itself redirects, for example to https because of HSTS.
    Upgrade(String),
    /// A script navigated to another URL.
    Moved(String),
    /// The status has no page.
    NoPage,
    /// The response is not HTML.
    NotHtml,
    /// The browser could not load it.
    Error(String),
    /// The page process crashed.
    Crashed,
}

impl<'a> Navigation<'a> {
    pub(crate) fn new(
        cdp: &'a Cdp,
        (session, frame): (&'a str, &'a str),
        (url, accept): (&'a str, Accept),
        caller_headers: &'a CallerHeaders,
        settings: &'a RenderSettings,
        now: Instant,
    ) -> Self {
        Self {
            cdp,
            session,
            frame,
            url,
            accept,
            caller_headers,
            blocked: &settings.blocked,
            state: State {
                loader: None,
                current_url: url.to_owned(),
                head: None,
                committed: false,
                ready: false,
                network: NetworkIdle::new(settings.idle_timeout, now),
                dialogs: 0,
                reloads: 0,
                crashed: false,
                end: None,
            },
        }
    }

    /// Returns how it ended, if it has.
    pub(crate) fn end(&self) -> Option<&NavigationEnd> {
        self.state.end.as_ref()
    }

    /// Returns the response head.
    pub(crate) fn head(&self) -> Option<&ResponseHead> {
        self.state.head.as_ref()
    }

    /// Returns the current URL, as the browser spells it, without a fragment.
    pub(crate) fn current_url(&self) -> &str {
        &self.state.current_url
    }

    /// Whether there is a document, even if loading failed later.
    pub(crate) fn has_document(&self) -> bool {
        self.state.committed
    }

    /// Stops its scripts and requests.
    pub(crate) fn halt(&self) {
        self.post("Runtime.terminateExecution", json!({}));
        self.post("Page.stopLoading", json!({}));
    }

    /// Whether the page process crashed, even after the navigation ended.
    pub(crate) fn is_crashed(&self) -> bool {
        self.state.crashed
    }

    /// Ends the navigation, unless it has ended already.
    pub(crate) fn stop(&mut self, end: NavigationEnd) {
        self.state.end.get_or_insert(end);
    }

    /// Returns when to check again; `None` if only an event can change the state.
    pub(crate) fn next_check(&mut self, now: Instant) -> Option<Instant> {
        if !self.state.ready {
            return None;
        }
        match self.state.network.state(now) {
            IdleState::Busy => None,
            IdleState::WaitUntil(then) => Some(then),
            IdleState::Idle => {
                self.stop(NavigationEnd::Settled);
                None
            }
            IdleState::Scroll => {
                self.state.network.scrolled();
                let scroll_down = "window.scrollTo(0, document.documentElement?.scrollHeight ?? 0)";
                self.post("Runtime.evaluate", json!({ "expression": scroll_down }));
                match self.state.network.state(now) {
                    IdleState::WaitUntil(then) => Some(then),
                    _ => Some(now),
                }
            }
        }
    }

    /// Handles the result of the navigation command.
    pub(crate) fn on_navigated(&mut self, result: &NavigateResult) {
        let Some(error) = &result.error_text else {
            self.state.committed = !result.is_download;
            if result.is_download {
                self.stop(NavigationEnd::NotHtml);
            }
            return;
        };
        let error = error.trim_start_matches("net::");
        self.stop(match error {
            _ if result.is_download => NavigationEnd::NotHtml,
            // An error status without a body is still a response.
            "ERR_HTTP_RESPONSE_CODE_FAILURE" if self.state.head.is_some() => NavigationEnd::NoPage,
            // Neither stopped by us nor a download, so the page's process died. Before the page has a document, this is
            // the only sign of that.
            "ERR_ABORTED" => NavigationEnd::Crashed,
            _ => NavigationEnd::Error(error.to_owned()),
        });
    }

    /// Handles an event.
    pub(crate) fn handle_event(&mut self, event: &Event, now: Instant) {
        match event.method.as_str() {
            "Fetch.requestPaused" => {
                if let Some(paused) = event.read() {
                    self.on_request_paused(&paused, now);
                } else if let Some(PausedRequestId { request_id }) = event.read() {
                    // A request that cannot be parsed must not wait forever.
                    let params = json!({ "requestId": request_id, "errorReason": "Failed" });
                    self.post("Fetch.failRequest", params);
                }
            }
            "Network.requestWillBeSent" => {
                if let Some(sent) = event.read() {
                    self.on_request_sent(sent, now);
                }
            }
            "Network.loadingFinished" | "Network.loadingFailed" => {
                if let Some(LoadingEnded { request_id }) = event.read() {
                    self.state.network.end(&request_id, now);
                }
            }
            "Page.lifecycleEvent" => {
                if let Some(lifecycle) = event.read() {
                    self.on_lifecycle(&lifecycle, now);
                }
            }
            "Page.javascriptDialogOpening" => {
                // A dialog that cannot be parsed must be closed too.
                let is_beforeunload = event
                    .read()
                    .is_some_and(|dialog: Dialog| dialog.kind == "beforeunload");
                self.on_dialog(is_beforeunload);
            }
            "Inspector.targetCrashed" | "Inspector.detached" => {
                self.state.crashed = true;
                self.stop(NavigationEnd::Crashed);
            }
            _ => (),
        }
    }

    fn on_request_sent(&mut self, sent: RequestWillBeSent, now: Instant) {
        let is_awaited = !matches!(
            sent.kind.as_str(),
            "WebSocket" | "EventSource" | "Media" | "Ping" | "Prefetch" | "CSPViolationReport"
        );
        let local = ["data:", "blob:"]
            .iter()
            .any(|scheme| sent.request.url.starts_with(scheme));
        if is_awaited && !local {
            self.state.network.begin(sent.request_id, now);
        }
    }

    fn on_lifecycle(&mut self, event: &LifecycleEvent, now: Instant) {
        let is_current = self.state.loader.as_ref() == Some(&event.loader_id);
        if !is_current || event.frame_id != self.frame {
            return;
        }
        match event.name.as_str() {
            "commit" | "init" => self.state.committed = true,
            "DOMContentLoaded" => {
                self.state.committed = true;
                self.state.ready = true;
                self.state.network.ready(now);
            }
            _ => (),
        }
    }

    fn on_dialog(&mut self, is_beforeunload: bool) {
        self.state.dialogs += 1;
        if self.state.dialogs > MAX_DIALOGS {
            self.post("Runtime.terminateExecution", json!({}));
        }
        self.post(
            "Page.handleJavaScriptDialog",
            json!({ "accept": is_beforeunload }),
        );
    }

    fn on_request_paused(&mut self, paused: &RequestPaused, now: Instant) {
        let is_response =
            paused.response_status_code.is_some() || paused.response_error_reason.is_some();
        if paused.resource_type != "Document" {
            let kind = paused.resource_type.as_str();
            if self.blocked.iter().any(|blocked| blocked.name() == kind) || is_icon(paused) {
                return self.fail_request(paused, "BlockedByClient");
            }
            return self.continue_request(paused);
        }
        if paused.frame_id != self.frame {
            // The content of frames is not part of the document; frames of other sites are blocked to save resources.
            if is_response || same_origin(&paused.request.url, &self.state.current_url) {
                return self.continue_request(paused);
            }
            return self.fail_request(paused, "BlockedByClient");
        }
        if self.state.end.is_some() {
            return self.fail_request(paused, "Aborted");
        }
        if is_response {
            self.on_response(paused);
        } else {
            self.on_navigation_request(paused, now);
        }
    }

    /// Handles a navigation request of the main frame.
    fn on_navigation_request(&mut self, paused: &RequestPaused, now: Instant) {
        let Request { url, method, .. } = &paused.request;
        let target = url.split('#').next().unwrap_or_default();
        if paused.redirected_request_id.is_some() {
            self.fail_request(paused, "Aborted");
            return self.stop(NavigationEnd::Upgrade(target.to_owned()));
        }
        let is_first = self.state.loader.is_none();
        if !is_first && (method != "GET" || !paused.request.is_page_navigation()) {
            // A form that submits itself, or a download: ignored.
            return self.fail_request(paused, "Aborted");
        }
        if !is_first && target != self.state.current_url {
            self.fail_request(paused, "Aborted");
            return self.stop(NavigationEnd::Moved(target.to_owned()));
        }
        if !is_first {
            self.state.reloads += 1;
            if self.state.reloads > MAX_RELOADS {
                return self.fail_request(paused, "Aborted");
            }
            self.state.network.restart(now);
            self.state.ready = false;
        }
        target.clone_into(&mut self.state.current_url);
        self.state.loader.clone_from(&paused.network_id);
        self.continue_request(paused);
    }

    /// Handles the response head of the main frame.
    fn on_response(&mut self, paused: &RequestPaused) {
        let Some(status) = paused.status() else {
            if self.state.reloads > 0 {
                // Keep the document that is already there.
                return self.fail_request(paused, "Aborted");
            }
            // The result of the navigation command will name the error.
            return self.continue_request(paused);
        };
        let head = ResponseHead {
            status,
            headers: header_map(&paused.response_headers),
        };
        let has = |name: &str| head.headers.contains_key(name);
        let end = match PageStatus::of(status, has("location")) {
            PageStatus::Redirect if has("location") => Some(NavigationEnd::Redirect),
            PageStatus::Redirect | PageStatus::Unusable(_) => Some(NavigationEnd::NoPage),
            PageStatus::ErrorPage(_) if self.accept == Accept::Page => Some(NavigationEnd::NoPage),
            _ if !has_body(status) => Some(NavigationEnd::NoPage),
            _ if has("content-disposition") && is_attachment(&head.headers) => {
                Some(NavigationEnd::NotHtml)
            }
            _ => match ContentKind::of(head.content_type()) {
                ContentKind::Html | ContentKind::Unnamed => None,
                ContentKind::Text | ContentKind::Other => Some(NavigationEnd::NotHtml),
            },
        };
        self.state.head = Some(head);
        match end {
            None => self.continue_request(paused),
            Some(end) => {
                self.fail_request(paused, "Aborted");
                self.stop(end);
            }
        }
    }

    fn continue_request(&self, paused: &RequestPaused) {
        let mut params = json!({ "requestId": paused.request_id });
        let is_request = paused.response_status_code.is_none();
        if is_request
            && self
                .caller_headers
                .apply_to(&paused.request.url, &self.state.current_url)
        {
            params["headers"] = self.caller_headers.merged_into(&paused.request);
        }
        self.post("Fetch.continueRequest", params);
    }

    fn fail_request(&self, paused: &RequestPaused, reason: &str) {
        let params = json!({ "requestId": paused.request_id, "errorReason": reason });
        self.post("Fetch.failRequest", params);
    }

    fn post(&self, method: &'static str, params: Value) {
        self.cdp.post(Some(self.session), method, params);
    }
}

impl ResponseHead {
    /// Returns the content type, if there is one.
    pub(crate) fn content_type(&self) -> Option<&str> {
        self.headers.get(http::header::CONTENT_TYPE)?.to_str().ok()
    }
}

fn is_attachment(headers: &HeaderMap) -> bool {
    headers
        .get(http::header::CONTENT_DISPOSITION)
        .is_some_and(|value| {
            let value = value.as_bytes().trim_ascii_start();
            value.len() >= 10 && value[..10].eq_ignore_ascii_case(b"attachment")
        })
}

fn header_map(headers: &[Header]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for Header { name, value } in headers {
        // Several headers of one name are joined with line breaks.
        for value in value.split('\n') {
            let name = HeaderName::from_bytes(name.as_bytes());
            if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value.as_bytes())) {
                map.append(name, value);
            }
        }
    }
    map
}

fn same_origin(one: &str, other: &str) -> bool {
    origin(one) == origin(other)
}

/// Whether the browser itself requests the site's icon, for its window.
fn is_icon(paused: &RequestPaused) -> bool {
    let headers = &paused.request.headers;
    let wants_image = |(name, value): (&String, &String)| {
        name.eq_ignore_ascii_case("accept") && value.starts_with("image/")
    };
    paused.resource_type == "Other" && headers.iter().any(wants_image)
}
