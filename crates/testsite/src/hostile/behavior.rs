//! A behavior of the hostile site, and what a crawler must report for it.

/// One kind of misbehavior.
#[derive(Debug, Clone)]
pub struct Behavior {
    /// Name, and first segment of all its paths.
    pub name: &'static str,
    /// The path to request first.
    pub path: String,
    /// What a crawler must report for this path.
    pub expect: Expect,
    /// What it must report for other paths of the same behavior.
    pub also: Vec<(String, Expect)>,
    /// Maximum acceptable number of requests below `/<name>/` in one crawl; set only for traps and throttlers.
    pub max_pages: Option<usize>,
    /// What it does, and why the expectation is right.
    pub why: &'static str,
}

impl Behavior {
    /// Returns the prefix of all its paths.
    pub fn prefix(&self) -> String {
        format!("/{}/", self.name)
    }
}

/// What a crawler must report for a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Fetched completely as HTML, with this many http(s) links, including duplicates and off-site links.
    Fetched {
        /// Number of links.
        links: usize,
    },
    /// Fetched as HTML and truncated at the body limit.
    Truncated,
    /// Fetched, but not HTML: no links, body not read.
    NotHtml,
    /// A redirect, with its target as the only link.
    Redirect,
    /// Failed, with the name of the fail kind (`dead_link`, `timeout`, `protocol`, …).
    Failed(&'static str),
    /// Never requested.
    Never,
    /// One of these, where the standard leaves a choice or it depends on timing.
    AnyOf(&'static [Expect]),
}

impl Expect {
    /// Whether the observed outcome is accepted.
    pub fn accepts(&self, seen: &Expect) -> bool {
        match self {
            Self::AnyOf(choices) => choices.iter().any(|choice| choice.accepts(seen)),
            expected => expected == seen,
        }
    }
}
