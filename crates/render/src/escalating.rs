//! From HTTP to the browser, page by page.
//!
//! A wrapper round two fetchers. What it must not know: how either works. In [`JsPolicy::Auto`] the browser can only add:
//! where it fails, or is given less than HTTP is, what came by HTTP is the answer.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fetch::{Body, Fetch, FetchRequest, Fetched, HttpFetch, Want};
use model::{FailKind, Failure, JsPolicy, RenderNeed, RenderReason, Rendering};

use crate::Renderer;
use crate::host_verdicts::{Brought, HostVerdicts};

/// Judges a page: its bytes and its content type.
pub type Need = fn(&[u8], Option<&str>) -> RenderNeed;
/// Whether rendering helped: the page as it came, its content type, and the page as it was rendered.
pub type Helped = fn(&[u8], Option<&str>, &[u8]) -> bool;

/// Pages that a browser could not render although they needed it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Missed {
    /// How many.
    pub pages: u64,
    /// Why, of the last.
    pub words: String,
}

/// Fetches by HTTP and escalates to the browser where that is asked for or needed.
#[derive(Debug)]
pub struct Escalating<H = HttpFetch, R = Renderer> {
    http: Arc<H>,
    /// Or why there is none.
    renderer: Result<Arc<R>, String>,
    need: Need,
    helped: Helped,
    verdicts: Arc<Mutex<HostVerdicts>>,
    missed: Mutex<Missed>,
}

impl<H: Fetch, R: Fetch> Escalating<H, R> {
    /// Over a fetcher and a renderer, or the words for whoever asks for one where there is none.
    pub fn new(http: Arc<H>, renderer: Result<Arc<R>, String>, need: Need, helped: Helped) -> Self {
        Self {
            http,
            renderer,
            need,
            helped,
            verdicts: Arc::default(),
            missed: Mutex::default(),
        }
    }

    /// The same, with a memory that others have too.
    #[must_use]
    pub fn remembering(self, verdicts: Arc<Mutex<HostVerdicts>>) -> Self {
        Self { verdicts, ..self }
    }

    /// The renderer, if there is one.
    pub fn renderer(&self) -> Option<&Arc<R>> {
        self.renderer.as_ref().ok()
    }

    /// The verdicts, held for a look and never across an await. They are sound after a panic: each is a few counters.
    fn verdicts(&self) -> std::sync::MutexGuard<'_, HostVerdicts> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn always(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let renderer = self.renderer.as_ref();
        let renderer =
            renderer.map_err(|words| Failure::new(FailKind::NoBrowser, words.as_str()))?;
        let answer = renderer.fetch(request).await?;
        Ok(marked(answer, RenderReason::Asked))
    }

    async fn auto(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let host = request.url.origin();
        if let Ok(renderer) = &self.renderer
            && self.verdicts().goes_straight(&host, Instant::now())
        {
            return self.straight(request, renderer).await;
        }
        let answer = self.http.fetch(request).await?;
        self.escalate(request, answer).await
    }

    /// The page as the browser has it, or by HTTP where that is better.
    async fn straight(&self, request: FetchRequest<'_>, renderer: &R) -> Result<Fetched, Failure> {
        let started = Instant::now();
        let drawn = self.drawn(request, renderer).await;
        if let Ok(answer) = &drawn
            && (worth(answer) == Worth::Page || is_file(answer))
        {
            return drawn.map(|answer| marked(answer, RenderReason::HostNeeds));
        }
        let spent = started.elapsed().saturating_sub(waited(&drawn));
        let plain = self.http.fetch(request).await;
        let (drawn, mut plain) = match (drawn, plain) {
            (Ok(mut drawn), plain)
                if !plain.as_ref().is_ok_and(|plain| is_worse(&drawn, plain)) =>
            {
                // What the page is, it is for everybody: no sign for the host.
                drawn.elapsed =
                    spent + plain.as_ref().map_or(Duration::ZERO, |plain| plain.elapsed);
                drawn.wire_bytes += plain.map_or(0, |plain| plain.wire_bytes);
                return Ok(marked(drawn, RenderReason::HostNeeds));
            }
            (drawn, plain) => (drawn, plain?),
        };
        if let Some(brought) = missed(&drawn, &plain) {
            self.learn(
                request,
                RenderNeed::Certain(RenderReason::HostNeeds),
                brought,
            );
        }
        plain.elapsed += spent;
        let waited = waited(&drawn);
        let reason = if is_page(&plain, request.want) {
            why_not(&drawn)
        } else {
            RenderReason::NotHtml
        };
        Ok(unrendered(plain, reason, waited))
    }

    /// The page that came by HTTP, or what the browser makes of it.
    async fn escalate(
        &self,
        request: FetchRequest<'_>,
        mut plain: Fetched,
    ) -> Result<Fetched, Failure> {
        let host = request.url.origin();
        let need = match &plain.body {
            Body::Html(body) if is_page(&plain, request.want) => {
                (self.need)(body, plain.content_type.as_deref())
            }
            _ => return Ok(unrendered(plain, RenderReason::NotHtml, Duration::ZERO)),
        };
        let decided = self.verdicts().decide(&host, need, Instant::now());
        let reason = match decided {
            Ok(reason) => reason,
            Err(reason) => return Ok(unrendered(plain, reason, Duration::ZERO)),
        };
        let Ok(renderer) = &self.renderer else {
            return Ok(unrendered(plain, RenderReason::NoBrowser, Duration::ZERO));
        };
        let started = Instant::now();
        let mut drawn = match self.drawn(request, renderer).await {
            Ok(answer) if !is_worse(&answer, &plain) => answer,
            failed => {
                if let Some(brought) = missed(&failed, &plain) {
                    self.learn(request, need, brought);
                }
                let waited = waited(&failed);
                plain.elapsed += started.elapsed().saturating_sub(waited);
                return Ok(unrendered(plain, why_not(&failed), waited));
            }
        };
        let brought = self.brought(&plain, &drawn);
        self.learn(request, need, brought);
        drawn.elapsed += plain.elapsed;
        drawn.wire_bytes += plain.wire_bytes;
        Ok(marked(drawn, reason))
    }

    /// What the browser makes of a page. One that died says nothing of the page, so it is asked once more.
    async fn drawn(&self, request: FetchRequest<'_>, renderer: &R) -> Result<Fetched, Failure> {
        let mut drawn = renderer.fetch(request).await;
        if matches!(&drawn, Err(failure) if failure.kind == FailKind::Browser) {
            drawn = renderer.fetch(request).await;
        }
        if let Err(failure) = &drawn {
            let mut missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
            missed.pages += 1;
            missed.words.clone_from(&failure.words);
        }
        drawn
    }

    /// Pages that needed the browser and are as HTTP gave them, because it failed.
    pub fn missed(&self) -> Missed {
        let missed = self.missed.lock();
        missed.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn learn(&self, request: FetchRequest<'_>, need: RenderNeed, brought: Brought) {
        let host = request.url.origin();
        self.verdicts().learn(&host, need, brought, Instant::now());
    }

    fn brought(&self, plain: &Fetched, rendered: &Fetched) -> Brought {
        match (&plain.body, &rendered.body) {
            _ if rendered.is_redirect() => Brought::Elsewhere,
            (Body::Html(before), Body::Html(after))
                if (self.helped)(before, plain.content_type.as_deref(), after) =>
            {
                Brought::More
            }
            _ => Brought::Nothing,
        }
    }
}

