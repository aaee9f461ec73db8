//! What a behaviour is called, where it begins, and what must be said about it.

/// One way of misbehaving.
#[derive(Debug, Clone)]
pub struct Behaviour {
    /// Its name, and the first segment of all its paths.
    pub name: &'static str,
    /// The path to ask for first.
    pub path: String,
    /// What a crawler must report for that path.
    pub expect: Expect,
    /// What it must report for other paths of the same behaviour.
    pub also: Vec<(String, Expect)>,
    /// The most requests below `/<name>/` that are acceptable in one crawl; only traps and
    /// throttlers set it.
    pub max_pages: Option<usize>,
    /// What it stands for, and why the expectation is right.
    pub why: &'static str,
}

impl Behaviour {
    /// The prefix of all its paths, to count requests below.
    pub fn prefix(&self) -> String {
        format!("/{}/", self.name)
    }
}

/// What a crawler must report for a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Fetched as HTML, whole, with this many http(s) links, duplicates and off-site ones counted.
    Fetched {
        /// How many links.
        links: usize,
    },
    /// Fetched as HTML and cut at the body limit.
    Truncated,
    /// Fetched, and not HTML: no links, body not read.
    NotHtml,
    /// A redirect with its target as its one link.
    Redirect,
    /// Failed, with the name of the kind (`dead_link`, `timeout`, `protocol`, …).
    Failed(&'static str),
    /// Never asked for at all.
    Never,
    /// One of these: where the standard leaves a choice, or it depends on timing.
    AnyOf(&'static [Expect]),
}

impl Expect {
    /// Whether what was seen is what was expected.
    pub fn accepts(&self, seen: &Expect) -> bool {
        match self {
            Self::AnyOf(choices) => choices.iter().any(|choice| choice.accepts(seen)),
            one => one == seen,
        }
    }
}
