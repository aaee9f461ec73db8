//! From a spec to a plan and a browser.

use crawler_model::{CrawlPlan, CrawlSpec, JsPolicy, PlanError};

use super::Browser;

/// A validated crawl that can start.
#[derive(Debug)]
pub struct PreparedCrawl {
    /// What the plan was resolved from.
    pub spec: CrawlSpec,
    /// The plan.
    pub plan: CrawlPlan,
    /// The browser, if pages are rendered.
    pub browser: Option<Browser>,
}

/// Resolves a spec and locates its browser. If every page is rendered, the plan has no more workers than the browser has
/// tabs. The other arguments are those of [`CrawlPlan::resolve`].
pub fn prepare<E: From<PlanError>>(
    mut spec: CrawlSpec,
    agent: &str,
    key_seed: u64,
    find_browser: impl FnOnce(&CrawlPlan) -> Result<Option<Browser>, E>,
) -> Result<PreparedCrawl, E> {
    let mut plan = CrawlPlan::resolve(&spec, agent, key_seed)?;
    let browser = find_browser(&plan)?;
    if let (JsPolicy::Always, Some(browser)) = (plan.js, &browser) {
        // More pages in flight would only wait for a tab.
        spec.workers = Some(browser.tabs());
        plan = CrawlPlan::resolve(&spec, agent, key_seed)?;
    }
    Ok(PreparedCrawl {
        spec,
        plan,
        browser,
    })
}
