//! One tab: a browser context of its own, with a proxy of its own, and one page at a time in it.
//!
//! A tab serves one visit. Between two pages of it cookies and storage are cleared, so each page meets a first-time
//! reader, and only the cache stays. Another visit gets another context. A tab that had trouble is not used again.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use fetch::{Egress, FetchRequest, Want};
use futures_util::future::try_join_all;
use model::{FailKind, Failure};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::RenderSettings;
use crate::browser::{Browser, Nothing};
use crate::cdp::{CdpError, Events};
use crate::egress_proxy::EgressProxy;
use crate::making::{Made, Making};
use crate::navigation::{End, Navigation};
use crate::net_error;
use crate::own_headers::{OwnHeaders, origin};
use crate::page_walk::{GRACE, take, walk};

/// A page that is not left within this is ended with its tab.
const LEAVE: Duration = Duration::from_secs(3);
/// What pages keep.
const STORAGE: &str = "local_storage,indexeddb,service_workers,cache_storage,websql,file_systems";
/// Pages of one visit in one tab; then its memory is given back.
const MOST_PAGES: u32 = 50;

/// One tab.
pub(crate) struct Tab {
    browser: Arc<Browser>,
    context: String,
    /// The page, and its main frame.
    target: String,
    session: String,
    events: Events,
    proxy: EgressProxy,
    own: OwnHeaders,
    /// Of the page that is there.
    origin: String,
    visit: u64,
    pages: u32,
    spent: bool,
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

impl Tab {
    /// Opens one for a visit.
    pub(crate) async fn open(
        browser: Arc<Browser>,
        settings: RenderSettings,
        egress: Egress,
        visit: u64,
        own: OwnHeaders,
    ) -> Result<Self, CdpError> {
        let agent = settings
            .user_agent
            .clone()
            .unwrap_or_else(|| named(&browser.user_agent, egress.user_agent()));
        let proxy = EgressProxy::start(egress)
            .map_err(|error| CdpError::Refused("the proxy", error.to_string()))?;
        let cdp = browser.cdp.clone();
        let context = json!({
            "disposeOnDetach": true,
            "proxyServer": format!("http://127.0.0.1:{}", proxy.port()),
            // Without it the browser goes to loopback and link-local addresses by itself.
            "proxyBypassList": "<-loopback>",
        });
        let Context {
            browser_context_id: context,
        } = cdp
            .call(None, "Target.createBrowserContext", context)
            .await?;
        // From here on whatever fails gives the context back.
        let opened = Opened {
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
        let events = cdp.events(&session);
        let (width, height) = settings.viewport;
        let calls: [(&'static str, Value); 9] = [
            ("Page.enable", json!({})),
            ("Inspector.enable", json!({})),
            ("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
            (
                "Network.enable",
                json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": 0 }),
            ),
            // What a service worker answers is not stopped for our word, and each page is a first visit.
            ("Network.setBypassServiceWorker", json!({ "bypass": true })),
            (
                "Fetch.enable",
                json!({ "patterns": patterns(&settings, &own) }),
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
        ];
        let all = calls.map(|(method, params)| cdp.call::<Nothing>(Some(&session), method, params));
        try_join_all(all).await?;
        let (browser, context) = opened.keep();
        browser.tab_opened();
        Ok(Self {
            browser,
            context,
            target,
            session,
            events,
            proxy,
            own,
            origin: String::new(),
            visit,
            pages: 0,
            spent: false,
        })
    }

    /// Whether it can serve another page of a visit, which these headers go with.
    pub(crate) fn serves(&self, visit: u64, own: &OwnHeaders) -> bool {
        self.visit == visit && *own == self.own && self.is_fit()
    }

    /// Whether it can serve another page at all.
    pub(crate) fn is_fit(&self) -> bool {
        !self.spent && self.pages < MOST_PAGES && self.browser.is_alive()
    }

    /// The browser it belongs to.
    pub(crate) fn browser(&self) -> &Arc<Browser> {
        &self.browser
    }

    /// Connections that were refused to it.
    pub(crate) fn refused(&self) -> u64 {
        self.proxy.refused()
    }

    /// Renders one page. The caller gives it up a little after its time is up; then the tab is not used again.
    pub(crate) async fn render(
        &mut self,
        request: &FetchRequest<'_>,
        settings: &RenderSettings,
        deadline: Instant,
    ) -> Result<Made, Failure> {
        // Given up in the middle, it is not used again.
        self.spent = true;
        let begun = Instant::now();
        self.browser.count_page();
        self.pages += 1;
        origin(request.url.as_str()).clone_into(&mut self.origin);
        self.events.clear();
        self.proxy.begin_page();
        let too_big = self.browser.too_big();
        let mut navigation = Navigation::new(
            &self.browser.cdp,
            (&self.session, &self.target),
            (request.url.as_str(), request.want),
            &self.own,
            settings,
            begun,
        );
        walk(&mut navigation, &mut self.events, deadline).await?;
        let end = navigation.end().cloned().unwrap_or(End::Deadline);
        if let Some(failure) = self.not_had(request, &end) {
            self.spent = false;
            return Err(failure);
        }
        let head = navigation.head().cloned().unwrap_or_default();
        let mut made = Making {
            head,
            wire_bytes: self.proxy.bytes_in(),
            begun,
        };
        let restless = || {
            let seconds = settings.nav_timeout.as_secs_f32();
            let words = format!("the page did not come to rest within {seconds} s");
            Failure::new(FailKind::Timeout, words)
        };
        match end {
            End::Rest => {
                let left = deadline.saturating_duration_since(Instant::now()) / 2;
                let patience = left.max(GRACE);
                let mut taken = take(&mut navigation, &mut self.events, settings, patience).await;
                self.spent = taken.is_err();
                if let Err(CdpError::Silent(_)) = taken {
                    // It came to rest, and then began to spin.
                    navigation.halt();
                    taken = take(&mut navigation, &mut self.events, settings, GRACE).await;
                }
                match taken {
                    Ok(taken) => Ok(made.document(taken)),
                    Err(CdpError::Silent(_)) => Err(restless()),
                    Err(CdpError::Refused(_, words)) => {
                        Err(Failure::new(FailKind::Protocol, words))
                    }
                    Err(error) => Err(died(&self.browser, &error, too_big)),
                }
            }
            End::Deadline if navigation.has_document() => {
                // As it is, if it listens: stopped, it may write that it was stopped.
                let mut taken = take(&mut navigation, &mut self.events, settings, GRACE / 3).await;
                if let Err(CdpError::Silent(_)) = taken {
                    navigation.halt();
                    taken = take(&mut navigation, &mut self.events, settings, GRACE * 2 / 3).await;
                }
                match taken {
                    Ok(taken) => Ok(made.document(taken)),
                    Err(_) if self.browser.too_big() > too_big => {
                        Err(died(&self.browser, &CdpError::Gone, too_big))
                    }
                    Err(_) => Err(restless()),
                }
            }
            End::Deadline => {
                let seconds = settings.nav_timeout.as_secs_f32();
                let words = format!("no page within {seconds} s");
                Err(Failure::new(FailKind::Timeout, words))
            }
            End::Crashed => Err(died(&self.browser, &CdpError::Gone, too_big)),
            End::Error(error) => {
                self.spent = false;
                Err(net_error::failure(&error))
            }
            End::NotHtml if request.want == Want::Document => {
                self.spent = false;
                Ok(Made::NotHtml)
            }
            End::NotHtml | End::Unread | End::Redirect => {
                self.spent = false;
                Ok(made.head_alone(request.want))
            }
            End::Upgrade(to) => {
                self.spent = false;
                made.head.status = 307;
                Ok(made.elsewhere(to, false))
            }
            End::Moved(to) => {
                self.spent = false;
                Ok(made.elsewhere(to, true))
            }
        }
    }

    /// What our own proxy knows about a page that could not be had.
    fn not_had(&self, request: &FetchRequest<'_>, end: &End) -> Option<Failure> {
        if !matches!(end, End::Error(_) | End::Unread) {
            return None;
        }
        let url = request.url.parts();
        self.proxy.failure_of(url.host(), url.port())
    }

    /// Leaves the page, so that nothing of it goes on, and makes a first-time reader of the tab again. False: it cannot be
    /// used any more.
    pub(crate) async fn leave(&mut self) -> bool {
        if !self.is_fit() {
            return false;
        }
        self.spent = true;
        let cdp = &self.browser.cdp;
        let session = Some(self.session.as_str());
        let clear = json!({ "expression": "try { sessionStorage.clear() } catch {}" });
        cdp.post(session, "Runtime.evaluate", clear);
        let blank = json!({ "url": "about:blank" });
        let left = cdp.call_within::<Nothing>(LEAVE, session, "Page.navigate", blank);
        if left.await.is_err() {
            return false;
        }
        // A page may hold on to its thread while it is left: the next one would wait for it.
        let here = json!({ "expression": "location.href", "returnByValue": true });
        let here = cdp.call_within::<Value>(LEAVE, session, "Runtime.evaluate", here);
        if !here
            .await
            .is_ok_and(|here| here["result"]["value"] == "about:blank")
        {
            return false;
        }
        let context = json!({ "browserContextId": self.context });
        let cookies = cdp.call_within::<Nothing>(LEAVE, None, "Storage.clearCookies", context);
        let place = json!({ "origin": self.origin, "storageTypes": STORAGE });
        let storage =
            cdp.call_within::<Nothing>(LEAVE, session, "Storage.clearDataForOrigin", place);
        let cleaned = tokio::try_join!(cookies, storage);
        self.events.clear();
        self.spent = cleaned.is_err();
        self.is_fit()
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        self.browser.tab_closed();
        if self.spent {
            // What does not listen to us any more would not listen to being closed either.
            let session = Some(self.session.as_str());
            self.browser.cdp.post(session, "Page.crash", json!({}));
        }
        give_back(&self.browser, &self.context);
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

/// A context whose tab is not complete yet.
struct Opened {
    browser: Arc<Browser>,
    context: Option<String>,
}

impl Opened {
    fn keep(mut self) -> (Arc<Browser>, String) {
        let context = self.context.take().unwrap_or_default();
        (Arc::clone(&self.browser), context)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(context) = &self.context {
            give_back(&self.browser, context);
        }
    }
}

/// Closes a context with all its windows and workers.
fn give_back(browser: &Browser, context: &str) {
    let context = json!({ "browserContextId": context });
    browser
        .cdp
        .post(None, "Target.disposeBrowserContext", context);
}

/// Why there is no page any more.
fn died(browser: &Browser, error: &CdpError, too_big: u64) -> Failure {
    let words = match error {
        _ if browser.too_big() > too_big => {
            "the page needs more memory than a page may have".to_owned()
        }
        CdpError::Gone if browser.is_alive() => "the page's process crashed".to_owned(),
        error => error.to_string(),
    };
    Failure::new(FailKind::Browser, words)
}

/// What is stopped for our word: pages, what is blocked, and what the caller's headers go with.
fn patterns(settings: &RenderSettings, own: &OwnHeaders) -> Value {
    let stage = |kind: &str, stage: &str| json!({ "resourceType": kind, "requestStage": stage });
    let mut patterns = vec![
        stage("Document", "Request"),
        stage("Document", "Response"),
        // Icons, among others.
        stage("Other", "Request"),
    ];
    patterns.extend(
        settings
            .blocked
            .iter()
            .map(|kind| stage(kind.name(), "Request")),
    );
    patterns.extend(own.pattern());
    patterns.into()
}

/// The browser's own name with ours in it, as robots that use a browser name themselves.
fn named(browser: &str, agent: &str) -> String {
    let like = "(KHTML, like Gecko)";
    browser
        .replace("HeadlessChrome", "Chrome")
        .replace(like, &format!("(KHTML, like Gecko; compatible; {agent})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_is_a_browser_that_says_who_it_is() {
        let browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36";
        assert_eq!(
            named(browser, "crawler/0.1.0"),
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko; compatible; crawler/0.1.0) Chrome/156.0.0.0 Safari/537.36"
        );
    }
}
