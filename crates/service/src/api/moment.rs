//! Formats timestamps as RFC 3339.

use crawler_model::rfc3339_millis;
use crawler_store::UnixMillis;

/// Formats a timestamp in UTC with milliseconds: `2026-11-16T01:02:03.004Z`. Times before 1970 become 1970-01-01.
pub fn rfc3339(moment: UnixMillis) -> String {
    rfc3339_millis(moment.0)
}
