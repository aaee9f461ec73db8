//! How pages are rendered.

use std::time::Duration;

/// How pages are rendered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RenderSettings {
    /// Without a window.
    pub headless: bool,
    /// Pages rendered at once.
    pub tabs: usize,
    /// Time for one page, from the request to its document.
    pub nav_timeout: Duration,
    /// A page is ready when the network was quiet for this long.
    pub idle_timeout: Duration,
    /// The window's width and height.
    pub viewport: (u32, u32),
    /// How the browser introduces itself; `None`: as a browser that names our agent.
    pub user_agent: Option<String>,
    /// What is not loaded.
    pub blocked: Vec<ResourceKind>,
    /// Chromium's sandbox is on; without it a page that breaks out of its process has our rights.
    pub sandbox: bool,
    /// The document is cut after this many bytes.
    pub max_body: u64,
    /// A browser is replaced after this many pages …
    pub recycle_pages: u64,
    /// … or when it is this old …
    pub recycle_age: Duration,
    /// … or when all its processes together hold more than this.
    pub recycle_memory: u64,
    /// A page whose process holds more than this is ended.
    pub page_memory: u64,
}

impl Default for RenderSettings {
    fn default() -> Self {
        Self {
            headless: true,
            tabs: 4,
            nav_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_millis(500),
            viewport: (1_280, 800),
            user_agent: None,
            blocked: vec![ResourceKind::Image, ResourceKind::Media, ResourceKind::Font],
            sandbox: true,
            max_body: 5_000_000,
            recycle_pages: 200,
            recycle_age: Duration::from_mins(30),
            recycle_memory: 2 << 30,
            page_memory: 512 << 20,
        }
    }
}

/// What a page loads besides itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ResourceKind {
    /// Pictures.
    Image,
    /// Sound and film.
    Media,
    /// Fonts.
    Font,
    /// Style sheets.
    Stylesheet,
}

impl ResourceKind {
    /// The browser's name for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Image => "Image",
            Self::Media => "Media",
            Self::Font => "Font",
            Self::Stylesheet => "Stylesheet",
        }
    }
}
