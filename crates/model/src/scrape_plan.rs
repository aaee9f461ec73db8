//! The plan for scraping single pages, the counterpart of [`CrawlPlan`](crate::CrawlPlan).

use std::ops::Deref;

use crate::request_plan::RequestDefaults;
use crate::{PlanError, Profile, RequestPlan, RequestSpec};

/// The plan for single pages: a [`RequestPlan`] with the defaults of a scrape. Validated and complete; code outside this
/// crate cannot change it.
#[derive(Clone, Debug)]
pub struct ScrapePlan {
    request: RequestPlan,
}

/// Larger than in a crawl, because there is only one page.
const DEFAULT_MAX_BODY: u64 = 10_000_000;

impl ScrapePlan {
    /// Validates a spec and fills in defaults; `agent` is the User-Agent header if the spec has none.
    pub fn resolve(spec: &RequestSpec, agent: &str) -> Result<Self, PlanError> {
        let profile = Profile::default();
        let defaults = RequestDefaults {
            timeout: profile.timeout(),
            max_attempts: profile.max_attempts(),
            max_body_bytes: DEFAULT_MAX_BODY,
            user_agent: agent,
        };
        let request = RequestPlan::resolve(spec, &defaults)?;
        Ok(Self { request })
    }
}

impl Deref for ScrapePlan {
    type Target = RequestPlan;

    fn deref(&self) -> &RequestPlan {
        &self.request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_filled_in() {
        let plan = ScrapePlan::resolve(&RequestSpec::default(), "crawler/0").unwrap();
        assert_eq!(plan.fetch.user_agent, "crawler/0");
        assert_eq!(plan.fetch.max_body, 10_000_000);
        assert_eq!((plan.max_attempts, plan.max_redirects), (3, 10));
    }
}
