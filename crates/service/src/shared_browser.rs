//! The browser of a process, shared by the API and the worker.
//!
//! The renderer starts the browser when the first page needs it, and closes it when it is idle.

use std::sync::{Arc, Mutex};

use crawler_fetch::{FetchSetupError, HttpFetch, LookupFn};
use crawler_render::{
    BrowserState, Chromium, EscalatingFetch, RenderHistory, RenderSettings, Renderer,
};

use crate::api::{SetupError, guard, scrape_plan};
use crate::config::Config;

/// The browser of a process, or the reason why there is none. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SharedBrowser {
    availability: Availability,
    /// Which hosts need rendering, as learned by the API and the worker.
    render_history: Arc<Mutex<RenderHistory>>,
}

/// Message when rendering is disabled.
const DISABLED: &str = "rendering is disabled: browser.enabled is false";

#[derive(Clone, Debug)]
enum Availability {
    /// `browser.enabled` is false.
    Disabled,
    /// Chromium was not found; the message says what was searched for and how to install it.
    Missing(Arc<str>),
    Available(Arc<Renderer>),
}

/// Status of the browser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrowserStatus {
    /// `off`, `missing`, `asleep`, `running` or `down`.
    pub status: &'static str,
    /// Why the browser is missing or down.
    pub reason: Option<String>,
}

impl SharedBrowser {
    /// Looks for the browser, as configured.
    pub fn open(config: &Config) -> Result<Self, SetupError> {
        Self::build(config, |plan, tabs, sniff| {
            HttpFetch::new(plan, tabs, guard(config), sniff)
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
        let availability = match Chromium::find(browser.program.as_deref()) {
            Ok(chromium) => {
                let plan = scrape_plan(config)?;
                let http = http(
                    &plan.fetch,
                    browser.pool_size,
                    crawler_html::looks_like_html,
                )?;
                let renderer = Renderer::new(chromium, settings(config), Arc::new(http));
                Availability::Available(renderer)
            }
            Err(missing) => Availability::Missing(missing.to_string().into()),
        };
        Ok(Self::with(availability))
    }

    fn with(availability: Availability) -> Self {
        Self {
            availability,
            render_history: Arc::default(),
        }
    }

    /// Returns a fetcher that renders the pages that need it.
    pub fn fetch(&self, http: Arc<HttpFetch>) -> EscalatingFetch {
        let renderer = match &self.availability {
            Availability::Disabled => Err(DISABLED.to_owned()),
            Availability::Missing(message) => Err(message.to_string()),
            Availability::Available(renderer) => Ok(Arc::clone(renderer)),
        };
        let need = crawler_html::render_need;
        EscalatingFetch::new(http, renderer, need, crawler_html::rendering_helped)
            .with_history(Arc::clone(&self.render_history))
    }

    /// Returns the renderer, if there is one.
    pub fn renderer(&self) -> Option<&Arc<Renderer>> {
        match &self.availability {
            Availability::Available(renderer) => Some(renderer),
            Availability::Disabled | Availability::Missing(_) => None,
        }
    }

    /// Returns why no browser was found, if rendering is enabled.
    pub fn missing(&self) -> Option<&str> {
        match &self.availability {
            Availability::Missing(message) => Some(message),
            Availability::Disabled | Availability::Available(_) => None,
        }
    }

    /// Returns the status of the browser.
    pub fn status(&self) -> BrowserStatus {
        let (status, reason) = match &self.availability {
            Availability::Disabled => ("off", None),
            Availability::Missing(message) => ("missing", Some(message.to_string())),
            Availability::Available(renderer) => match renderer.state() {
                BrowserState::NotRunning => ("asleep", None),
                BrowserState::Running => ("running", None),
                BrowserState::Down(why) => ("down", Some(why)),
            },
        };
        BrowserStatus { status, reason }
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
        ..RenderSettings::default()
    }
}
