//! Pages that need a browser: headless Chromium behind the *fetch a page* seam, bounded and caged.
//!
//! [`Renderer`] is a [`fetch::Fetch`]: one URL in, one answer out, with the page's document as it stood when its scripts
//! had settled. A redirect, by the server or by a script, ends the rendering and is an answer of its own, so robots.txt,
//! scope and dedupe are asked at every hop as they are for HTTP. [`Escalating`] decides, page by page, between the two.
//!
//! Every byte the browser sends goes through a loopback proxy of ours, and from there through the one guarded dialer.

mod browser;
mod browser_user;
mod cdp;
mod cdp_events;
mod chromium;
mod egress_proxy;
mod escalating;
mod flags;
mod guardian;
mod host_verdicts;
mod making;
mod navigation;
mod net_error;
mod own_headers;
mod page_walk;
mod processes;
mod quiet;
mod renderer;
mod settings;
mod snapshot;
mod stand;
mod tab;

pub use chromium::{Chromium, ChromiumMissing};
pub use escalating::{Escalating, Helped, Missed, Need};
pub use host_verdicts::HostVerdicts;
pub use renderer::{BrowserState, RenderNumbers, Renderer};
pub use settings::{RenderSettings, ResourceKind};
