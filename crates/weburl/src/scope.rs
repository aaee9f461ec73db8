//! Which URLs are in scope.
//!
//! Host, domain or prefix first, then the user's patterns; exclude overrides include. The verdict names the deciding rule, so
//! that refused links can be counted by reason.

use crawler_public_suffix::registrable_domain;

use crate::{CrawlUrl, UrlPatterns, UrlRef};

/// The extent of a scope, without patterns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScopeKind {
    /// The seed's exact host name, any scheme or port.
    Host,
    /// The seed's registrable domain with all its subdomains.
    Domain,
    /// The seed's host, below the seed's path.
    Prefix,
    /// Any host.
    Any,
}

/// Whether a URL is in scope, and why not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScopeVerdict {
    /// In scope.
    In,
    /// Another host, or above the prefix.
    Outside,
    /// An exclude pattern matched.
    Excluded,
    /// Include patterns exist and none matched.
    NotIncluded,
}

/// Which URLs are in scope.
#[derive(Clone, Debug)]
pub struct Scope {
    outline: Outline,
    include: UrlPatterns,
    exclude: UrlPatterns,
}

#[derive(Clone, Debug)]
enum Outline {
    Host(String),
    Domain(String),
    Prefix { host: String, path: String },
    Any,
}

impl Scope {
    /// A scope around a seed.
    pub fn new(kind: ScopeKind, seed: &CrawlUrl) -> Self {
        let parts = seed.parts();
        let host = parts.host().to_owned();
        Self::of(match kind {
            ScopeKind::Host => Outline::Host(host),
            ScopeKind::Domain => Outline::Domain(registrable_domain(&host).to_owned()),
            ScopeKind::Prefix => Outline::Prefix {
                host,
                path: folder_of(parts.path()),
            },
            ScopeKind::Any => Outline::Any,
        })
    }

    /// A scope of any host, which needs no seed.
    pub fn any() -> Self {
        Self::of(Outline::Any)
    }

    fn of(outline: Outline) -> Self {
        Self {
            outline,
            include: UrlPatterns::default(),
            exclude: UrlPatterns::default(),
        }
    }

    /// Adds patterns on the full URL; without include patterns, all URLs are included.
    #[must_use]
    pub fn with_patterns(self, include: UrlPatterns, exclude: UrlPatterns) -> Self {
        Self {
            include,
            exclude,
            ..self
        }
    }

    /// Whether a URL is in scope.
    pub fn verdict(&self, url: UrlRef<'_>) -> ScopeVerdict {
        if !self.outline.contains(url) {
            return ScopeVerdict::Outside;
        }
        let text = url.as_str();
        if self.exclude.is_match(text) {
            ScopeVerdict::Excluded
        } else if !self.include.is_empty() && !self.include.is_match(text) {
            ScopeVerdict::NotIncluded
        } else {
            ScopeVerdict::In
        }
    }

    /// Whether there are patterns, and so more than one reason to be out of scope.
    pub fn has_patterns(&self) -> bool {
        !self.include.is_empty() || !self.exclude.is_empty()
    }

    /// Memory of patterns with strict limits, in bytes.
    pub fn memory(&self) -> usize {
        self.include.memory() + self.exclude.memory()
    }

    /// How many times a URL is read to match the patterns.
    pub fn passes(&self) -> usize {
        self.include.passes() + self.exclude.passes()
    }

    /// Whether a URL is in scope without regard to patterns.
    pub fn contains(&self, url: UrlRef<'_>) -> bool {
        self.outline.contains(url)
    }
}

