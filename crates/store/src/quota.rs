//! Quotas of owners: what the jobs and requests of one owner may use. Stored with the API key.

use std::fmt::Write as _;

use crawler_model::parse_bytes;
use serde::{Deserialize, Serialize};

/// The quota of an owner; `None` is the default of the configuration, and zero is no limit.
#[derive(Clone, Copy, PartialEq, Default, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields, default)]
pub struct Quota {
    /// Requests per second to `/v1/scrape`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_second: Option<f64>,
    /// Requests to `/v1/scrape` at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_in_flight: Option<u64>,
    /// Jobs that have not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_jobs: Option<u64>,
    /// Tasks that have not ended, of all jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued_tasks: Option<u64>,
    /// Pages fetched per day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_per_day: Option<u64>,
    /// Bytes of stored results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored_bytes: Option<u64>,
    /// Event streams and exports at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_streams: Option<u64>,
    /// Seconds of rendering per day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_seconds_per_day: Option<u64>,
    /// The owner's share of the workers compared with others, 1 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<u64>,
}

/// Why a quota is not valid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QuotaError {
    /// There is no `=`.
    #[error("{0:?} is not NAME=VALUE; use one like open_jobs=10")]
    NoValue(String),
    /// There is no quota of this name.
    #[error("there is no quota {0:?}; quotas are {names}", names = Quota::NAMES.join(", "))]
    UnknownName(String),
    /// The value is not a number, or out of range.
    #[error("{name}: {value:?} is not {expected}")]
    InvalidValue {
        /// Name of the quota.
        name: &'static str,
        /// The value as given.
        value: String,
        /// What the value must be.
        expected: &'static str,
    },
}

/// The values that a quota may have, for keys and in the configuration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QuotaRange {
    min: u64,
    max: u64,
    /// The values, for error messages and descriptions.
    pub allowed: &'static str,
    /// What a value must be.
    expected: &'static str,
}

impl QuotaRange {
    /// Requests per second.
    pub const RATE: Self = Self {
        min: 0,
        max: 1_000_000,
        allowed: "0, or 0.001 to 1000000",
        expected: "a number: 0, or 0.001 to 1000000",
    };
    /// What one process serves at the same time.
    pub const CONCURRENT: Self = Self {
        min: 0,
        max: 1_000_000,
        allowed: "0 to 1000000",
        expected: "a whole number from 0 to 1000000",
    };
    /// Jobs, URLs, seconds.
    pub const COUNT: Self = Self {
        min: 0,
        max: 4_000_000_000,
        allowed: "0 to 4000000000",
        expected: "a whole number from 0 to 4000000000",
    };
    /// Bytes.
    pub const BYTES: Self = Self {
        min: 0,
        max: 1_000_000_000_000_000,
        allowed: "0 to 1000TB",
        expected: "a size like 10GB from 0 to 1000TB",
    };
    /// The share of an owner.
    pub const WEIGHT: Self = Self {
        min: 1,
        max: 100,
        allowed: "1 to 100",
        expected: "a whole number from 1 to 100",
    };
    /// Minimum rate other than zero, which is no limit.
    const MIN_RATE: f64 = 0.001;

    /// Whether a count is in the range.
    pub const fn contains(self, count: u64) -> bool {
        self.min <= count && count <= self.max
    }

    /// Whether a rate is in the range.
    pub fn contains_rate(self, rate: f64) -> bool {
        rate == 0.0 || (Self::MIN_RATE..=self.max as f64).contains(&rate)
    }

    fn parse(self, value: &str) -> Option<u64> {
        let count = if self == Self::BYTES {
            parse_bytes(value)
        } else {
            value.trim().parse().ok()
        };
        count.filter(|count| self.contains(*count))
    }
}

impl Quota {
    /// The names of all quotas.
    pub const NAMES: [&str; 9] = [
        "requests_per_second",
        "requests_in_flight",
        "open_jobs",
        "queued_tasks",
        "pages_per_day",
        "stored_bytes",
        "event_streams",
        "browser_seconds_per_day",
        "weight",
    ];
    /// Returns the values that the quota with this name may have.
    pub fn range(name: &str) -> QuotaRange {
        match name {
            "requests_per_second" => QuotaRange::RATE,
            "requests_in_flight" | "event_streams" => QuotaRange::CONCURRENT,
            "stored_bytes" => QuotaRange::BYTES,
            "weight" => QuotaRange::WEIGHT,
            _ => QuotaRange::COUNT,
        }
    }

    /// Sets one quota, written as `NAME=VALUE`. The value `default` unsets it.
    pub fn set(&mut self, written: &str) -> Result<(), QuotaError> {
        let (name, value) = written
            .split_once('=')
            .ok_or_else(|| QuotaError::NoValue(written.to_owned()))?;
        let known = Self::NAMES.into_iter().find(|known| *known == name);
        let name = known.ok_or_else(|| QuotaError::UnknownName(name.to_owned()))?;
        let range = Self::range(name);
        let invalid = || QuotaError::InvalidValue {
            name,
            value: value.to_owned(),
            expected: range.expected,
        };
        let is_default = value == "default";
        if let Some(count) = self.count_mut(name) {
            if is_default {
                *count = None;
                return Ok(());
            }
            *count = Some(range.parse(value).ok_or_else(invalid)?);
        } else if is_default {
            self.requests_per_second = None;
        } else {
            let rate = value.trim().parse().ok();
            let rate = rate.filter(|rate| range.contains_rate(*rate));
            self.requests_per_second = Some(rate.ok_or_else(invalid)?);
        }
        Ok(())
    }

