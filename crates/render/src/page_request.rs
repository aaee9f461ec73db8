//! One page to render, with the settings that depend on who asks for it.

use std::sync::Arc;
use std::time::Duration;

use crawler_fetch::{Accept, Egress, Fetch, FetchRequest, Fetched, HttpFetch, TabMeter};
use crawler_model::{Failure, JsPolicy, RenderReason, Rendering};
use crawler_weburl::CrawlUrl;

use crate::RenderSettings;
use crate::caller_headers::CallerHeaders;
use crate::tab_result::TabResult;

/// One page to render.
#[derive(Debug)]
pub(crate) struct PageRequest<'a> {
    pub(crate) url: &'a CrawlUrl,
    pub(crate) accept: Accept,
    pub(crate) visit: u64,
    pub(crate) caller_headers: CallerHeaders,
    pub(crate) settings: Arc<RenderSettings>,
    /// Whose turn at the tabs is used.
    pub(crate) tab_owner: u64,
    /// Counts the time for which the tab is held.
    pub(crate) tab_meter: Option<TabMeter>,
}

impl<'a> PageRequest<'a> {
    pub(crate) fn of(
        egress: &Egress,
        request: &FetchRequest<'a>,
        settings: &Arc<RenderSettings>,
    ) -> Self {
        Self {
            url: request.url,
            accept: request.accept,
            visit: request.visit,
            caller_headers: CallerHeaders::of(egress, request),
            settings: Arc::clone(settings),
            tab_owner: request.tab_owner,
            tab_meter: request.tab_meter.cloned(),
        }
    }
}

/// The result of a page, and how long it took.
#[derive(Debug)]
pub(crate) struct RenderedPage {
    pub(crate) result: TabResult,
    /// Time spent waiting for a tab.
    pub(crate) waited: Duration,
    /// Time for which the tab was used.
    pub(crate) browser_time: Duration,
}

impl RenderedPage {
    /// Returns the response, which is fetched by HTTP if the page is not HTML.
    pub(crate) async fn into_response(
        self,
        http: &HttpFetch,
        request: FetchRequest<'_>,
    ) -> Result<Fetched, Failure> {
        let mut response = match self.result {
            TabResult::Response(mut response) => {
                response.elapsed = Duration::ZERO;
                *response
            }
            TabResult::NotHtml => {
                let js = JsPolicy::Never;
                let mut response = http.fetch(FetchRequest { js, ..request }).await?;
                response.rendering = Some(Rendering::not(RenderReason::NotHtml));
                response
            }
        };
        response.elapsed += self.browser_time;
        response.rendering = response.rendering.map(|rendering| Rendering {
            browser_time: self.browser_time,
            ..rendering.after(self.waited)
        });
        Ok(response)
    }
}
