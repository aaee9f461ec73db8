//! Renderers for the isolation tests.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crawler_fetch::{Accept, EgressTarget, Fetch, FetchRequest, Fetched, Guard, HttpFetch};
use crawler_model::{Deadlines, Failure, FetchRules, JsPolicy, PageBudgets};
use crawler_render::{Chromium, RenderSettings, Renderer};
use crawler_weburl::CrawlUrl;

/// The only host that may be dialed; browsers treat it as a secure context.
pub(crate) const HOST: &str = "site.localhost";

pub(crate) fn rules() -> FetchRules {
    FetchRules {
        deadlines: Deadlines::within(Duration::from_secs(90)),
        max_body: 1_000_000,
        user_agent: "crawler/test".into(),
        headers: Vec::new(),
        userinfo: None,
        proxies: Vec::new(),
        seed: None,
    }
}

/// Allows public addresses and the site.
pub(crate) fn site_only() -> Guard {
    Guard::new(false, vec![EgressTarget::parse(HOST).unwrap()])
}

/// Creates a renderer that resolves every name to this machine and blocks no resources.
pub(crate) fn renderer(guard: Guard) -> Arc<Renderer> {
    renderer_with(None, guard)
}

/// Like [`renderer`], with the browser started by another program.
pub(crate) fn renderer_with(program: Option<&Path>, guard: Guard) -> Arc<Renderer> {
    let everywhere = Arc::new(|_: &str| vec![IpAddr::from(Ipv4Addr::LOCALHOST)]);
    let http = HttpFetch::resolving(
        &rules(),
        8,
        guard,
        crawler_html::looks_like_html,
        everywhere,
    );
    let settings = RenderSettings {
        // The page that tries every channel makes hundreds of requests.
        budgets: PageBudgets::UNLIMITED,
        blocked: Vec::new(),
        // The page that tries every channel takes long to settle, and longer on a busy machine.
        nav_timeout: Duration::from_secs(90),
        ..RenderSettings::default()
    };
    Renderer::new(chromium(program), settings, Arc::new(http.unwrap()))
}

/// Creates a renderer on top of a fetcher.
pub(crate) fn renderer_over(http: HttpFetch, settings: RenderSettings) -> Arc<Renderer> {
    Renderer::new(chromium(None), settings, Arc::new(http))
}

pub(crate) fn chromium(program: Option<&Path>) -> Chromium {
    Chromium::find(program).expect("these tests need a Chromium")
}

/// Renders a page.
pub(crate) async fn page(renderer: &Renderer, url: &str) -> Result<Fetched, Failure> {
    let url = CrawlUrl::parse(url).unwrap();
    let request = FetchRequest {
        js: JsPolicy::Always,
        ..FetchRequest::new(&url, Accept::Document)
    };
    renderer.fetch(request).await
}
