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

    /// Sets the number of pages in flight at once.
    #[must_use]
    pub fn with_workers(self, workers: usize) -> Self {
        let rules = CrawlRules {
            workers,
            ..Arc::unwrap_or_clone(self.rules)
        };
        Self {
            rules: Arc::new(rules),
            ..self
        }
    }

    /// Sets the `key_seed` of the crawl that is being resumed, so that URLs have the same keys as before.
    #[must_use]
    pub fn with_key_seed(self, key_seed: u64) -> Self {
        let mut rules = Arc::unwrap_or_clone(self.rules);
        rules.keys.seed = key_seed;
        Self {
            rules: Arc::new(rules),
            ..self
        }
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
    use crate::{Limits, Profile};
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
        assert_eq!(
            plan(|spec| spec.max_depth = Some(0)).unwrap().limits.depth,
            None
        );
    }

    #[test]
    fn errors_name_the_field_the_value_and_the_remedy() {
        type Change = fn(&mut CrawlSpec);
        let cases: [(Change, PlanField, &str); 5] = [
            (
                |s| s.workers = Some(0),
                PlanField::Workers,
                "0 is out of range",
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
