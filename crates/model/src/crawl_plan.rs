//! The resolved plan of a crawl. Invalid user input is rejected here; later code need not check it.

use std::ops::Deref;
use std::sync::Arc;

use crawler_weburl::CrawlUrl;

use crate::{CrawlRules, CrawlSpec, PlanError, PlanField};

/// The plan of a crawl: a seed, and the rules for fetching its pages. Validated and complete; code outside this crate
/// cannot change it:
///
/// ```compile_fail
/// # use crawler_model::{CrawlPlan, CrawlSpec};
/// let spec = CrawlSpec { seed: "https://example.org/".into(), ..CrawlSpec::default() };
/// let mut plan = CrawlPlan::resolve(&spec, "crawler/0", 1).unwrap();
/// plan.workers = 3;
/// ```
#[derive(Clone, Debug)]
pub struct CrawlPlan {
    seed: CrawlUrl,
    rules: Arc<CrawlRules>,
}

impl CrawlPlan {
    /// Validates a spec and fills in defaults. `agent` is the User-Agent header if the spec has none. `key_seed` is a
    /// random number for this crawl, so that a site cannot prepare URLs whose keys collide.
    pub fn resolve(spec: &CrawlSpec, agent: &str, key_seed: u64) -> Result<Self, PlanError> {
        let seed = CrawlUrl::parse(&spec.seed).map_err(|error| PlanError {
            field: PlanField::Url,
            message: error.to_string(),
        })?;
        let rules = CrawlRules::resolve(spec, Some(&seed), agent, key_seed)?;
        Ok(Self {
            seed,
            rules: Arc::new(rules),
        })
    }

    /// Returns the URL to start from.
    pub fn seed(&self) -> &CrawlUrl {
        &self.seed
    }

    /// Returns the rules, which are everything except the seed.
    pub fn rules(&self) -> &Arc<CrawlRules> {
        &self.rules
    }
}

impl Deref for CrawlPlan {
    type Target = CrawlRules;

    fn deref(&self) -> &CrawlRules {
        &self.rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DepthLimit, JsPolicy, Limits, Profile};
    use std::time::Duration;

    fn plan(change: impl FnOnce(&mut CrawlSpec)) -> Result<CrawlPlan, PlanError> {
        let mut spec = CrawlSpec {
            seed: "https://example.org/".into(),
            ..CrawlSpec::default()
        };
        change(&mut spec);
        CrawlPlan::resolve(&spec, "crawler/0", 1)
    }

    #[test]
    fn the_profile_sets_defaults_and_a_flag_overrides_it() {
        let balanced = plan(|_| ()).unwrap();
        assert_eq!(balanced.limits.pages, Some(2_000));
        assert_eq!((balanced.workers, balanced.max_attempts), (25, 3));
        let exhaustive = plan(|spec| spec.profile = Profile::Exhaustive).unwrap();
        assert_eq!(exhaustive.limits, Limits::default());
        assert!(!exhaustive.traps);
        let both = plan(|spec| {
            spec.profile = Profile::Exhaustive;
            spec.max_pages = Some(7);
        });
        assert_eq!(both.unwrap().limits.pages, Some(7));
        for (limit, depth) in [
            (DepthLimit::Unlimited, None),
            (DepthLimit::Links(0), Some(0)),
            (DepthLimit::Links(3), Some(3)),
        ] {
            let plan = plan(|spec| spec.max_depth = Some(limit)).unwrap();
            assert_eq!(plan.limits.depth, depth, "{limit:?}");
        }
    }

    #[test]
    fn a_crawl_that_renders_every_page_has_no_more_workers_than_tabs() {
        for (js, workers, planned) in [
            (JsPolicy::Always, Some(20), 4),
            (JsPolicy::Always, None, 4),
            (JsPolicy::Always, Some(3), 3),
            (JsPolicy::Auto, Some(20), 20),
            (JsPolicy::Never, Some(20), 20),
        ] {
            let plan = plan(|spec| {
                spec.js = js;
                spec.workers = workers;
                spec.browser_tabs = Some(4);
            });
            assert_eq!(plan.unwrap().workers, planned, "{js:?} {workers:?}");
        }
    }

    #[test]
    fn errors_name_the_field_the_value_and_the_remedy() {
        type Change = fn(&mut CrawlSpec);
        let cases: [(Change, PlanField, &str); 6] = [
            (
                |s| s.workers = Some(0),
                PlanField::Workers,
                "0 is out of range",
            ),
            (
                |s| s.min_interval = Duration::from_hours(25),
                PlanField::MinInterval,
                "25h is out of range; use 0s to 1d",
            ),
            (
                |s| s.include = vec!["(".into()],
                PlanField::Include,
                "\"(\"",
            ),
            (
                |s| s.exclude = vec!["[".into()],
                PlanField::Exclude,
                "regular expression",
            ),
            (
                |s| s.path_delays = vec![("x".into(), Duration::ZERO)],
                PlanField::PathDelay,
                "slash",
            ),
            (
                |s| s.seed = "example.org".into(),
                PlanField::Url,
                "https://example.org",
            ),
        ];
        for (change, field, message) in cases {
            let error = plan(change).unwrap_err();
            assert_eq!(error.field, field);
            assert!(error.message.contains(message), "{error}");
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
}
