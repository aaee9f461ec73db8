//! The browser of a process, shared by the API and the worker.
//!
//! The renderer starts the browser when the first page needs it, and closes it when it is idle. With `browser.socket`, the
//! render process does that.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_fetch::{Fetch, FetchSetupError, HttpFetch, LookupFn};
use crawler_model::{PageBudgets, lock};
use crawler_render::{
    BrowserState, Chromium, EscalatingFetch, RemoteRenderer, RenderCounts, RenderHistory,
    RenderServer, RenderSettings, Renderer,
};

use tokio::net::UnixListener;

use crate::api::{SetupError, guard, scrape_plan};
use crate::config::Config;
use crate::page_renderer::PageRenderer;

/// Fetches pages by HTTP, and renders those that need it.
pub type RenderingFetch = EscalatingFetch<HttpFetch, PageRenderer>;

/// The browser of a process, or the reason why there is none. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SharedBrowser {
    availability: Availability,
    /// Which hosts need rendering, as learned by the API and the worker.
    render_history: Arc<Mutex<RenderHistory>>,
    /// Why the browser is missing or down, as last logged.
    logged_reason: Arc<Mutex<Option<String>>>,
}

/// Message when rendering is disabled.
const DISABLED: &str = "rendering is disabled: browser.enabled is false";

#[derive(Clone, Debug)]
enum Availability {
    /// `browser.enabled` is false.
    Disabled,
    /// Chromium was not found; the message says what was searched for and how to install it.
    Missing(Arc<str>),
    Available(Arc<PageRenderer>),
}

impl SharedBrowser {
    /// Looks for the browser, as configured.
    pub fn open(config: &Config) -> Result<Self, SetupError> {
        Self::build(config, |plan, tabs, sniff| {
            let http = HttpFetch::new(plan, tabs, guard(config), sniff)?;
            Ok(http.with_name_resolution(config.http.resolver.into()))
        })
    }

    /// Like [`SharedBrowser::open`], but resolves host names with `look_up` only.
    #[doc(hidden)]
    pub fn resolving(config: &Config, look_up: LookupFn) -> Result<Self, SetupError> {
        Self::build(config, |plan, tabs, sniff| {
            HttpFetch::resolving(plan, tabs, guard(config), sniff, look_up)
        })
    }

    fn build(
        config: &Config,
        http: impl FnOnce(
            &crawler_model::FetchRules,
            usize,
            fn(&[u8]) -> bool,
        ) -> Result<HttpFetch, FetchSetupError>,
    ) -> Result<Self, SetupError> {
        let browser = &config.browser;
        if !browser.enabled {
            return Ok(Self::with(Availability::Disabled));
        }
        let plan = scrape_plan(config)?;
        let http = || {
            let sniff = crawler_html::looks_like_html;
            http(&plan.fetch, browser.pool_size, sniff).map(Arc::new)
        };
        let settings = settings(config);
        let renderer = if let Some(socket) = &browser.socket {
            let renderer = RemoteRenderer::new(socket.clone(), settings, http()?);
            PageRenderer::Elsewhere(Arc::new(renderer))
        } else {
            match Chromium::find(browser.program.as_deref()) {
                Ok(chromium) => PageRenderer::Here(Renderer::new(chromium, settings, http()?)),
                Err(missing) => {
                    let message = missing.to_string().into();
                    return Ok(Self::with(Availability::Missing(message)));
                }
            }
        };
        Ok(Self::with(Availability::Available(Arc::new(renderer))))
    }

    fn with(availability: Availability) -> Self {
        Self {
            availability,
            render_history: Arc::default(),
            logged_reason: Arc::default(),
        }
    }

    /// Returns a fetcher that renders the pages that need it.
    pub fn fetch(&self, http: Arc<HttpFetch>) -> RenderingFetch {
        self.fetch_with(http, |renderer| renderer)
    }

