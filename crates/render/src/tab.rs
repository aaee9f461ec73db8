//! One tab: a separate browser context with its own proxy, loading one page at a time.
//!
//! A tab serves one visit. Cookies and storage are cleared between its pages, so each page sees a first-time visitor; only
//! the cache stays. Another visit gets another context. A tab that failed is not reused.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crawler_fetch::{Accept, Egress};
use crawler_model::{FailKind, Failure, PageBudget};
use futures_util::future::try_join_all;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::RenderSettings;
use crate::browser::{Browser, Ignored, ProcessKills};
use crate::budget_meter::BudgetMeter;
use crate::caller_headers::{CallerHeaders, origin};
use crate::cdp::CdpError;
use crate::cdp_sessions::{Events, auto_attach};
use crate::egress_proxy::EgressProxy;
use crate::navigation::{Navigation, NavigationEnd};
use crate::net_error;
use crate::page_load::{SNAPSHOT_GRACE, load, take_snapshot};
use crate::page_request::PageRequest;
use crate::snapshot::Snapshot;
use crate::tab_result::{ResponseParts, TabResult};

/// Time limit for cleaning a tab; a tab that takes longer is closed.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(3);
/// Storage types that are cleared.
const STORAGE: &str = "local_storage,indexeddb,service_workers,cache_storage,websql,file_systems";
/// Maximum number of pages in a tab, to release its memory.
const MAX_PAGES: u32 = 50;

