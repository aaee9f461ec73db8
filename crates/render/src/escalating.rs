//! From HTTP to the browser, page by page.
//!
//! A wrapper round two fetchers. What it must not know: how either works. In [`JsPolicy::Auto`] the browser can only add:
//! where it fails, what came by HTTP is the answer.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use fetch::{Body, Fetch, FetchRequest, Fetched, HttpFetch, Want};
use model::{FailKind, Failure, JsPolicy, RenderNeed, RenderReason, Rendering};

use crate::Renderer;
use crate::host_verdicts::{Brought, HostVerdicts};

/// Judges a page: its bytes and its content type.
pub type Need = fn(&[u8], Option<&str>) -> RenderNeed;
/// Whether rendering helped: the page as it came, its content type, and the page as it was rendered.
pub type Helped = fn(&[u8], Option<&str>, &[u8]) -> bool;

/// Fetches by HTTP and escalates to the browser where that is asked for or needed.
#[derive(Debug)]
pub struct Escalating<H = HttpFetch, R = Renderer> {
    http: Arc<H>,
    renderer: Option<Arc<R>>,
    need: Need,
    helped: Helped,
    verdicts: Mutex<HostVerdicts>,
}

impl<H: Fetch, R: Fetch> Escalating<H, R> {
    /// Over a fetcher and, where there is one, a renderer.
    pub fn new(http: Arc<H>, renderer: Option<Arc<R>>, need: Need, helped: Helped) -> Self {
        Self {
            http,
            renderer,
            need,
            helped,
            verdicts: Mutex::default(),
        }
    }

    /// The renderer, if there is one.
    pub fn renderer(&self) -> Option<&Arc<R>> {
        self.renderer.as_ref()
    }

    /// The verdicts, held for a look and never across an await. They are sound after a panic: each is a few counters.
    fn verdicts(&self) -> std::sync::MutexGuard<'_, HostVerdicts> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn always(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let Some(renderer) = &self.renderer else {
            return Err(Failure::new(
                FailKind::NoBrowser,
                "there is no Chromium to render with; install one (Debian, Ubuntu: apt-get install chromium) \
                 or name it in the variable CHROME",
            ));
        };
        let answer = renderer.fetch(request).await?;
        Ok(marked(answer, RenderReason::Asked))
    }

    async fn auto(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        if let Some(renderer) = &self.renderer
            && self
                .verdicts()
                .goes_straight(&request.url.origin(), Instant::now())
        {
            let started = Instant::now();
            match renderer.fetch(request).await {
                Ok(answer) => return Ok(marked(answer, RenderReason::HostNeeds)),
                Err(failure) if !is_browsers(failure.kind) => return Err(failure),
                Err(failure) if failure.kind == FailKind::Timeout => {
                    self.wasted(request, RenderNeed::Certain(RenderReason::HostNeeds));
                }
                Err(_) => {}
            }
            let spent = started.elapsed();
            let mut answer = self.http.fetch(request).await?;
            answer.elapsed += spent;
            let reason = if is_page(&answer, request.want) {
                RenderReason::NoBrowser
            } else {
                RenderReason::NotHtml
            };
            return Ok(unrendered(answer, reason));
        }
        let answer = self.http.fetch(request).await?;
        self.escalate(request, answer).await
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
            _ => return Ok(unrendered(plain, RenderReason::NotHtml)),
        };
        let decided = self.verdicts().decide(&host, need, Instant::now());
        let reason = match decided {
            Ok(reason) => reason,
            Err(reason) => return Ok(unrendered(plain, reason)),
        };
        let Some(renderer) = &self.renderer else {
            return Ok(unrendered(plain, RenderReason::NoBrowser));
        };
        let started = Instant::now();
        let mut drawn = match renderer.fetch(request).await {
            Ok(answer) if !is_worse(&answer, &plain) => answer,
            failed => {
                // A page that never settles, or that a browser is not given, gains nothing; a browser that died says
                // nothing of the page.
                if failed.map_or_else(|failure| failure.kind == FailKind::Timeout, |_| true) {
                    self.wasted(request, need);
                }
                plain.elapsed += started.elapsed();
                return Ok(unrendered(plain, RenderReason::NoBrowser));
            }
        };
        let brought = self.brought(&plain, &drawn);
        self.verdicts().learn(&host, need, brought, Instant::now());
        drawn.elapsed += plain.elapsed;
        drawn.wire_bytes += plain.wire_bytes;
        Ok(marked(drawn, reason))
    }

    /// Time went into a page of that need, and nothing came of it.
    fn wasted(&self, request: FetchRequest<'_>, need: RenderNeed) {
        let host = request.url.origin();
        self.verdicts()
            .learn(&host, need, Brought::Nothing, Instant::now());
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
            (_, JsPolicy::Always) => self.always(request).await,
            (_, JsPolicy::Auto) => self.auto(request).await,
        }
    }
}

/// Whether there is a page in an answer that a browser could make more of.
fn is_page(answer: &Fetched, want: Want) -> bool {
    let is_wanted = answer.status < 400 || want == Want::Document;
    !answer.is_redirect() && is_wanted && matches!(answer.body, Body::Html(_))
}

/// Whether the browser got no page where HTTP got one, as from a host that shuts its door to browsers without a window:
/// what it gave before is better than nothing.
fn is_worse(drawn: &Fetched, plain: &Fetched) -> bool {
    let is_page =
        matches!(drawn.body, Body::Html(_)) && (drawn.status < 400 || plain.status >= 400);
    !drawn.is_redirect() && !is_page
}

/// An answer of the browser, with why it was asked. What is no page in it went through as it came.
fn marked(mut answer: Fetched, reason: RenderReason) -> Fetched {
    let is_rendered = answer.moved_by_script || matches!(answer.body, Body::Html(_));
    answer.rendering = Some(if is_rendered {
        Rendering::because(reason)
    } else {
        Rendering::not(RenderReason::NotHtml)
    });
    answer
}

fn unrendered(mut answer: Fetched, reason: RenderReason) -> Fetched {
    answer.rendering = Some(Rendering::not(reason));
    answer
}

/// Failures that are the browser's own and say nothing of the page.
fn is_browsers(kind: FailKind) -> bool {
    matches!(
        kind,
        FailKind::Browser | FailKind::NoBrowser | FailKind::Timeout
    )
}

#[cfg(test)]
mod tests;
