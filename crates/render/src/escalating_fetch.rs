//! Fetches by HTTP and escalates to the browser, page by page.
//!
//! A wrapper around two fetchers. With [`JsPolicy::Auto`] the browser can only improve a page: if it fails, or gets less
//! than HTTP did, the HTTP response is returned.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crawler_fetch::{Accept, Body, Fetch, FetchRequest, Fetched, HttpFetch};
use crawler_model::site_rules::{PageStatus, has_body};
use crawler_model::{FailKind, Failure, JsPolicy, RenderNeed, RenderReason, Rendering, lock};

use crate::Renderer;
use crate::render_history::{RenderEffect, RenderHistory};

/// Decides whether a page needs rendering, from its bytes and content type.
pub type RenderNeedFn = fn(&[u8], Option<&str>) -> RenderNeed;
/// Decides whether rendering helped, from the HTTP page, its content type and the rendered page.
pub type RenderHelpedFn = fn(&[u8], Option<&str>, &[u8]) -> bool;

/// Pages that needed rendering but could not be rendered.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct UnrenderedPages {
    /// Number of pages.
    pub pages: u64,
    /// Reason for the last one.
    pub message: String,
}

/// Fetches by HTTP and escalates to the browser where that is requested or needed.
#[derive(Debug)]
pub struct EscalatingFetch<H = HttpFetch, R = Renderer> {
    http: Arc<H>,
    /// The renderer, or why there is none.
    renderer: Result<Arc<R>, String>,
    need: RenderNeedFn,
    helped: RenderHelpedFn,
    history: Arc<Mutex<RenderHistory>>,
    unrendered_pages: Mutex<UnrenderedPages>,
}

impl<H: Fetch, R: Fetch> EscalatingFetch<H, R> {
    /// Combines a fetcher and a renderer; without a renderer, its error message is reported to requests that need one.
    pub fn new(
        http: Arc<H>,
        renderer: Result<Arc<R>, String>,
        need: RenderNeedFn,
        helped: RenderHelpedFn,
    ) -> Self {
        Self {
            http,
            renderer,
            need,
            helped,
            history: Arc::default(),
            unrendered_pages: Mutex::default(),
        }
    }

    /// Uses a history that is shared with other fetchers.
    #[must_use]
    pub fn with_history(self, history: Arc<Mutex<RenderHistory>>) -> Self {
        Self { history, ..self }
    }

    /// Returns the renderer, if there is one.
    pub fn renderer(&self) -> Option<&Arc<R>> {
        self.renderer.as_ref().ok()
    }