    /// Like [`SharedBrowser::fetch`], with a wrapper around the renderer.
    pub(crate) fn fetch_with<H: Fetch, R: Fetch>(
        &self,
        http: Arc<H>,
        wrap: impl FnOnce(Arc<PageRenderer>) -> Arc<R>,
    ) -> EscalatingFetch<H, R> {
        let renderer = match &self.availability {
            Availability::Disabled => Err(DISABLED.to_owned()),
            Availability::Missing(message) => Err(message.to_string()),
            Availability::Available(renderer) => Ok(wrap(Arc::clone(renderer))),
        };
        let need = crawler_html::render_need;
        EscalatingFetch::new(http, renderer, need, crawler_html::rendering_helped)
            .with_history(Arc::clone(&self.render_history))
    }

    /// Returns the renderer of this process, if there is one.
    pub fn renderer(&self) -> Option<&Arc<Renderer>> {
        match &self.availability {
            Availability::Available(renderer) => match &**renderer {
                PageRenderer::Here(renderer) => Some(renderer),
                PageRenderer::Elsewhere(_) => None,
            },
            Availability::Disabled | Availability::Missing(_) => None,
        }
    }

    /// Returns the counters of the browser.
    pub async fn counts(&self) -> RenderCounts {
        match &self.availability {
            Availability::Available(renderer) => renderer.status().await.1,
            Availability::Disabled | Availability::Missing(_) => RenderCounts::default(),
        }
    }

    /// Returns why no browser was found, if rendering is enabled.
    pub fn missing(&self) -> Option<&str> {
        match &self.availability {
            Availability::Missing(message) => Some(message),
            Availability::Disabled | Availability::Available(_) => None,
        }
    }

    /// Returns the status of the browser: `off`, `missing`, `asleep`, `running` or `down`. Why it is missing or down is logged, once
    /// until that changes: anyone may ask for the status, and the reason names paths of this machine.
    pub async fn status(&self) -> &'static str {
        let (status, reason) = match &self.availability {
            Availability::Disabled => ("off", None),
            Availability::Missing(message) => ("missing", Some(message.to_string())),
            Availability::Available(renderer) => match renderer.status().await.0 {
                BrowserState::NotRunning => ("asleep", None),
                BrowserState::Running => ("running", None),
                BrowserState::Down(why) => ("down", Some(why)),
            },
        };
        let mut logged = lock(&self.logged_reason);
        if *logged != reason {
            if let Some(reason) = &reason {
                tracing::warn!(status, reason, "pages cannot be rendered");
            }
            *logged = reason;
        }
        status
    }

    /// Renders pages for other processes until `stop`, and then finishes those in flight, for at most `drain`.
    pub async fn serve(&self, listener: UnixListener, stop: impl Future, drain: Duration) {
        if let Some(renderer) = self.renderer() {
            let server = RenderServer::new(Arc::clone(renderer));
            server.serve(listener, stop, drain).await;
        }
    }

    /// Terminates the browser and all of its processes.
    pub async fn close(&self) {
        if let Some(renderer) = self.renderer() {
            renderer.close().await;
        }
    }
}

fn settings(config: &Config) -> RenderSettings {
    let browser = &config.browser;
    RenderSettings {
        headless: browser.headless,
        tabs: browser.pool_size,
        nav_timeout: browser.nav_timeout,
        idle_timeout: browser.idle_timeout,
        viewport: (browser.viewport.width, browser.viewport.height),
        user_agent: browser.user_agent.clone(),
        blocked: browser.block_resources.clone(),
        sandbox: browser.sandbox,
        max_body: config.http.max_body_bytes,
        budgets: budgets(config),
        denied: config.egress.deny.clone(),
        allowed: config.egress.allow.clone(),
        allow_private: config.egress.allow_private,
        ..RenderSettings::default()
    }
}

/// What one page may use.
fn budgets(config: &Config) -> PageBudgets {
    let browser = &config.browser;
    PageBudgets {
        requests: browser.max_requests,
        bytes: browser.max_bytes,
        hosts: browser.max_hosts,
        cpu: browser.max_cpu,
    }
}
