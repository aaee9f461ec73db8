//! One page on its way: from the request to its document at rest.
//!
//! What the browser tells is taken in one event at a time; what it asks is answered at once. Redirects, the server's and
//! a script's, are stopped before anything is sent for them: they are answers, and whoever asked decides about the next
//! hop. Events of the page before carry another loader and count for nothing.

use fetch::{ContentKind, Want};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::cdp::{Cdp, Event};
use crate::cdp_events::{
    Dialog, Header, Lifecycle, Loaded, Navigated, Paused, PausedAlone, Request, WillBeSent,
};
use crate::own_headers::{OwnHeaders, origin};
use crate::quiet::{Quiet, Rest};
use crate::{RenderSettings, ResourceKind};

/// A page may load itself again this often: to come back with a cookie, say.
const RELOADS: u32 = 2;
/// Dialogs that are dismissed before the script that opens them is stopped.
const DIALOGS: u32 = 10;

/// A page on its way.
#[derive(Debug)]
pub(crate) struct Navigation<'a> {
    pub(crate) cdp: &'a Cdp,
    pub(crate) session: &'a str,
    /// The main frame.
    pub(crate) frame: &'a str,
    /// What was asked for, without a fragment.
    pub(crate) url: &'a str,
    pub(crate) want: Want,
    /// Headers of the caller's, for requests to one origin.
    pub(crate) own: &'a OwnHeaders,
    /// What is not loaded.
    blocked: &'a [ResourceKind],
    state: State,
}

#[derive(Debug)]
struct State {
    /// The navigation that counts.
    loader: Option<String>,
    /// Where it is, as the browser spells it.
    place: String,
    head: Option<Head>,
    /// There is a document that could be taken.
    committed: bool,
    /// All of its markup is there.
    ready: bool,
    quiet: Quiet,
    dialogs: u32,
    reloads: u32,
    crashed: bool,
    end: Option<End>,
}

/// The head of the page's own answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
}

/// How a page ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// At rest: its document can be taken.
    Rest,
    /// Its time is up.
    Deadline,
    /// The server answered with a redirect, which the head tells.
    Redirect,
    /// The browser itself knows a better address, such as https where a host insists on it.
    Upgrade(String),
    /// A script went elsewhere.
    Moved(String),
    /// A status that has no page.
    Unread,
    /// Something else than a page.
    NotHtml,
    /// The browser could not have it.
    Error(String),
    /// Its process crashed.
    Crashed,
}

