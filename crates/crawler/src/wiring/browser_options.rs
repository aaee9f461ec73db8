//! Options and totals of the browser, with and without the feature `render`.

use std::time::Duration;

use crawler_model::PageBudgets;

/// How pages are rendered.
#[derive(Clone, Debug)]
pub struct BrowserOptions {
    /// Number of pages in flight at once.
    pub concurrency: usize,
    /// Time limit for one request.
    pub timeout: Duration,
    /// Pages are truncated after this many bytes.
    pub max_body: u64,
    /// The User-Agent header; `None` is the browser's own.
    pub user_agent: Option<String>,
    /// Whether the browser runs in its sandbox.
    pub sandbox: bool,
    /// Time limit for rendering one page; `None` is the default, or `timeout` if that is longer.
    pub nav_timeout: Option<Duration>,
    /// What one rendered page may use.
    pub budgets: PageBudgets,
}

/// There is no browser; the message says how to get one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct BrowserMissing {
    /// What is missing and what to do.
    pub message: String,
    /// Whether this build cannot render pages.
    pub not_built: bool,
}

/// Totals of the browser.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RenderTotals {
    /// Number of rendered pages.
    pub pages: u64,
    /// Number of pages that needed the browser but were fetched by HTTP only.
    pub unrendered: u64,
    /// Reason for the last of these.
    pub message: String,
    /// Whether the browser was needed but never started.
    pub never_started: bool,
}