    /// Locks the history; never held across an await. It is valid after a panic: each entry is a few counters.
    fn history(&self) -> std::sync::MutexGuard<'_, RenderHistory> {
        lock(&self.history)
    }

    async fn always(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let renderer = self.renderer.as_ref();
        let renderer =
            renderer.map_err(|message| Failure::new(FailKind::NoBrowser, message.as_str()))?;
        let response = renderer.fetch(request).await?;
        Ok(with_reason(response, RenderReason::Requested))
    }

    async fn auto(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let host = request.url.origin();
        if let Ok(browser) = &self.renderer
            && self.history().goes_to_browser_first(&host, Instant::now())
        {
            return self.browser_first(request, browser).await;
        }
        let response = self.http.fetch(request).await?;
        self.escalate(request, response).await
    }

    /// Renders the page first; falls back to HTTP if that is better.
    async fn browser_first(
        &self,
        request: FetchRequest<'_>,
        browser: &R,
    ) -> Result<Fetched, Failure> {
        let started = Instant::now();
        let rendered = self.render(request, browser).await;
        if let Ok(response) = &rendered
            && (value_of(response) == ResponseValue::Page || is_not_html(response))
        {
            return rendered.map(|response| with_reason(response, RenderReason::HostNeeds));
        }
        let spent = started.elapsed().saturating_sub(waited(&rendered));
        let plain = self.http.fetch(request).await;
        let (rendered, mut plain) = match (rendered, plain) {
            (Ok(mut rendered), plain)
                if !plain.as_ref().is_ok_and(|plain| is_worse(&rendered, plain)) =>
            {
                // HTTP is no better, so nothing is recorded for the host.
                rendered.elapsed =
                    spent + plain.as_ref().map_or(Duration::ZERO, |plain| plain.elapsed);
                rendered.wire_bytes += plain.map_or(0, |plain| plain.wire_bytes);
                return Ok(with_reason(rendered, RenderReason::HostNeeds));
            }
            (rendered, plain) => (rendered, plain?),
        };
        if let Some(effect) = effect_of_worse(&rendered, &plain) {
            self.record(
                request,
                RenderNeed::Certain(RenderReason::HostNeeds),
                effect,
            );
        }
        plain.elapsed += spent;
        let waited = waited(&rendered);
        let browser_time = spent;
        let reason = if is_page(&plain, request.accept) {
            unrendered_reason(&rendered)
        } else {
            RenderReason::NotHtml
        };
        Ok(tried(plain, reason, waited, browser_time))
    }

    /// Returns the HTTP response, or the rendered page if it needs rendering.
    async fn escalate(
        &self,
        request: FetchRequest<'_>,
        mut plain: Fetched,
    ) -> Result<Fetched, Failure> {
        let host = request.url.origin();
        let need = match &plain.body {
            Body::Html(body) if is_page(&plain, request.accept) => {
                (self.need)(body, plain.content_type.as_deref())
            }
            _ => return Ok(unrendered(plain, RenderReason::NotHtml, Duration::ZERO)),
        };
        let decided = self.history().decide(&host, need, Instant::now());
        let reason = match decided {
            Ok(reason) => reason,
            Err(reason) => return Ok(unrendered(plain, reason, Duration::ZERO)),
        };
        let Ok(browser) = &self.renderer else {
            return Ok(unrendered(plain, RenderReason::NoBrowser, Duration::ZERO));
        };
        let started = Instant::now();
        let mut rendered = match self.render(request, browser).await {
            Ok(response) if !is_worse(&response, &plain) => response,
            failed => {
                if let Some(effect) = effect_of_worse(&failed, &plain) {
                    self.record(request, need, effect);
                }
                let waited = waited(&failed);
                let spent = started.elapsed().saturating_sub(waited);
                plain.elapsed += spent;
                return Ok(tried(plain, unrendered_reason(&failed), waited, spent));
            }
        };
        let effect = self.effect(&plain, &rendered);
        self.record(request, need, effect);
        rendered.elapsed += plain.elapsed;
        rendered.wire_bytes += plain.wire_bytes;
        Ok(with_reason(rendered, reason))
    }

    /// Renders a page. If the browser died, which is not the fault of the page, tries once more.
    async fn render(&self, request: FetchRequest<'_>, browser: &R) -> Result<Fetched, Failure> {
        let mut rendered = browser.fetch(request).await;
        if matches!(&rendered, Err(failure) if failure.kind == FailKind::Browser) {
            rendered = browser.fetch(request).await;
        }
        if let Err(failure) = &rendered {
            let mut unrendered = lock(&self.unrendered_pages);
            unrendered.pages += 1;
            unrendered.message.clone_from(&failure.message);
        }
        rendered
    }

    /// Returns the pages that needed rendering but were returned as HTTP responses because the browser failed.
    pub fn unrendered_pages(&self) -> UnrenderedPages {
        lock(&self.unrendered_pages).clone()
    }

    fn record(&self, request: FetchRequest<'_>, need: RenderNeed, effect: RenderEffect) {
        let host = request.url.origin();
        self.history().record(&host, need, effect, Instant::now());
    }

    fn effect(&self, plain: &Fetched, rendered: &Fetched) -> RenderEffect {
        match (&plain.body, &rendered.body) {
            _ if rendered.is_redirect() => RenderEffect::Redirected,
            (Body::Html(before), Body::Html(after))
                if (self.helped)(before, plain.content_type.as_deref(), after) =>
            {
                RenderEffect::Improved
            }
            _ => RenderEffect::Unchanged,
        }
    }
}

impl<H: Fetch, R: Fetch> Fetch for EscalatingFetch<H, R> {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        match (request.accept, request.js) {
            (Accept::File { .. }, _) | (_, JsPolicy::Never) => self.http.fetch(request).await,
            // Boxed: these futures are large, and requests without a browser should not pay for them.
            (_, JsPolicy::Always) => Box::pin(self.always(request)).await,
            (_, JsPolicy::Auto) => Box::pin(self.auto(request)).await,
        }
    }
}

/// Whether the response is a page that rendering could improve.
fn is_page(response: &Fetched, accept: Accept) -> bool {
    let is_wanted = !response.page_status().is_error_page() || accept == Accept::Document;
    !response.is_redirect() && is_wanted && matches!(response.body, Body::Html(_))
}

