//! The one browser of a process, shared by what the API renders at once and what its worker renders for jobs.
//!
//! Nothing starts here: the renderer starts its browser with the first page that needs one, and puts it away again.

use std::sync::{Arc, Mutex};

use fetch::{FetchSetupError, HttpFetch, LookUp};
use render::{BrowserState, Chromium, Escalating, HostVerdicts, RenderSettings, Renderer};

use crate::api::{SetupError, guard, scrape_plan};
use crate::config::{Config, ResourceKind};

/// The browser of a process, or why there is none. Cheap to clone.
#[derive(Clone, Debug)]
pub struct BrowserDesk {
    found: Found,
    /// What the API learned of a host its worker need not learn again.
    verdicts: Arc<Mutex<HostVerdicts>>,
}

/// Why nothing is rendered where [`Config`] forbids it.
const OFF: &str = "this process does not render pages: browser.enabled is false";

#[derive(Clone, Debug)]
enum Found {
    /// `browser.enabled` is false.
    Off,
    /// There is no Chromium on this machine; what was looked for and how to get it.
    Missing(Arc<str>),
    There(Arc<Renderer>),
}

/// How a browser is, in a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrowserWord {
    /// off, missing, asleep, running or down.
    pub word: &'static str,
    /// Why it is missing or down.
    pub reason: Option<String>,
}

impl BrowserDesk {
    /// The browser that a configuration asks for.
    pub fn open(config: &Config) -> Result<Self, SetupError> {
        Self::build(config, |plan, tabs, sniff| {
            HttpFetch::new(plan, tabs, guard(config), sniff)
        })
    }

    /// The same, asking nobody but `look_up` for the addresses of what pages load.
    #[doc(hidden)]
    pub fn resolving(config: &Config, look_up: LookUp) -> Result<Self, SetupError> {
        Self::build(config, |plan, tabs, sniff| {
            HttpFetch::resolving(plan, tabs, guard(config), sniff, look_up)
        })
    }

    fn build(
        config: &Config,
        http: impl FnOnce(
            &model::FetchRules,
            usize,
            fn(&[u8]) -> bool,
        ) -> Result<HttpFetch, FetchSetupError>,
    ) -> Result<Self, SetupError> {
        let browser = &config.browser;
        if !browser.enabled {
            return Ok(Self::with(Found::Off));
        }
        let found = match Chromium::find(browser.program.as_deref()) {
            Ok(chromium) => {
                let plan = scrape_plan(config)?;
                let http = http(&plan.fetch, browser.pool_size, html::looks_like_html)?;
                let renderer = Renderer::new(chromium, settings(config), Arc::new(http));
                Found::There(renderer)
            }
            Err(missing) => Found::Missing(missing.to_string().into()),
        };
        Ok(Self::with(found))
    }

    fn with(found: Found) -> Self {
        Self {
            found,
            verdicts: Arc::default(),
        }
    }

    /// A fetcher that renders here what has to be rendered.
    pub fn fetch(&self, http: Arc<HttpFetch>) -> Escalating {
        let renderer = match &self.found {
            Found::Off => Err(OFF.to_owned()),
            Found::Missing(words) => Err(words.to_string()),
            Found::There(renderer) => Ok(Arc::clone(renderer)),
        };
        let need = html::render_need;
        Escalating::new(http, renderer, need, html::rendering_helped)
            .remembering(Arc::clone(&self.verdicts))
    }

    /// The renderer, if there is one.
    pub fn renderer(&self) -> Option<&Arc<Renderer>> {
        match &self.found {
            Found::There(renderer) => Some(renderer),
            Found::Off | Found::Missing(_) => None,
        }
    }

    /// Why there is no browser though one may be used: what was looked for, and how to get it.
    pub fn missing(&self) -> Option<&str> {
        match &self.found {
            Found::Missing(words) => Some(words),
            Found::Off | Found::There(_) => None,
        }
    }

    /// How it is.
    pub fn word(&self) -> BrowserWord {
        let (word, reason) = match &self.found {
            Found::Off => ("off", None),
            Found::Missing(words) => ("missing", Some(words.to_string())),
            Found::There(renderer) => match renderer.state() {
                BrowserState::Asleep => ("asleep", None),
                BrowserState::Running => ("running", None),
                BrowserState::Down(why) => ("down", Some(why)),
            },
        };
        BrowserWord { word, reason }
    }

    /// Ends the browser and all of its processes.
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
        blocked: browser
            .block_resources
            .iter()
            .map(|kind| (*kind).into())
            .collect(),
        sandbox: browser.sandbox,
        max_body: config.http.max_body_bytes,
        ..RenderSettings::default()
    }
}

impl From<ResourceKind> for render::ResourceKind {
    fn from(kind: ResourceKind) -> Self {
        match kind {
            ResourceKind::Image => Self::Image,
            ResourceKind::Media => Self::Media,
            ResourceKind::Font => Self::Font,
            ResourceKind::Stylesheet => Self::Stylesheet,
        }
    }
}