    /// The count with this name; `None` for the rate.
    fn count_mut(&mut self, name: &str) -> Option<&mut Option<u64>> {
        Some(match name {
            "requests_in_flight" => &mut self.requests_in_flight,
            "open_jobs" => &mut self.open_jobs,
            "queued_tasks" => &mut self.queued_tasks,
            "pages_per_day" => &mut self.pages_per_day,
            "stored_bytes" => &mut self.stored_bytes,
            "event_streams" => &mut self.event_streams,
            "browser_seconds_per_day" => &mut self.browser_seconds_per_day,
            "weight" => &mut self.weight,
            _ => return None,
        })
    }

    /// This quota, with what is not set taken from `defaults`.
    #[must_use]
    pub fn or(mut self, defaults: &Self) -> Self {
        self.requests_per_second = self.requests_per_second.or(defaults.requests_per_second);
        let mut defaults = *defaults;
        for name in Self::NAMES {
            if let (Some(count), Some(default)) = (self.count_mut(name), defaults.count_mut(name)) {
                *count = count.or(*default);
            }
        }
        self
    }

    /// The limit that a count stands for: zero is none.
    pub fn limit(count: Option<u64>) -> Option<u64> {
        count.filter(|limit| *limit > 0)
    }

    /// The quotas that are set, as a JSON object.
    pub fn to_json(&self) -> String {
        // Serializing numbers cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The quotas that are set, as `NAME=VALUE` separated by spaces.
    pub fn spell(&self) -> String {
        let mut copy = *self;
        let mut spelled = String::new();
        for name in Self::NAMES {
            let value = match copy.count_mut(name) {
                Some(count) => count.map(|count| count.to_string()),
                None => self.requests_per_second.map(|rate| rate.to_string()),
            };
            if let Some(value) = value {
                let space = if spelled.is_empty() { "" } else { " " };
                // Writing to a string cannot fail.
                let _ = write!(spelled, "{space}{name}={value}");
            }
        }
        spelled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quota_is_set_spelled_and_stored() {
        let mut quota = Quota::default();
        assert_eq!(quota.spell(), "");
        for (at, name) in Quota::NAMES.into_iter().enumerate() {
            quota.set(&format!("{name}={at}")).expect("a valid quota");
        }
        quota.set("requests_per_second=0.5").expect("a valid rate");
        assert_eq!(
            quota.spell(),
            "requests_per_second=0.5 requests_in_flight=1 open_jobs=2 queued_tasks=3 pages_per_day=4 stored_bytes=5 \
             event_streams=6 browser_seconds_per_day=7 weight=8"
        );
        let mut unset = quota;
        for name in Quota::NAMES {
            unset
                .set(&format!("{name}=default"))
                .expect("a valid quota");
        }
        assert_eq!(unset, Quota::default());
        let stored = serde_json::to_value(quota).expect("JSON");
        let names = stored.as_object().expect("an object").len();
        assert_eq!(names, Quota::NAMES.len());
        assert_eq!(serde_json::from_value::<Quota>(stored).ok(), Some(quota));
    }

    #[test]
    fn what_is_not_set_is_the_default() {
        let quota = |written: &[&str]| {
            let mut quota = Quota::default();
            for one in written {
                quota.set(one).expect("a valid quota");
            }
            quota
        };
        let defaults = quota(&["requests_per_second=2", "open_jobs=5", "event_streams=7"]);
        let own = quota(&["open_jobs=0", "pages_per_day=9"]).or(&defaults);
        let both = "requests_per_second=2 open_jobs=0 pages_per_day=9 event_streams=7";
        assert_eq!(own.spell(), both);
        assert_eq!(Quota::limit(own.open_jobs), None, "zero is no limit");
        assert_eq!(Quota::limit(own.pages_per_day), Some(9));
        assert_eq!(Quota::limit(own.stored_bytes), None);
    }

    #[test]
    fn an_invalid_quota_is_refused_with_what_is_allowed() {
        let refused = |written: &str| {
            let error = Quota::default().set(written).expect_err(written);
            error.to_string()
        };
        assert_eq!(
            refused("open_jobs"),
            "\"open_jobs\" is not NAME=VALUE; use one like open_jobs=10"
        );
        assert!(refused("jobs=1").starts_with("there is no quota \"jobs\"; quotas are requests_"));
        for value in ["", "-1", "1.5", "ten", "4000000001", "1GB"] {
            let message = refused(&format!("open_jobs={value}"));
            assert!(message.starts_with(&format!("open_jobs: {value:?} is not a whole number")));
        }
        for value in ["0", "101", "1.5"] {
            let message = refused(&format!("weight={value}"));
            assert!(message.ends_with("is not a whole number from 1 to 100"));
        }
        for value in ["", "-1", "NaN", "inf", "0.0001", "1000001"] {
            let message = refused(&format!("requests_per_second={value}"));
            assert!(
                message.contains("is not a number: 0, or 0.001 to 1000000"),
                "{message}"
            );
        }
        let message = refused("stored_bytes=1001TB");
        assert!(message.ends_with("is not a size like 10GB from 0 to 1000TB"));
        assert!(refused("event_streams=1000001").ends_with("from 0 to 1000000"));
    }

    #[test]
    fn a_size_has_a_unit() {
        let mut quota = Quota::default();
        for (written, bytes) in [
            ("10GB", 10_000_000_000),
            ("2MiB", 2_097_152),
            ("1000", 1_000),
        ] {
            quota
                .set(&format!("stored_bytes={written}"))
                .expect("a size");
            assert_eq!(quota.stored_bytes, Some(bytes), "{written}");
        }
    }
}
