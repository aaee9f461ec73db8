//! Settings of a renderer.

use std::time::Duration;

use crawler_model::PageBudgets;
use serde::{Deserialize, Serialize};

/// Settings of a renderer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RenderSettings {
    /// Run without a window.
    pub headless: bool,
    /// Number of pages rendered at the same time.
    pub tabs: usize,
    /// Time limit for a page, from the request to its document.
    pub nav_timeout: Duration,
    /// A page has settled when its network was idle for this long.
    pub idle_timeout: Duration,
    /// Width and height of the window.
    pub viewport: (u32, u32),
    /// `User-Agent` header; `None`: the browser's own, with ours added.
    pub user_agent: Option<String>,
    /// User agent that is added to the browser's own; `None`: that of the fetcher.
    pub added_agent: Option<String>,
    /// Resource kinds that are not loaded.
    pub blocked: Vec<ResourceKind>,
    /// Use Chromium's sandbox. Without it, a page that escapes its process has the rights of this user.
    pub sandbox: bool,
    /// Maximum size of a document in bytes; the rest is cut off.
    pub max_body: u64,
    /// Number of pages after which a browser is replaced.
    pub recycle_pages: u64,
    /// Age at which a browser is replaced.
    pub recycle_age: Duration,
    /// Total memory of all its processes, in bytes, at which a browser is replaced.
    pub recycle_memory: u64,
    /// Memory of a page process, in bytes, at which it is killed.
    pub page_memory: u64,
    /// What one page may use.
    pub budgets: PageBudgets,
    /// Destinations that the operator denies. A render process refuses pages of a process that denies others than itself: its own
    /// guard decides what pages load.
    pub denied: Vec<String>,
    /// Destinations that the operator allows although the built-in rules refuse them. A render process refuses pages of a process that does not
    /// allow the same.
    pub allowed: Vec<String>,
    /// Whether all addresses that are not public are allowed.
    pub allow_private: bool,
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
            added_agent: None,
            blocked: vec![ResourceKind::Image, ResourceKind::Media, ResourceKind::Font],
            sandbox: true,
            max_body: 5_000_000,
            recycle_pages: 200,
            recycle_age: Duration::from_mins(30),
            recycle_memory: 2 << 30,
            page_memory: 512 << 20,
            budgets: PageBudgets::default(),
            denied: Vec::new(),
            allowed: Vec::new(),
            allow_private: false,
        }
    }
}

/// A kind of resource that a page loads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ResourceKind {
    /// Images.
    Image,
    /// Audio and video.
    Media,
    /// Fonts.
    Font,
    /// Style sheets.
    Stylesheet,
}

impl ResourceKind {
    /// Returns the CDP resource type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Image => "Image",
            Self::Media => "Media",
            Self::Font => "Font",
            Self::Stylesheet => "Stylesheet",
        }
    }
}
