//! Renders pages in a headless Chromium, behind the same [`Fetch`](crawler_fetch::Fetch) trait as HTTP.
//!
//! [`Renderer`] takes one URL and returns one response, whose body is the page's DOM after its scripts have settled. A
//! redirect, by the server or by a script, ends the rendering and is returned as a response, so robots.txt, scope and
//! deduplication are checked at every hop, as for HTTP.
//!
//! [`EscalatingFetch`] combines both: it fetches by HTTP first and escalates to the browser for pages that need it.
//! [`RenderHistory`] remembers for each host whether rendering helped.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use crawler_fetch::{Accept, Fetch, FetchRequest, HttpFetch};
//! use crawler_model::JsPolicy;
//! use crawler_render::{Chromium, RenderSettings, Renderer};
//! use crawler_weburl::CrawlUrl;
//!
//! async fn render(http: Arc<HttpFetch>, url: &CrawlUrl) {
//!     let chromium = Chromium::find(None).expect("Chromium is installed");
//!     let renderer = Renderer::new(chromium, RenderSettings::default(), http);
//!     let request = FetchRequest {
//!         js: JsPolicy::Always,
//!         ..FetchRequest::new(url, Accept::Document)
//!     };
//!     println!("{:?}", renderer.fetch(request).await);
//!     renderer.close().await;
//! }
//! ```
//!
//! Chromium runs in its sandbox, in its own process group and with an empty environment. All its traffic goes through a
//! local proxy (`egress_proxy`), which dials through the guarded dialer of `crawler-fetch`.

mod browser;
mod browser_supervisor;
mod browser_user;
mod budget_meter;
mod caller_headers;
mod cdp;
mod cdp_events;
mod cdp_sessions;
mod chromium;
mod egress_proxy;
mod escalating_fetch;
mod flags;
mod navigation;
mod net_error;
mod network_idle;
mod page_load;
mod page_request;
mod process_limits;
mod processes;
mod remote;
mod render_history;
mod renderer;
mod settings;
mod snapshot;
mod tab;
mod tab_queue;
mod tab_result;
mod watchdog;

pub use chromium::{Chromium, ChromiumMissing};
pub use escalating_fetch::{EscalatingFetch, RenderHelpedFn, RenderNeedFn, UnrenderedPages};
pub use remote::{RemoteRenderer, RenderServer};
pub use render_history::RenderHistory;
pub use renderer::{BrowserState, RenderCounts, Renderer};
pub use settings::{RenderSettings, ResourceKind};