impl<'a> Navigation<'a> {
    pub(crate) fn new(
        cdp: &'a Cdp,
        (session, frame): (&'a str, &'a str),
        (url, want): (&'a str, Want),
        own: &'a OwnHeaders,
        settings: &'a RenderSettings,
        now: Instant,
    ) -> Self {
        Self {
            cdp,
            session,
            frame,
            url,
            want,
            own,
            blocked: &settings.blocked,
            state: State {
                loader: None,
                place: url.to_owned(),
                head: None,
                committed: false,
                ready: false,
                quiet: Quiet::new(settings.idle_timeout, now),
                dialogs: 0,
                reloads: 0,
                crashed: false,
                end: None,
            },
        }
    }

    /// How it ended, once it did.
    pub(crate) fn end(&self) -> Option<&End> {
        self.state.end.as_ref()
    }

    /// The head of its answer.
    pub(crate) fn head(&self) -> Option<&Head> {
        self.state.head.as_ref()
    }

    /// Where it is, as the browser spells it, without a fragment.
    pub(crate) fn place(&self) -> &str {
        &self.state.place
    }

    /// Whether there is a document, whatever became of the page.
    pub(crate) fn has_document(&self) -> bool {
        self.state.committed
    }

    /// Stops its scripts and what it loads.
    pub(crate) fn halt(&self) {
        self.post("Runtime.terminateExecution", json!({}));
        self.post("Page.stopLoading", json!({}));
    }

    /// Whether its process crashed, whatever ended it before.
    pub(crate) fn is_crashed(&self) -> bool {
        self.state.crashed
    }

    /// Ends it from outside.
    pub(crate) fn stop(&mut self, end: End) {
        self.state.end.get_or_insert(end);
    }

    /// When to look again; `None`: nothing but an event can change anything.
    pub(crate) fn rest(&mut self, now: Instant) -> Option<Instant> {
        if !self.state.ready {
            return None;
        }
        match self.state.quiet.rest(now) {
            Rest::Busy => None,
            Rest::Until(then) => Some(then),
            Rest::Over => {
                self.stop(End::Rest);
                None
            }
            Rest::Scroll => {
                self.state.quiet.scrolled();
                let down = "window.scrollTo(0, document.documentElement?.scrollHeight ?? 0)";
                self.post("Runtime.evaluate", json!({ "expression": down }));
                match self.state.quiet.rest(now) {
                    Rest::Until(then) => Some(then),
                    _ => Some(now),
                }
            }
        }
    }

    /// The browser's word about the navigation as a whole.
    pub(crate) fn navigated(&mut self, answer: &Navigated) {
        let Some(error) = &answer.error_text else {
            self.state.committed = !answer.is_download;
            if answer.is_download {
                self.stop(End::NotHtml);
            }
            return;
        };
        let error = error.trim_start_matches("net::");
        self.stop(match error {
            _ if answer.is_download => End::NotHtml,
            // What Chromium calls an error status without a body. To us it is an answer.
            "ERR_HTTP_RESPONSE_CODE_FAILURE" if self.state.head.is_some() => End::Unread,
            // Nobody stopped it, and it is no download: the process it was to come to died, which is told no other way
            // when there was no page in it yet.
            "ERR_ABORTED" => End::Crashed,
            _ => End::Error(error.to_owned()),
        });
    }

    /// Takes in an event.
    pub(crate) fn take(&mut self, event: &Event, now: Instant) {
        match event.method.as_str() {
            "Fetch.requestPaused" => {
                if let Some(paused) = event.read() {
                    self.paused(&paused, now);
                } else if let Some(PausedAlone { request_id }) = event.read() {
                    // What we cannot read must not wait for ever.
                    let params = json!({ "requestId": request_id, "errorReason": "Failed" });
                    self.post("Fetch.failRequest", params);
                }
            }
            "Network.requestWillBeSent" => {
                if let Some(sent) = event.read() {
                    self.sent(sent, now);
                }
            }
            "Network.loadingFinished" | "Network.loadingFailed" => {
                if let Some(Loaded { request_id }) = event.read() {
                    self.state.quiet.end(&request_id, now);
                }
            }
            "Page.lifecycleEvent" => {
                if let Some(lifecycle) = event.read() {
                    self.lifecycle(&lifecycle, now);
                }
            }
            "Page.javascriptDialogOpening" => {
                // A dialog we cannot read must be closed like any other.
                let leaves = event
                    .read()
                    .is_some_and(|dialog: Dialog| dialog.kind == "beforeunload");
                self.dialog(leaves);
            }
            "Inspector.targetCrashed" | "Inspector.detached" => {
                self.state.crashed = true;
                self.stop(End::Crashed);
            }
            _ => (),
        }
    }

    fn sent(&mut self, sent: WillBeSent, now: Instant) {
        let waits = !matches!(
            sent.kind.as_str(),
            "WebSocket" | "EventSource" | "Media" | "Ping" | "Prefetch" | "CSPViolationReport"
        );
        let local = ["data:", "blob:"]
            .iter()
            .any(|scheme| sent.request.url.starts_with(scheme));
        if waits && !local {
            self.state.quiet.begin(sent.request_id, now);
        }
    }

    fn lifecycle(&mut self, event: &Lifecycle, now: Instant) {
        let ours = self.state.loader.as_ref() == Some(&event.loader_id);
        if !ours || event.frame_id != self.frame {
            return;
        }
        match event.name.as_str() {
            "commit" | "init" => self.state.committed = true,
            "DOMContentLoaded" => {
                self.state.committed = true;
                self.state.ready = true;
                self.state.quiet.ready(now);
            }
            _ => (),
        }
    }

    fn dialog(&mut self, leaves: bool) {
        self.state.dialogs += 1;
        if self.state.dialogs > DIALOGS {
            self.post("Runtime.terminateExecution", json!({}));
        }
        self.post("Page.handleJavaScriptDialog", json!({ "accept": leaves }));
    }

    fn paused(&mut self, paused: &Paused, now: Instant) {
        let is_answer =
            paused.response_status_code.is_some() || paused.response_error_reason.is_some();
        if paused.resource_type != "Document" {
            let kind = paused.resource_type.as_str();
            if self.blocked.iter().any(|blocked| blocked.name() == kind) || is_icon(paused) {
                return self.refuse(paused, "BlockedByClient");
            }
            return self.let_through(paused);
        }
        if paused.frame_id != self.frame {
            // What is in frames is not in the document; those of other sites would only cost.
            if is_answer || same_origin(&paused.request.url, &self.state.place) {
                return self.let_through(paused);
            }
            return self.refuse(paused, "BlockedByClient");
        }
        if self.state.end.is_some() {
            return self.refuse(paused, "Aborted");
        }
        if is_answer {
            self.answered(paused);
        } else {
            self.asks(paused, now);
        }
    }

    /// The main frame wants to go somewhere.
    fn asks(&mut self, paused: &Paused, now: Instant) {
        let Request { url, method, .. } = &paused.request;
        let place = url.split('#').next().unwrap_or_default();
        if paused.redirected_request_id.is_some() {
            self.refuse(paused, "Aborted");
            return self.stop(End::Upgrade(place.to_owned()));
        }
        let is_first = self.state.loader.is_none();
        if !is_first && (method != "GET" || !paused.request.is_for_a_page()) {
            // A form that sends itself, a file that is to be kept: nothing a reader did.
            return self.refuse(paused, "Aborted");
        }
        if !is_first && place != self.state.place {
            self.refuse(paused, "Aborted");
            return self.stop(End::Moved(place.to_owned()));
        }
        if !is_first {
            self.state.reloads += 1;
            if self.state.reloads > RELOADS {
                return self.refuse(paused, "Aborted");
            }
            self.state.quiet.restart(now);
            self.state.ready = false;
        }
        place.clone_into(&mut self.state.place);
        self.state.loader.clone_from(&paused.network_id);
        self.let_through(paused);
    }

    /// The main frame's answer has a head.
    fn answered(&mut self, paused: &Paused) {
        let Some(status) = paused.status() else {
            if self.state.reloads > 0 {
                // What is there stays there.
                return self.refuse(paused, "Aborted");
            }
            // The navigation's own answer says what went wrong.
            return self.let_through(paused);
        };
        let head = Head {
            status,
            headers: header_map(&paused.response_headers),
        };
        let has = |name: &str| head.headers.contains_key(name);
        let end = match status {
            300..=303 | 305..=308 if has("location") => Some(End::Redirect),
            300..=399 | 204 | 205 => Some(End::Unread),
            400.. if self.want == Want::Page => Some(End::Unread),
            _ if has("content-disposition") && is_attachment(&head.headers) => Some(End::NotHtml),
            _ => match ContentKind::of(head.content_type()) {
                ContentKind::Html | ContentKind::Unnamed => None,
                ContentKind::Text | ContentKind::Other => Some(End::NotHtml),
            },
        };
        self.state.head = Some(head);
        match end {
            None => self.let_through(paused),
            Some(end) => {
                self.refuse(paused, "Aborted");
                self.stop(end);
            }
        }
    }

    fn let_through(&self, paused: &Paused) {
        let mut params = json!({ "requestId": paused.request_id });
        let is_request = paused.response_status_code.is_none();
        if is_request && self.own.go_along(&paused.request.url, &self.state.place) {
            params["headers"] = self.own.added_to(&paused.request);
        }
        self.post("Fetch.continueRequest", params);
    }

    fn refuse(&self, paused: &Paused, reason: &str) {
        let params = json!({ "requestId": paused.request_id, "errorReason": reason });
        self.post("Fetch.failRequest", params);
    }

    fn post(&self, method: &'static str, params: Value) {
        self.cdp.post(Some(self.session), method, params);
    }
}

impl Head {
    /// Its content type, where it names one.
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
        // Several of one name come as one, a line each.
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

/// The browser wants the site's icon for a window nobody sees: not the page's wish.
fn is_icon(paused: &Paused) -> bool {
    let headers = &paused.request.headers;
    let wants_image = |(name, value): (&String, &String)| {
        name.eq_ignore_ascii_case("accept") && value.starts_with("image/")
    };
    paused.resource_type == "Other" && headers.iter().any(wants_image)
}