/// One tab.
pub(crate) struct Tab {
    browser: Arc<Browser>,
    context: String,
    /// The target id, which is also the id of the main frame.
    target: String,
    session: String,
    events: Events,
    proxy: EgressProxy,
    meter: Arc<BudgetMeter>,
    caller_headers: CallerHeaders,
    settings: Arc<RenderSettings>,
    /// Origin of the current page.
    origin: String,
    visit: u64,
    pages: u32,
    unusable: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Context {
    browser_context_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session {
    session_id: String,
}

/// Calls that prepare a new tab.
fn setup_calls(
    settings: &RenderSettings,
    caller_headers: &CallerHeaders,
    agent: &str,
) -> [(&'static str, Value); 10] {
    let (width, height) = settings.viewport;
    [
        ("Page.enable", json!({})),
        ("Inspector.enable", json!({})),
        ("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
        (
            "Network.enable",
            json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": 0 }),
        ),
        auto_attach(),
        // Responses of service workers would not be paused, and each page is a first visit.
        ("Network.setBypassServiceWorker", json!({ "bypass": true })),
        (
            "Fetch.enable",
            json!({ "patterns": patterns(settings, caller_headers) }),
        ),
        (
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false }),
        ),
        (
            "Emulation.setUserAgentOverride",
            json!({ "userAgent": agent }),
        ),
        (
            "Emulation.setFocusEmulationEnabled",
            json!({ "enabled": true }),
        ),
    ]
}

/// The failure of a page whose document the browser refuses to return.
fn unreadable(error: &CdpError) -> Failure {
    tracing::info!(error = error.detail(), "cannot read a document");
    let message = "the browser could not read the page's document";
    Failure::new(FailKind::Protocol, message)
}

/// The failure of a page that took longer than the time limit.
fn timed_out(what: &str, settings: &RenderSettings) -> Failure {
    let seconds = settings.nav_timeout.as_secs_f32();
    Failure::new(FailKind::Timeout, format!("{what} within {seconds} s"))
}

impl Tab {
    /// Opens a tab for a visit.
    pub(crate) async fn open(
        browser: Arc<Browser>,
        settings: Arc<RenderSettings>,
        egress: Egress,
        visit: u64,
        caller_headers: CallerHeaders,
    ) -> Result<Self, CdpError> {
        let added_agent = settings.added_agent.as_deref();
        let added_agent = added_agent.unwrap_or(egress.user_agent());
        let agent = settings
            .user_agent
            .clone()
            .unwrap_or_else(|| browser_user_agent(&browser.user_agent, added_agent));
        let meter = Arc::new(BudgetMeter::new(settings.budgets));
        let proxy = EgressProxy::start(egress, Arc::clone(&meter))
            .map_err(|error| CdpError::NoProxy(error.to_string()))?;
        let cdp = browser.cdp.clone();
        let context = json!({
            "disposeOnDetach": true,
            "proxyServer": format!("http://127.0.0.1:{}", proxy.port()),
            // Without this the browser dials loopback and link-local addresses directly.
            "proxyBypassList": "<-loopback>",
        });
        let Context {
            browser_context_id: context,
        } = cdp
            .call(None, "Target.createBrowserContext", context)
            .await?;
        // From here on an error disposes of the context.
        let opened = UnfinishedContext {
            browser,
            context: Some(context),
        };
        let context = opened.context.as_deref().unwrap_or_default();
        let deny = json!({ "behavior": "deny", "browserContextId": context });
        cdp.post(None, "Browser.setDownloadBehavior", deny);
        let blank = json!({ "url": "about:blank", "browserContextId": context });
        let Target { target_id: target } = cdp.call(None, "Target.createTarget", blank).await?;
        let attach = json!({ "targetId": target, "flatten": true });
        let Session {
            session_id: session,
        } = cdp.call(None, "Target.attachToTarget", attach).await?;
        let events = cdp.events(&session, Arc::clone(&meter));
        opened.browser.meter_tab(&meter);
        let calls = setup_calls(&settings, &caller_headers, &agent);
        let all = calls.map(|(method, params)| cdp.call::<Ignored>(Some(&session), method, params));
        try_join_all(all).await?;
        // The id of a request names the process of the page, whose CPU time is measured.
        let request = json!({ "expression": "fetch('data:,').catch(() => {})" });
        cdp.post(Some(&session), "Runtime.evaluate", request);
        let (browser, context) = opened.keep();
        browser.tab_opened();
        Ok(Self {
            browser,
            context,
            target,
            session,
            events,
            proxy,
            meter,
            caller_headers,
            settings,
            origin: String::new(),
            visit,
            pages: 0,
            unusable: false,
        })
    }

    /// Whether it can load this page: one of the same visit, with the same headers and settings.
    pub(crate) fn serves(&self, request: &PageRequest<'_>) -> bool {
        self.visit == request.visit
            && request.caller_headers == self.caller_headers
            && (Arc::ptr_eq(&request.settings, &self.settings) || request.settings == self.settings)
            && self.is_usable()
    }

    /// Whether it can load another page.
    pub(crate) fn is_usable(&self) -> bool {
        !self.unusable && self.pages < MAX_PAGES && self.browser.is_alive()
    }

    /// Returns its browser.
    pub(crate) fn browser(&self) -> &Arc<Browser> {
        &self.browser
    }

    /// Returns the meter of its pages.
    pub(crate) fn meter(&self) -> &Arc<BudgetMeter> {
        &self.meter
    }

    /// Returns the number of connections refused by the guard.
    pub(crate) fn refused(&self) -> u64 {
        self.proxy.refused()
    }

    /// Renders one page. The caller cancels this shortly after the deadline; the tab is not reused then.
    pub(crate) async fn render(
        &mut self,
        request: &PageRequest<'_>,
        deadline: Instant,
    ) -> Result<TabResult, Failure> {
        let settings = &*request.settings;
        let start = Instant::now();
        self.begin_page(request.url.as_str());
        let kills = self.browser.kills();
        let mut navigation = Navigation::new(
            &self.browser.cdp,
            (&self.session, &self.target),
            (request.url.as_str(), request.accept),
            &self.caller_headers,
            settings,
            start,
        );
        load(&mut navigation, &mut self.events, deadline).await?;
        let end = navigation.end().cloned().unwrap_or(NavigationEnd::Deadline);
        if let Some(failure) = self.proxy_failure(request, &end) {
            self.unusable = false;
            return Err(failure);
        }
        let mut parts = ResponseParts {
            head: navigation.head().cloned().unwrap_or_default(),
            wire_bytes: self.proxy.bytes_in(),
            start,
        };
        let not_settled = || timed_out("the page did not settle", settings);
        let crashed = |error: &CdpError| crash_failure(&self.browser, error, kills, settings);
        match end {
            NavigationEnd::Settled => {
                let left = deadline.saturating_duration_since(Instant::now()) / 2;
                let time_limits = [left.max(SNAPSHOT_GRACE), SNAPSHOT_GRACE];
                let events = &mut self.events;
                let (snapshot, halted) =
                    snapshot_or_halt(&mut navigation, events, settings, time_limits).await;
                self.unusable = halted || snapshot.is_err();
                match snapshot {
                    Ok(snapshot) => Ok(parts.document(snapshot, halted)),
                    Err(CdpError::Timeout(_)) => Err(not_settled()),
                    Err(error @ CdpError::Refused(..)) => Err(unreadable(&error)),
                    Err(error) => Err(crashed(&error)),
                }
            }
            NavigationEnd::Deadline if navigation.has_document() => {
                let time_limits = [SNAPSHOT_GRACE / 3, SNAPSHOT_GRACE * 2 / 3];
                let events = &mut self.events;
                let (snapshot, _) =
                    snapshot_or_halt(&mut navigation, events, settings, time_limits).await;
                match snapshot {
                    Ok(snapshot) => Ok(parts.document(snapshot, true)),
                    Err(_) if self.browser.kills() != kills => Err(crashed(&CdpError::Closed)),
                    Err(_) => Err(not_settled()),
                }
            }
            NavigationEnd::Deadline => Err(timed_out("no page", settings)),
            NavigationEnd::Crashed => Err(crashed(&CdpError::Closed)),
            NavigationEnd::Error(error) => {
                self.unusable = false;
                Err(net_error::failure(&error))
            }
            NavigationEnd::NotHtml if request.accept == Accept::Document => {
                self.unusable = false;
                Ok(TabResult::NotHtml)
            }
            NavigationEnd::NotHtml | NavigationEnd::NoPage | NavigationEnd::Redirect => {
                self.unusable = false;
                Ok(parts.without_body(request.accept))
            }
            NavigationEnd::Upgrade(to) => {
                self.unusable = false;
                parts.head.status = 307;
                Ok(parts.redirect(to, false))
            }
            NavigationEnd::Moved(to) => {
                self.unusable = false;
                Ok(parts.redirect(to, true))
            }
        }
    }

    /// Counts a page and forgets what the page before it left. If the page is canceled, the tab is not reused.
    fn begin_page(&mut self, url: &str) {
        self.unusable = true;
        self.browser.count_page();
        self.pages += 1;
        origin(url).clone_into(&mut self.origin);
        self.events.clear();
        self.proxy.begin_page();
        self.meter.begin_page();
    }

    /// Returns the failure that the proxy recorded for the page.
    fn proxy_failure(&self, request: &PageRequest<'_>, end: &NavigationEnd) -> Option<Failure> {
        if !matches!(end, NavigationEnd::Error(_) | NavigationEnd::NoPage) {
            return None;
        }
        let url = request.url.parts();
        self.proxy.failure_of(url.host(), url.port())
    }

    /// Leaves the page, which stops its scripts, and clears cookies and storage. Returns whether the tab can be reused.
    pub(crate) async fn leave(&mut self) -> bool {
        if !self.is_usable() {
            return false;
        }
        self.unusable = true;
        let cdp = &self.browser.cdp;
        let session = Some(self.session.as_str());
        let clear = json!({ "expression": "try { sessionStorage.clear() } catch {}" });
        cdp.post(session, "Runtime.evaluate", clear);
        let blank = json!({ "url": "about:blank" });
        let navigated = cdp.call_within::<Ignored>(LEAVE_TIMEOUT, session, "Page.navigate", blank);
        if navigated.await.is_err() {
            return false;
        }
        // A page may block its thread while it unloads: the next page would have to wait.
        let location = json!({ "expression": "location.href", "returnByValue": true });
        let location =
            cdp.call_within::<Value>(LEAVE_TIMEOUT, session, "Runtime.evaluate", location);
        if !location
            .await
            .is_ok_and(|location| location["result"]["value"] == "about:blank")
        {
            return false;
        }
        let context = json!({ "browserContextId": self.context });
        let cookies =
            cdp.call_within::<Ignored>(LEAVE_TIMEOUT, None, "Storage.clearCookies", context);
        let storage = json!({ "origin": self.origin, "storageTypes": STORAGE });
        let storage = cdp.call_within::<Ignored>(
            LEAVE_TIMEOUT,
            session,
            "Storage.clearDataForOrigin",
            storage,
        );
        let cleaned = tokio::try_join!(cookies, storage);
        self.events.clear();
        self.unusable = cleaned.is_err() || self.meter.is_exceeded();
        self.is_usable()
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        self.browser.tab_closed();
        if self.unusable {
            // A page that does not respond would not close, so it is crashed.
            let session = Some(self.session.as_str());
            self.browser.cdp.post(session, "Page.crash", json!({}));
        }
        dispose_context(&self.browser, &self.context);
    }
}

impl fmt::Debug for Tab {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tab")
            .field("visit", &self.visit)
            .field("pages", &self.pages)
            .finish_non_exhaustive()
    }
}

/// Takes the document of a page. If the page does not respond within the first time limit, stops it and tries again. It is
/// not stopped at once, because a stopped page may display an error. Also returns whether it was stopped.
async fn snapshot_or_halt(
    navigation: &mut Navigation<'_>,
    events: &mut Events,
    settings: &RenderSettings,
    [first, second]: [Duration; 2],
) -> (Result<Snapshot, CdpError>, bool) {
    let snapshot = take_snapshot(navigation, events, settings, first).await;
    if !matches!(snapshot, Err(CdpError::Timeout(_))) {
        return (snapshot, false);
    }
    navigation.halt();
    let snapshot = take_snapshot(navigation, events, settings, second).await;
    (snapshot, true)
}

/// A context whose tab is not open yet; disposed of on drop.
struct UnfinishedContext {
    browser: Arc<Browser>,
    context: Option<String>,
}

impl UnfinishedContext {
    fn keep(mut self) -> (Arc<Browser>, String) {
        let context = self.context.take().unwrap_or_default();
        (Arc::clone(&self.browser), context)
    }
}

impl Drop for UnfinishedContext {
    fn drop(&mut self) {
        if let Some(context) = &self.context {
            dispose_context(&self.browser, context);
        }
    }
}

/// Disposes of a context with all its windows and workers.
fn dispose_context(browser: &Browser, context: &str) {
    let context = json!({ "browserContextId": context });
    browser
        .cdp
        .post(None, "Target.disposeBrowserContext", context);
}

/// Returns the failure for a page process that is gone; `before` are the kills at the start of the page.
fn crash_failure(
    browser: &Browser,
    error: &CdpError,
    before: ProcessKills,
    settings: &RenderSettings,
) -> Failure {
    let kills = browser.kills();
    let message = match error {
        _ if kills.cpu > before.cpu => return settings.budgets.failure(PageBudget::Cpu),
        _ if kills.memory > before.memory => "the page exceeded the memory limit".to_owned(),
        CdpError::Closed if browser.is_alive() => "the page's process crashed".to_owned(),
        error => error.to_string(),
    };
    Failure::new(FailKind::Browser, message)
}

/// Returns the patterns of requests to pause: documents, blocked resources, and requests that get the caller's headers.
fn patterns(settings: &RenderSettings, caller_headers: &CallerHeaders) -> Value {
    let stage = |kind: &str, stage: &str| json!({ "resourceType": kind, "requestStage": stage });
    let mut patterns = vec![
        stage("Document", "Request"),
        stage("Document", "Response"),
        // Includes icons.
        stage("Other", "Request"),
    ];
    patterns.extend(
        settings
            .blocked
            .iter()
            .map(|kind| stage(kind.name(), "Request")),
    );
    patterns.extend(caller_headers.pattern());
    patterns.into()
}

/// Adds our user agent to the browser's, as other crawlers do.
fn browser_user_agent(browser: &str, agent: &str) -> String {
    let like = "(KHTML, like Gecko)";
    browser
        .replace("HeadlessChrome", "Chrome")
        .replace(like, &format!("(KHTML, like Gecko; compatible; {agent})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_agent_names_the_browser_and_us() {
        let browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36";
        assert_eq!(
            browser_user_agent(browser, "crawler/0.1.0"),
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko; compatible; crawler/0.1.0) Chrome/156.0.0.0 Safari/537.36"
        );
    }
}