impl<H: Fetch, R: Fetch> Fetch for Escalating<H, R> {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        match (request.want, request.js) {
            (Want::File { .. }, _) | (_, JsPolicy::Never) => self.http.fetch(request).await,
            // Boxed: what a browser needs is large, and pages that need none should not carry it about.
            (_, JsPolicy::Always) => Box::pin(self.always(request)).await,
            (_, JsPolicy::Auto) => Box::pin(self.auto(request)).await,
        }
    }
}

/// Whether there is a page in an answer that a browser could make more of.
fn is_page(answer: &Fetched, want: Want) -> bool {
    let is_wanted = answer.status < 400 || want == Want::Document;
    !answer.is_redirect() && is_wanted && matches!(answer.body, Body::Html(_))
}

/// What there is in an answer, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    /// An error without words.
    Error,
    /// An error with a page of its own.
    ErrorPage,
    /// No error and no page.
    NoPage,
    /// A page, or the way to one.
    Page,
}

fn worth(answer: &Fetched) -> Worth {
    let is_html = matches!(answer.body, Body::Html(_));
    match (answer.status < 400, is_html) {
        _ if answer.is_redirect() => Worth::Page,
        (true, true) => Worth::Page,
        (true, false) => Worth::NoPage,
        (false, true) => Worth::ErrorPage,
        (false, false) => Worth::Error,
    }
}

/// Whether the browser got less than HTTP did, as from a host that shuts its door to browsers without a window: what it gave
/// before is better than nothing.
fn is_worse(drawn: &Fetched, plain: &Fetched) -> bool {
    worth(drawn) < worth(plain)
}

/// Whether a browser was given something that is none of its own: HTTP would get the same.
fn is_file(drawn: &Fetched) -> bool {
    let not_html =
        |rendering: Rendering| !rendering.rendered && rendering.reason == RenderReason::NotHtml;
    drawn.rendering.is_some_and(not_html)
        && worth(drawn) == Worth::NoPage
        && !matches!(drawn.status, 204 | 205)
}

/// What a host is to be remembered for where HTTP gave more than the browser; a browser that died says nothing of the page.
fn missed(drawn: &Result<Fetched, Failure>, plain: &Fetched) -> Option<Brought> {
    match drawn {
        Err(failure) if failure.kind == FailKind::Timeout => Some(Brought::Late),
        Err(failure) if matches!(failure.kind, FailKind::Browser | FailKind::NoBrowser) => None,
        _ => (worth(plain) > Worth::ErrorPage).then_some(Brought::Nothing),
    }
}

/// Why a page is not rendered though the browser was asked.
fn why_not(drawn: &Result<Fetched, Failure>) -> RenderReason {
    match drawn {
        Err(failure) if failure.kind == FailKind::NoBrowser => RenderReason::NoBrowser,
        _ => RenderReason::BrowserFailed,
    }
}

/// An answer of the browser, with why it was asked. What is no page in it went through as it came.
fn marked(mut answer: Fetched, reason: RenderReason) -> Fetched {
    let came_by_http = answer
        .rendering
        .is_some_and(|rendering| !rendering.rendered);
    let is_rendered =
        answer.moved_by_script || (matches!(answer.body, Body::Html(_)) && !came_by_http);
    let waited = answer.rendering.map(|rendering| rendering.waited);
    let rendering = if is_rendered {
        Rendering::because(reason)
    } else {
        Rendering::not(RenderReason::NotHtml)
    };
    answer.rendering = Some(rendering.after(waited.unwrap_or_default()));
    answer
}

fn unrendered(mut answer: Fetched, reason: RenderReason, waited: Duration) -> Fetched {
    answer.rendering = Some(Rendering::not(reason).after(waited));
    answer
}

/// How long the browser's answer waited for a tab; of one that failed nobody knows.
fn waited(drawn: &Result<Fetched, Failure>) -> Duration {
    let rendering = drawn.as_ref().ok().and_then(|drawn| drawn.rendering);
    rendering.map_or(Duration::ZERO, |rendering| rendering.waited)
}

#[cfg(test)]
mod tests;
