//! The settings of limits: of jobs, and of owners.

use std::time::Duration;

use crawler_store::QuotaRange;

use super::setting::{Setting, put, setting};
use super::value::SettingValue;

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_hours(24);

/// Limits of jobs and quotas of owners.
pub(super) const LIMITS: [Setting; 14] = [
    setting!(
        jobs.max_depth,
        "Upper limit for max_depth of a job",
        "0 to 1000",
        |n| *n <= 1_000
    ),
    setting!(
        jobs.max_tasks,
        "Maximum number of URLs per job",
        "1 to 100000000",
        |n| (1..=100_000_000).contains(n)
    ),
    setting!(
        jobs.max_hosts,
        "Maximum number of hosts in the URLs of one batch",
        "1 to 100000000",
        |n| (1..=100_000_000).contains(n)
    ),
    setting!(
        jobs.max_duration,
        "Maximum duration of a job, from its first page; it is stopped after that",
        "1s to 365d",
        |d| (SECOND..=DAY * 365).contains(d)
    ),
    setting!(
        jobs.max_bytes,
        "Maximum number of body bytes per job",
        "1KB to 1000TB",
        |n| (1_000..=1_000_000_000_000_000).contains(n)
    ),
    setting!(
        jobs.retention,
        "How long finished jobs are kept; none = forever",
        "none, or 1s to 3650d",
        |d| d.is_none_or(|d| (SECOND..=DAY * 3_650).contains(&d))
    ),
    setting!(
        quotas.requests_per_second,
        "Requests per second of one owner to POST /v1/scrape, in each API process; 0 = no limit",
        QuotaRange::RATE.allowed,
        |n| QuotaRange::RATE.contains_rate(*n)
    ),
    setting!(
        quotas.requests_in_flight,
        "Concurrent requests of one owner to POST /v1/scrape, in each API process; 0 = no limit",
        QuotaRange::CONCURRENT.allowed,
        |n| QuotaRange::CONCURRENT.contains((*n).into())
    ),
    setting!(
        quotas.open_jobs,
        "Jobs of one owner that have not ended; 0 = no limit",
        QuotaRange::COUNT.allowed,
        |n| QuotaRange::COUNT.contains((*n).into())
    ),
    setting!(
        quotas.queued_tasks,
        "URLs of one owner's jobs that wait or are being fetched; links beyond it are left out; 0 = no limit",
        QuotaRange::COUNT.allowed,
        |n| QuotaRange::COUNT.contains((*n).into())
    ),
    setting!(
        quotas.pages_per_day,
        "Pages fetched for one owner per day (UTC); then running jobs end and requests are refused; 0 = no limit",
        QuotaRange::COUNT.allowed,
        |n| QuotaRange::COUNT.contains((*n).into())
    ),
    setting!(
        quotas.stored_bytes,
        "Size of one owner's stored results; then running jobs end and new ones are refused; 0 = no limit",
        QuotaRange::BYTES.allowed,
        |n| QuotaRange::BYTES.contains(*n)
    ),
    setting!(
        quotas.event_streams,
        "Concurrent event streams and exports of one owner, in each API process; 0 = no limit",
        QuotaRange::CONCURRENT.allowed,
        |n| QuotaRange::CONCURRENT.contains((*n).into())
    ),
    setting!(
        quotas.browser_seconds_per_day,
        "Seconds that browser tabs are held for one owner per day (UTC), by POST /v1/scrape and by jobs; 0 = no limit",
        QuotaRange::COUNT.allowed,
        |n| QuotaRange::COUNT.contains((*n).into())
    ),
];

#[cfg(test)]
mod tests {
    use crawler_store::Quota;

    use super::*;

    #[test]
    fn quotas_of_the_configuration_have_the_ranges_of_those_of_keys() {
        let settings = LIMITS.iter().filter(|one| one.section == "quotas");
        let mut count = 0;
        for setting in settings {
            assert_eq!(setting.allowed, Quota::range(setting.name).allowed);
            for value in [
                "0",
                "0.0001",
                "0.001",
                "1.5",
                "1000000",
                "1000001",
                "4000000000",
                "4000000001",
                "10GB",
                "1000TB",
                "1001TB",
                "-1",
                "ten",
            ] {
                let given = crate::config::raw_value::RawValue::Text(value.to_owned());
                let is_setting =
                    (setting.write)(&mut crate::config::Config::default(), &given).is_ok();
                let of_key = Quota::default().set(&format!("{}={value}", setting.name));
                assert_eq!(is_setting, of_key.is_ok(), "{}={value}", setting.name);
            }
            count += 1;
        }
        // The weight is that of a key only.
        assert_eq!(count, Quota::NAMES.len() - 1);
    }
}
