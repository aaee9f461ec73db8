//! A renderer whose guard knows one host.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fetch::{Allowed, Fetch, FetchRequest, Fetched, Guard, HttpFetch, Want};
use model::{Deadlines, Failure, FetchRules, JsPolicy};
use render::{Chromium, RenderSettings, Renderer};
use weburl::CrawlUrl;

/// The site's name: one whose pages a browser trusts as it trusts https, and the only one that may be dialled.
pub(crate) const HOST: &str = "site.localhost";

pub(crate) fn rules() -> FetchRules {
    FetchRules {
        deadlines: Deadlines::within(Duration::from_secs(20)),
        max_body: 1_000_000,
        user_agent: "crawler/test".into(),
        headers: Vec::new(),
        userinfo: None,
        proxies: Vec::new(),
        seed: None,
    }
}

/// Public addresses, and the site.
pub(crate) fn strict() -> Guard {
    Guard::new(false, vec![Allowed::parse(HOST).unwrap()])
}

/// A renderer; every name is an address of this machine, and nothing is blocked.
pub(crate) fn renderer(guard: Guard) -> Arc<Renderer> {
    renderer_by(None, guard)
}

/// The same, with a browser that is started by another program.
pub(crate) fn renderer_by(program: Option<&Path>, guard: Guard) -> Arc<Renderer> {
    let everywhere = Arc::new(|_: &str| vec![IpAddr::from(Ipv4Addr::LOCALHOST)]);
    let http = HttpFetch::resolving(&rules(), 8, guard, html::looks_like_html, everywhere);
    let settings = RenderSettings {
        blocked: Vec::new(),
        // The page that tries everything is never at rest.
        nav_timeout: Duration::from_secs(20),
        ..RenderSettings::default()
    };
    Renderer::new(chromium(program), settings, Arc::new(http.unwrap()))
}

/// A renderer over a fetcher.
pub(crate) fn over(http: HttpFetch, settings: RenderSettings) -> Arc<Renderer> {
    Renderer::new(chromium(None), settings, Arc::new(http))
}

pub(crate) fn chromium(program: Option<&Path>) -> Chromium {
    Chromium::find(program).expect("these tests need a Chromium")
}

/// A page, rendered.
pub(crate) async fn page(renderer: &Renderer, url: &str) -> Result<Fetched, Failure> {
    let url = CrawlUrl::parse(url).unwrap();
    let request = FetchRequest {
        js: JsPolicy::Always,
        ..FetchRequest::new(&url, Want::Document)
    };
    renderer.fetch(request).await
}
