//! A renderer for tests.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crawler_fetch::{
    Accept, Body, Fetch, FetchRequest, FetchSetupError, Fetched, Guard, HttpFetch,
};
use crawler_model::{Failure, FetchRules, JsPolicy, RequestSpec, ScrapePlan};
use crawler_render::{Chromium, RenderSettings, Renderer};
use crawler_weburl::CrawlUrl;

/// A renderer with its own browser, which must be installed.
pub(crate) struct TestRenderer {
    pub(crate) renderer: Arc<Renderer>,
}

impl TestRenderer {
    pub(crate) fn new(change: impl FnOnce(&mut RenderSettings)) -> Self {
        Self::with(&RequestSpec::default(), change)
    }

    pub(crate) fn with(spec: &RequestSpec, change: impl FnOnce(&mut RenderSettings)) -> Self {
        Self::by(None, spec, change)
    }

    /// Like [`Self::with`], with the browser started by another program.
    pub(crate) fn by(
        program: Option<&Path>,
        spec: &RequestSpec,
        change: impl FnOnce(&mut RenderSettings),
    ) -> Self {
        Self::fetching(program, spec, change, |rules| {
            HttpFetch::new(rules, 8, Guard::anywhere(), crawler_html::looks_like_html)
        })
    }

    /// Like [`Self::by`], with another fetcher.
    pub(crate) fn fetching(
        program: Option<&Path>,
        spec: &RequestSpec,
        change: impl FnOnce(&mut RenderSettings),
        http: impl FnOnce(&FetchRules) -> Result<HttpFetch, FetchSetupError>,
    ) -> Self {
        let mut settings = RenderSettings {
            nav_timeout: Duration::from_secs(15),
            ..RenderSettings::default()
        };
        change(&mut settings);
        let plan = ScrapePlan::resolve(spec, "crawler/test").unwrap();
        let chromium = Chromium::find(program).expect("these tests need a Chromium");
        let http = Arc::new(http(&plan.fetch).unwrap());
        Self {
            renderer: Renderer::new(chromium, settings, http),
        }
    }

    /// Renders a page of a visit.
    pub(crate) async fn visit(&self, url: &str, visit: u64) -> Result<Fetched, Failure> {
        let url = CrawlUrl::parse(url).unwrap();
        let request = FetchRequest {
            js: JsPolicy::Always,
            visit,
            ..FetchRequest::new(&url, Accept::Document)
        };
        self.renderer.fetch(request).await
    }

    /// Renders a page.
    pub(crate) async fn document(&self, url: &str) -> Result<Fetched, Failure> {
        self.visit(url, 0).await
    }
}

/// Returns the markup of a document.
pub(crate) fn markup(fetched: &Fetched) -> String {
    match &fetched.body {
        Body::Html(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
        other => panic!("not a page: {other:?}"),
    }
}
