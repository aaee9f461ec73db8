//! URLs of a job that are not followed: crawler traps, and links beyond the maximum depth.

use std::collections::BTreeMap;

use crawler_model::{RefuseReason, SkipReason};

use crate::NewTask;

/// A URL that is not followed because it belongs to a crawler trap or is too deep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedUrl {
    /// The task that it would be.
    pub task: NewTask,
    /// The kind of trap, or `TooDeep`.
    pub reason: RefuseReason,
}

impl RefusedUrl {
    /// Why it is not followed, for people.
    pub fn message(&self) -> String {
        SkipReason::Trap(self.reason).to_string()
    }
}

/// How many URLs of a job were refused, by the stable spelling of the reason: crawler traps, and links beyond the maximum depth.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RefusedCounts {
    /// Those that are skipped tasks.
    listed: BTreeMap<String, u64>,
    /// Those of which only a hash is stored.
    unlisted: BTreeMap<String, u64>,
}

/// What the stored form puts before the reason of URLs that are not skipped tasks.
const UNLISTED: &str = "unlisted:";

impl RefusedCounts {
    /// Limit on the links of one job that are stored as skipped tasks for one reason: a trap may have any number of them.
    pub const MAX_LISTED: u64 = 1_000;
    /// Number of refused URLs of a job that are not listed from which no more are counted: each takes space until the job has ended.
    pub const MAX_UNLISTED: u64 = 1_000_000;
    /// The same for URLs that are too deep, which most pages of the last level link to.
    pub const MAX_TOO_DEEP: u64 = 10_000;

    /// Whether nothing was refused.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.unlisted.is_empty()
    }

    /// The number for one reason.
    pub fn get(&self, reason: &str) -> u64 {
        self.listed(reason) + self.unlisted.get(reason).copied().unwrap_or_default()
    }

    /// The number of skipped tasks with this reason.
    pub(crate) fn listed(&self, reason: &str) -> u64 {
        self.listed.get(reason).copied().unwrap_or_default()
    }

    /// The crawler traps with their numbers.
    pub fn traps(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let traps = RefuseReason::ALL.into_iter().filter(|one| one.is_trap());
        let counts = traps.map(|trap| (trap.as_str(), self.get(trap.as_str())));
        counts.filter(|(_, count)| *count > 0)
    }

    /// The number of links beyond the maximum depth.
    pub fn too_deep(&self) -> u64 {
        self.get(RefuseReason::TooDeep.as_str())
    }

    /// The form that is stored.
    pub fn to_json(&self) -> String {
        let unlisted = self.unlisted.iter();
        let unlisted = unlisted.map(|(reason, count)| (format!("{UNLISTED}{reason}"), *count));
        let mut counts = self.listed.clone();
        counts.extend(unlisted);
        serde_json::to_string(&counts).unwrap_or_default()
    }

    pub(crate) fn add(&mut self, reason: &str) {
        *self.listed.entry(reason.to_owned()).or_default() += 1;
    }

    pub(crate) fn subtract(&mut self, reason: &str) {
        subtract(&mut self.listed, reason, 1);
    }

    /// The reasons of URLs that are not listed.
    pub(crate) fn unlisted_reasons(&self) -> Vec<String> {
        self.unlisted.keys().cloned().collect()
    }

    /// Whether further URLs that are refused for this reason and not listed are counted.
    pub(crate) fn counts_unlisted(&self, reason: RefuseReason) -> bool {
        if reason == RefuseReason::TooDeep {
            self.too_deep() < Self::MAX_TOO_DEEP
        } else {
            self.unlisted.values().sum::<u64>() < Self::MAX_UNLISTED
        }
    }

    pub(crate) fn add_unlisted(&mut self, reason: &str, count: u64) {
        if count > 0 {
            *self.unlisted.entry(reason.to_owned()).or_default() += count;
        }
    }

    pub(crate) fn subtract_unlisted(&mut self, reason: &str, count: u64) {
        subtract(&mut self.unlisted, reason, count);
    }
}

fn subtract(counts: &mut BTreeMap<String, u64>, reason: &str, count: u64) {
    if let Some(known) = counts.get_mut(reason) {
        *known = known.saturating_sub(count);
    }
    counts.retain(|_, count| *count > 0);
}

impl From<String> for RefusedCounts {
    /// Reads the stored form. It only informs, so one that cannot be read counts as empty.
    fn from(json: String) -> Self {
        let counts: BTreeMap<String, u64> = serde_json::from_str(&json).unwrap_or_default();
        let mut read = Self::default();
        for (reason, count) in counts {
            match reason.strip_prefix(UNLISTED) {
                Some(reason) => read.unlisted.insert(reason.to_owned(), count),
                None => read.listed.insert(reason, count),
            };
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_stored_and_read() {
        let mut counts = RefusedCounts::default();
        assert_eq!(counts.to_json(), "{}");
        for reason in ["trap_query", "trap_calendar", "trap_query"] {
            counts.add(reason);
        }
        assert_eq!(counts.to_json(), r#"{"trap_calendar":1,"trap_query":2}"#);
        assert_eq!(RefusedCounts::from(counts.to_json()), counts);
        counts.subtract("trap_calendar");
        counts.subtract("trap_path");
        assert_eq!(counts.traps().collect::<Vec<_>>(), [("trap_query", 2)]);
        counts.add_unlisted("trap_query", 3);
        counts.add_unlisted("too_deep", 4);
        counts.add_unlisted("trap_path", 0);
        let stored = RefusedCounts::from(counts.to_json());
        assert_eq!(stored, counts);
        assert_eq!(stored.traps().collect::<Vec<_>>(), [("trap_query", 5)]);
        assert_eq!((stored.listed("trap_query"), stored.too_deep()), (2, 4));
        assert_eq!(stored.unlisted_reasons(), ["too_deep", "trap_query"]);
        counts.subtract_unlisted("too_deep", 5);
        assert_eq!(counts.unlisted_reasons(), ["trap_query"]);
        let (trap, too_deep) = (RefuseReason::TrapQuery, RefuseReason::TooDeep);
        counts.add_unlisted("trap_query", RefusedCounts::MAX_UNLISTED - 4);
        counts.add_unlisted("too_deep", 1);
        assert!(!counts.counts_unlisted(trap) && counts.counts_unlisted(too_deep));
        counts.subtract_unlisted("trap_query", 1);
        counts.add_unlisted("too_deep", RefusedCounts::MAX_TOO_DEEP - 1);
        counts.subtract_unlisted("trap_query", RefusedCounts::MAX_TOO_DEEP);
        assert!(counts.counts_unlisted(trap) && !counts.counts_unlisted(too_deep));
        assert!(RefusedCounts::from("not json".to_owned()).is_empty());
    }
}
