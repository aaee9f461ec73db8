//! A renderer for a test, and what it makes of a page.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fetch::{Body, Fetch, FetchRequest, Fetched, Guard, HttpFetch, Want};
use model::{Failure, JsPolicy, ScrapePlan, ScrapeSpec};
use render::{Chromium, RenderSettings, Renderer};
use weburl::CrawlUrl;

/// A renderer over a browser of its own, which must be there.
pub(crate) struct Stage {
    pub(crate) renderer: Arc<Renderer>,
}

impl Stage {
    pub(crate) fn new(change: impl FnOnce(&mut RenderSettings)) -> Self {
        Self::with(&ScrapeSpec::default(), change)
    }

    pub(crate) fn with(spec: &ScrapeSpec, change: impl FnOnce(&mut RenderSettings)) -> Self {
        Self::by(None, spec, change)
    }

    /// The same, with a browser that is started by another program.
    pub(crate) fn by(
        program: Option<&Path>,
        spec: &ScrapeSpec,
        change: impl FnOnce(&mut RenderSettings),
    ) -> Self {
        let mut settings = RenderSettings {
            nav_timeout: Duration::from_secs(15),
            ..RenderSettings::default()
        };
        change(&mut settings);
        let plan = ScrapePlan::resolve(spec, "crawler/test").unwrap();
        let http = HttpFetch::new(&plan.fetch, 8, Guard::anywhere(), html::looks_like_html);
        let chromium = Chromium::find(program).expect("these tests need a Chromium");
        Self {
            renderer: Renderer::new(chromium, settings, Arc::new(http.unwrap())),
        }
    }

    /// A page as a document, of a visit.
    pub(crate) async fn visit(&self, url: &str, visit: u64) -> Result<Fetched, Failure> {
        let url = CrawlUrl::parse(url).unwrap();
        let request = FetchRequest {
            js: JsPolicy::Always,
            visit,
            ..FetchRequest::new(&url, Want::Document)
        };
        self.renderer.fetch(request).await
    }

    /// A page as a document.
    pub(crate) async fn document(&self, url: &str) -> Result<Fetched, Failure> {
        self.visit(url, 0).await
    }
}

/// The document's markup.
pub(crate) fn markup(fetched: &Fetched) -> String {
    match &fetched.body {
        Body::Html(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
        other => panic!("no page: {other:?}"),
    }
}