/// How valuable a response is, in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ResponseValue {
    /// An error without a page.
    Error,
    /// An error with a page.
    ErrorPage,
    /// A success without a page.
    NoPage,
    /// A page, or a redirect to one.
    Page,
}

fn value_of(response: &Fetched) -> ResponseValue {
    let is_html = matches!(response.body, Body::Html(_));
    match (response.page_status(), is_html) {
        (PageStatus::ErrorPage(_), true) => ResponseValue::ErrorPage,
        (PageStatus::ErrorPage(_), false) => ResponseValue::Error,
        (PageStatus::Redirect, _) | (_, true) => ResponseValue::Page,
        (PageStatus::Success | PageStatus::Unusable(_), false) => ResponseValue::NoPage,
    }
}

/// Whether the browser got less than HTTP did, for example from a host that blocks headless browsers.
fn is_worse(rendered: &Fetched, plain: &Fetched) -> bool {
    value_of(rendered) < value_of(plain)
}

/// Whether the browser got something other than HTML, which HTTP would get as well.
fn is_not_html(rendered: &Fetched) -> bool {
    let not_html =
        |rendering: Rendering| !rendering.rendered && rendering.reason == RenderReason::NotHtml;
    rendered.rendering.is_some_and(not_html)
        && value_of(rendered) == ResponseValue::NoPage
        && has_body(rendered.status)
}

/// Returns what to record for a host when HTTP got more than the browser. Nothing is recorded if the browser died.
fn effect_of_worse(rendered: &Result<Fetched, Failure>, plain: &Fetched) -> Option<RenderEffect> {
    match rendered {
        Err(failure) if failure.kind == FailKind::Timeout => Some(RenderEffect::TimedOut),
        Err(failure)
            if matches!(
                failure.kind,
                FailKind::Browser
                    | FailKind::NoBrowser
                    | FailKind::BrowserUnavailable
                    | FailKind::Busy
            ) =>
        {
            None
        }
        _ => (value_of(plain) > ResponseValue::ErrorPage).then_some(RenderEffect::Unchanged),
    }
}

/// Returns why a page is not rendered although the browser was used.
fn unrendered_reason(rendered: &Result<Fetched, Failure>) -> RenderReason {
    match rendered {
        Err(failure)
            if matches!(
                failure.kind,
                FailKind::NoBrowser | FailKind::BrowserUnavailable
            ) =>
        {
            RenderReason::NoBrowser
        }
        _ => RenderReason::BrowserFailed,
    }
}

/// Adds the reason for rendering to a response of the browser. Anything but a page is marked as not rendered.
fn with_reason(mut response: Fetched, reason: RenderReason) -> Fetched {
    let fetched_by_http = response
        .rendering
        .is_some_and(|rendering| !rendering.rendered);
    let is_rendered =
        response.moved_by_script || (matches!(response.body, Body::Html(_)) && !fetched_by_http);
    let by_browser = response.rendering;
    let rendering = if is_rendered {
        Rendering {
            timed_out: by_browser.is_some_and(|rendering| rendering.timed_out),
            ..Rendering::because(reason)
        }
    } else {
        Rendering::not(RenderReason::NotHtml)
    };
    response.rendering = Some(Rendering {
        waited: by_browser.map_or(Duration::ZERO, |rendering| rendering.waited),
        browser_time: by_browser.map_or(Duration::ZERO, |rendering| rendering.browser_time),
        ..rendering
    });
    response
}

fn unrendered(mut response: Fetched, reason: RenderReason, waited: Duration) -> Fetched {
    response.rendering = Some(Rendering::not(reason).after(waited));
    response
}

/// Like [`unrendered`], after the browser was tried in vain.
fn tried(
    response: Fetched,
    reason: RenderReason,
    waited: Duration,
    browser_time: Duration,
) -> Fetched {
    let mut response = unrendered(response, reason, waited);
    if let Some(rendering) = &mut response.rendering {
        rendering.browser_time = browser_time;
    }
    response
}

/// Returns how long the request waited for a tab; unknown, and zero, if it failed.
fn waited(rendered: &Result<Fetched, Failure>) -> Duration {
    let rendering = rendered
        .as_ref()
        .ok()
        .and_then(|rendered| rendered.rendering);
    rendering.map_or(Duration::ZERO, |rendering| rendering.waited)
}

#[cfg(test)]
mod tests;
