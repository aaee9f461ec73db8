//! URLs of a job that are not followed because they belong to crawler traps.

use std::collections::BTreeMap;

use crawler_model::{RefuseReason, SkipReason};

use crate::NewTask;

/// A URL that is not followed because it belongs to a crawler trap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedUrl {
    /// The task that it would be.
    pub task: NewTask,
    /// The kind of trap.
    pub reason: RefuseReason,
}

impl RefusedUrl {
    /// Why it is not followed, for people.
    pub fn message(&self) -> String {
        SkipReason::Trap(self.reason).to_string()
    }
}

/// How many URLs of a job were refused as crawler traps, by the stable spelling of the reason.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TrapCounts(BTreeMap<String, u64>);

impl TrapCounts {
    /// Limit on the links of one job that are stored as skipped tasks for one reason: a trap may have any number of them.
    pub const MAX_STORED: u64 = 1_000;

    /// Whether nothing was refused.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number for one reason.
    pub fn get(&self, reason: &str) -> u64 {
        self.0.get(reason).copied().unwrap_or_default()
    }

    /// All reasons with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(reason, count)| (&**reason, *count))
    }

    /// The form that is stored.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    pub(crate) fn add(&mut self, reason: &str) {
        *self.0.entry(reason.to_owned()).or_default() += 1;
    }

    pub(crate) fn subtract(&mut self, reason: &str) {
        if let Some(count) = self.0.get_mut(reason) {
            *count = count.saturating_sub(1);
        }
        self.0.retain(|_, count| *count > 0);
    }
}

impl From<String> for TrapCounts {
    /// Reads the stored form. It only informs, so one that cannot be read counts as empty.
    fn from(json: String) -> Self {
        Self(serde_json::from_str(&json).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_stored_and_read() {
        let mut counts = TrapCounts::default();
        assert_eq!(counts.to_json(), "{}");
        for reason in ["trap_query", "trap_calendar", "trap_query"] {
            counts.add(reason);
        }
        assert_eq!(counts.to_json(), r#"{"trap_calendar":1,"trap_query":2}"#);
        assert_eq!(TrapCounts::from(counts.to_json()), counts);
        counts.subtract("trap_calendar");
        counts.subtract("trap_path");
        assert_eq!(counts.iter().collect::<Vec<_>>(), [("trap_query", 2)]);
        assert!(TrapCounts::from("not json".to_owned()).is_empty());
    }
}
