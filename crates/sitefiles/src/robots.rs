//! One site's robots.txt, parsed for one agent.
//!
//! RFC 9309, with the lenience of Google's parser where the standard is silent, because sites are
//! written against that parser. The file is read once: only the rules of the groups that apply to
//! our agent are kept, indexed for fast lookup.
//!
//! [`RobotsFile`](crate::RobotsFile) decides what a failed fetch means.

mod agent;
mod delay;
mod groups;
mod line;
mod lines;
mod pattern;
mod percent;
mod robots_match;
mod rule;
mod rules;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

pub use agent::robots_token;
pub use robots_match::RobotsMatch;

use groups::Groups;
use rule::Rule;
use rules::Rules;

/// The rules of one robots.txt for one agent; a clone shares them.
#[derive(Clone, Debug)]
pub struct Robots {
    /// `None` without rules, as in most files.
    rules: Option<Arc<Rules>>,
    crawl_delay: Option<Duration>,
    sitemaps: Arc<[String]>,
}

impl Robots {
    /// Limit on the bytes read of a file; the rest is ignored, and so is a line cut by this limit.
    pub const MAX_BYTES: usize = 500 * 1024;

    /// Reads `body` for the product token `agent`, for example `crawler`.
    ///
    /// The token is compared without regard to case with each `User-agent` value, which ends at its
    /// first character outside `[A-Za-z_-]`. The `*` groups apply only if no group names the agent.
    pub fn parse(body: &[u8], agent: &str) -> Robots {
        let mut groups = Groups::new(agent);
        for line in lines::lines(body).filter_map(line::read) {
            groups.take(&line);
        }
        groups.finish()
    }

    /// No rules: everything may be fetched.
    pub fn allow_all() -> Robots {
        Robots::new(Vec::new(), None, Vec::new())
    }

    fn new(rules: Vec<Rule>, crawl_delay: Option<Duration>, sitemaps: Vec<String>) -> Robots {
        let rules = (!rules.is_empty()).then(|| Arc::new(Rules::new(rules)));
        Robots {
            rules,
            crawl_delay,
            sitemaps: sitemaps.into(),
        }
    }

    /// Returns whether a path may be fetched, and the rule that decided.
    ///
    /// `path_and_query` is as in the URL, beginning with `/`; a missing `/` is supplied.
    pub fn match_for(&self, path_and_query: &str) -> RobotsMatch<'_> {
        let Some(rules) = &self.rules else {
            return RobotsMatch::Allowed;
        };
        if path_and_query == "/robots.txt" {
            return RobotsMatch::Allowed;
        }
        let rooted = if path_and_query.starts_with('/') {
            Cow::Borrowed(path_and_query)
        } else {
            Cow::Owned(format!("/{path_and_query}"))
        };
        let path = percent::normalize(rooted.as_bytes());
        match rules.decide(&path) {
            None => RobotsMatch::Allowed,
            Some(rule) => rule.as_match(),
        }
    }

    /// Whether a path may be fetched.
    pub fn allows(&self, path_and_query: &str) -> bool {
        !matches!(self.match_for(path_and_query), RobotsMatch::DisallowedBy(_))
    }

    /// The delay between two requests; the longest, if the file has several.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The `Sitemap` values as written, in file order, without repeats, at most 1,000.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}
