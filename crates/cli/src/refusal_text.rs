//! Why a link is not followed, as shown to the user.

use crawler_model::RefuseReason;

/// Returns the reason in a few words.
pub(crate) fn refusal_text(reason: RefuseReason) -> &'static str {
    match reason {
        RefuseReason::Scheme => "not http",
        RefuseReason::OutOfScope => "out of scope",
        RefuseReason::Excluded => "excluded by --exclude",
        RefuseReason::NotIncluded => "not matched by --include",
        RefuseReason::BlockedExtension => "blocked file extension",
        RefuseReason::Nofollow => "rel=nofollow",
        RefuseReason::TooDeep => "beyond --max-depth",
        RefuseReason::TooLong => "very long URL",
        RefuseReason::TrapPath => "repeating path",
        RefuseReason::TrapCalendar => "calendar",
        RefuseReason::TrapSession => "session id",
        RefuseReason::TrapQuery => "query combinations",
        RefuseReason::TrapPages => "pages that only lead to more of the same",
        RefuseReason::TrapHosts => "too many hosts",
        RefuseReason::Seen => "already known",
        other => other.as_str(),
    }
}
