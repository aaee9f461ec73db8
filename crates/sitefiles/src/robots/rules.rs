//! All rules for our agent, indexed so that a verdict checks few of them.
//!
//! A rule can only match a path that begins with the rule's literal prefix. So rules are sorted
//! by prefix, and each prefix links to the next shorter one that it begins with. The prefixes of a
//! path then form one chain: its last entry is found by binary search, the others by following the
//! links. Hundreds of rules cost about ten comparisons.

use super::rule::{Rank, Rule};

/// The rules that share one literal prefix: `Rules::rules[first..end]`, best first.
#[derive(Debug)]
struct PrefixGroup {
    first: usize,
    end: usize,
    /// The group of the longest other prefix that this one begins with.
    shorter: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    groups: Vec<PrefixGroup>,
}

impl Rules {
    pub(super) fn new(mut rules: Vec<Rule>) -> Rules {
        rules.sort_by(|a, b| {
            a.prefix()
                .cmp(b.prefix())
                .then_with(|| a.rank().cmp(&b.rank()))
        });
        let mut groups: Vec<PrefixGroup> = Vec::new();
        let mut first = 0;
        for same in rules.chunk_by(|a, b| a.prefix() == b.prefix()) {
            let end = first + same.len();
            let prefix = same.first().map_or(&[][..], Rule::prefix);
            let shorter = chain(&groups, groups.len().checked_sub(1))
                .find(|(_, group)| {
                    rules
                        .get(group.first)
                        .is_some_and(|rule| prefix.starts_with(rule.prefix()))
                })
                .map(|(at, _)| at);
            groups.push(PrefixGroup {
                first,
                end,
                shorter,
            });
            first = end;
        }
        Rules { rules, groups }
    }

    /// The rule that decides for `path`, which must be normalized.
    pub(super) fn decide(&self, path: &[u8]) -> Option<&Rule> {
        let after = self
            .groups
            .partition_point(|group| self.prefix(group) <= path);
        let mut best: Option<(Rank, &Rule)> = None;
        for (_, group) in chain(&self.groups, after.checked_sub(1)) {
            let Some(rest) = path.strip_prefix(self.prefix(group)) else {
                continue;
            };
            let better = |rule: &&Rule| best.is_none_or(|(rank, _)| rule.rank() < rank);
            let rules = self.rules.get(group.first..group.end).unwrap_or_default();
            let found = rules
                .iter()
                .take_while(better)
                .find(|rule| rule.matches_rest(rest));
            best = found.map(|rule| (rule.rank(), rule)).or(best);
        }
        best.map(|(_, rule)| rule)
    }

    fn prefix(&self, of: &PrefixGroup) -> &[u8] {
        self.rules.get(of.first).map_or(&[], Rule::prefix)
    }
}

/// A group and the groups of ever shorter prefixes that it links to.
fn chain(
    groups: &[PrefixGroup],
    from: Option<usize>,
) -> impl Iterator<Item = (usize, &PrefixGroup)> {
    let at = move |at: usize| groups.get(at).map(|group| (at, group));
    std::iter::successors(from.and_then(at), move |(_, group)| {
        group.shorter.and_then(at)
    })
}