impl Outline {
    fn contains(&self, url: UrlRef<'_>) -> bool {
        match self {
            Self::Host(host) => url.host() == host,
            Self::Domain(domain) => {
                let host = url.host();
                host.strip_suffix(domain.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
            Self::Prefix { host, path } => {
                url.host() == host
                    && (url.path().starts_with(path.as_str())
                        || path.strip_suffix('/') == Some(url.path()))
            }
            Self::Any => true,
        }
    }
}

/// The prefix for "below the seed's path": `/docs/` and `/docs` → `/docs/`; a last segment with a dot is a
/// file, so `/docs/intro.html` → `/docs/`.
fn folder_of(path: &str) -> String {
    let (folder, last) = path.rsplit_once('/').unwrap_or(("", path));
    if last.is_empty() || last.contains('.') {
        format!("{folder}/")
    } else {
        format!("{path}/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PatternLimits;

    fn verdict(kind: ScopeKind, seed: &str, url: &str) -> ScopeVerdict {
        let scope = Scope::new(kind, &CrawlUrl::parse(seed).unwrap());
        scope.verdict(UrlRef::split(url).unwrap())
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn scope_kinds() {
        use ScopeKind::{Domain, Host, Prefix};
        use ScopeVerdict::{In, Outside};
        for (kind, seed, url, expected) in [
            (Host, "https://Example.org/", "https://example.org/x", In),
            (Host, "https://example.org/", "http://example.org:81/x", In),
            (
                Host,
                "https://example.org/",
                "https://www.example.org/",
                Outside,
            ),
            (
                Host,
                "https://www.example.org/",
                "https://example.org/",
                Outside,
            ),
            (
                Host,
                "https://example.org/",
                "https://example.org.evil.com/",
                Outside,
            ),
            (
                Host,
                "https://example.org/",
                "https://notexample.org/",
                Outside,
            ),
            (
                Domain,
                "https://www.example.co.uk/",
                "https://shop.example.co.uk/",
                In,
            ),
            (
                Domain,
                "https://www.example.co.uk/",
                "https://example.co.uk/",
                In,
            ),
            (
                Domain,
                "https://www.example.co.uk/",
                "https://other.co.uk/",
                Outside,
            ),
            (
                Domain,
                "https://www.example.co.uk/",
                "https://notexample.co.uk/",
                Outside,
            ),
            (Domain, "http://127.0.0.1/", "http://127.0.0.1/x", In),
            (
                Domain,
                "http://127.0.0.1/",
                "http://1.127.0.0.1.example/",
                Outside,
            ),
            (Domain, "http://localhost/", "http://localhost/x", In),
            (
                Prefix,
                "https://example.org/docs/",
                "https://example.org/docs/a",
                In,
            ),
            (
                Prefix,
                "https://example.org/docs/",
                "https://example.org/docs",
                In,
            ),
            (
                Prefix,
                "https://example.org/docs/i.html",
                "https://example.org/docs/a",
                In,
            ),
            (
                Prefix,
                "https://example.org/docs",
                "https://example.org/docs/a",
                In,
            ),
            (
                Prefix,
                "https://example.org/docs",
                "https://example.org/other",
                Outside,
            ),
            (
                Prefix,
                "https://example.org/docs/",
                "https://example.org/docs2/",
                Outside,
            ),
            (
                Prefix,
                "https://example.org/docs/",
                "https://example.org/",
                Outside,
            ),
            (
                Prefix,
                "https://example.org/docs/",
                "https://other.org/docs/a",
                Outside,
            ),
        ] {
            assert_eq!(verdict(kind, seed, url), expected, "{kind:?} {seed} {url}");
        }
    }

    #[test]
    fn exclude_wins_over_include() {
        let seed = CrawlUrl::parse("https://example.org/").unwrap();
        let patterns = |one| UrlPatterns::compile(&[one], PatternLimits::Default).unwrap();
        let scope = Scope::new(ScopeKind::Host, &seed)
            .with_patterns(patterns("/blog/"), patterns(r"\.pdf$"));
        let verdict = |url| scope.verdict(UrlRef::split(url).unwrap());
        assert_eq!(verdict("https://example.org/blog/a"), ScopeVerdict::In);
        assert_eq!(
            verdict("https://example.org/blog/a.pdf"),
            ScopeVerdict::Excluded
        );
        assert_eq!(
            verdict("https://example.org/shop"),
            ScopeVerdict::NotIncluded
        );
        assert_eq!(verdict("https://other.org/blog/a"), ScopeVerdict::Outside);
    }
}
