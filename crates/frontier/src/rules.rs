//! The admission rules, in a fixed order. The callers check whether a URL is new.

use crawler_model::{CrawlRules, LinkFacts, RefuseReason};
use crawler_weburl::{ScopeKind, ScopeVerdict, UrlRef};

use crate::seen::Seen;
use crate::traps::{PageEvidence, TrapCheck, Traps};

/// Limit on the origins (hosts and their ports) that are followed while traps are refused; see [`limits_origins`].
pub(crate) const MAX_ORIGINS: usize = 100;

/// Which part of the scope is still to be checked for a URL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ScopeCheck {
    /// All of it.
    Complete,
    /// Without include and exclude patterns and blocked extensions: a redirect target of the seed counts as the seed.
    WithoutPatterns,
    /// Blocked extensions only: the worker that read the page or the sitemap has matched the rest, which may take long.
    Done,
}

/// Which rules apply to a URL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    scope: ScopeCheck,
    /// Whether it may be a trap. Not if a sitemap lists it.
    traps: bool,
}

impl Bounds {
    /// All rules.
    pub const ALL: Self = Self {
        scope: ScopeCheck::Complete,
        traps: true,
    };
    /// The rules for a redirect target of the seed, which counts as the seed.
    pub const WITHOUT_PATTERNS: Self = Self {
        scope: ScopeCheck::WithoutPatterns,
        traps: true,
    };
    /// The rules for a URL that a sitemap lists.
    pub const LISTED: Self = Self {
        scope: ScopeCheck::Complete,
        traps: false,
    };

    /// The same rules for a URL that is known to be in scope.
    #[must_use]
    pub const fn in_scope(self) -> Self {
        Self {
            scope: ScopeCheck::Done,
            ..self
        }
    }

    /// The same rules for a URL that is known not to be a trap.
    #[must_use]
    pub(crate) const fn without_traps(self) -> Self {
        Self {
            traps: false,
            ..self
        }
    }

    /// Whether a sitemap lists the URL, or it was admitted before.
    pub(crate) const fn is_listed(self) -> bool {
        !self.traps
    }

    /// Whether the URL counts as the seed.
    pub(crate) fn is_of_seed(self) -> bool {
        self.scope == ScopeCheck::WithoutPatterns
    }
}

/// Returns why a link is refused whatever its URL: it does not lead to a web page, or its page says not to follow it.
pub fn link_refusal(plan: &CrawlRules, facts: LinkFacts) -> Option<RefuseReason> {
    if !facts.web {
        return Some(RefuseReason::Scheme);
    }
    (plan.obey_nofollow && facts.nofollow).then_some(RefuseReason::Nofollow)
}

/// Whether at most [`MAX_ORIGINS`] are followed. A crawl of any host is meant to reach many.
pub(crate) fn limits_origins(plan: &CrawlRules) -> bool {
    plan.traps && plan.scope_kind != ScopeKind::Any
}

/// Checks scope, include and exclude patterns, file extensions, depth and traps. Changes nothing. `source`: the page that the
/// URL was found on, if it has a place. `is_excess_origin`: the URL's origin is new, and the limit is reached.
pub(crate) fn judge(
    plan: &CrawlRules,
    (traps, seen): (&Traps, &Seen),
    url: UrlRef<'_>,
    depth: u32,
    bounds: Bounds,
    source: Option<&PageEvidence>,
    is_excess_origin: impl FnOnce() -> bool,
) -> Result<TrapCheck, RefuseReason> {
    let verdict = match bounds.scope {
        ScopeCheck::Complete => plan.scope.verdict(url),
        ScopeCheck::WithoutPatterns if !plan.scope.contains(url) => ScopeVerdict::Outside,
        ScopeCheck::WithoutPatterns | ScopeCheck::Done => ScopeVerdict::In,
    };
    match verdict {
        ScopeVerdict::In => (),
        ScopeVerdict::Outside => return Err(RefuseReason::OutOfScope),
        ScopeVerdict::Excluded => return Err(RefuseReason::Excluded),
        ScopeVerdict::NotIncluded => return Err(RefuseReason::NotIncluded),
    }
    if !bounds.is_of_seed() && has_extension(url, &plan.blocked_extensions) {
        return Err(RefuseReason::BlockedExtension);
    }
    if plan.limits.depth.is_some_and(|max| depth > max) {
        return Err(RefuseReason::TooDeep);
    }
    if !plan.traps {
        return Ok(TrapCheck::default());
    }
    if limits_origins(plan) && is_excess_origin() {
        return Err(RefuseReason::TrapHosts);
    }
    if bounds.is_listed() {
        return Ok(TrapCheck::of_listed(url, &plan.keys));
    }
    traps.check(url, source, &plan.keys, seen)
}

/// Whether the path's last segment has one of these extensions.
fn has_extension(url: UrlRef<'_>, extensions: &[String]) -> bool {
    if extensions.is_empty() {
        return false;
    }
    let name = url.path().rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        extensions
            .iter()
            .any(|blocked| blocked.eq_ignore_ascii_case(extension))
    })
}

#[cfg(test)]
mod tests {
    use crawler_model::{CrawlPlan, CrawlSpec, Discovery, Task};
    use crawler_weburl::CrawlUrl;

    use super::*;
    use crate::{AdmissionFilter, MemoryFrontier};

    #[test]
    fn origins_are_limited_unless_any_host_is_in_scope() {
        for (scope, traps, is_limited) in [
            (ScopeKind::Domain, true, true),
            (ScopeKind::Domain, false, false),
            (ScopeKind::Any, true, false),
        ] {
            let spec = CrawlSpec {
                seed: "http://example.org/".to_owned(),
                scope: Some(scope),
                traps: Some(traps),
                ..CrawlSpec::default()
            };
            let plan = CrawlPlan::resolve(&spec, "crawler/0", 1).unwrap();
            let (mut frontier, mut filter) =
                (MemoryFrontier::new(&plan, 1), AdmissionFilter::default());
            let results: Vec<_> = (0..=MAX_ORIGINS)
                .map(|number| {
                    let url = format!("http://{number}.example.org/");
                    let url = CrawlUrl::parse(&url).unwrap();
                    let (url, key) = (url.parts(), plan.keys.key(url.parts()));
                    let task = |url| Task::new(url, Discovery::Link, 1, None);
                    let in_memory = frontier.admit(url, key, task, 1, Bounds::ALL, None);
                    (in_memory, filter.admit(&plan, url, 1, Bounds::ALL, None))
                })
                .collect();
            let last = if is_limited {
                Err(RefuseReason::TrapHosts)
            } else {
                Ok(())
            };
            assert_eq!(results[0], (Ok(()), Ok(())), "{scope:?} {traps}");
            assert_eq!(results[MAX_ORIGINS], (last, last), "{scope:?} {traps}");
        }
    }
}
