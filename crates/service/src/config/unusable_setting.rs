//! A setting that no plan accepts.

use crawler_model::{PlanError, PlanField};

/// A setting that no plan accepts: its key, and what is wrong with its value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("invalid configuration: {key}: {message}")]
pub struct UnusableSetting {
    key: &'static str,
    message: String,
}

impl From<PlanError> for UnusableSetting {
    fn from(error: PlanError) -> Self {
        let key = match error.field {
            PlanField::Timeout => "http.timeout",
            PlanField::UserAgent => "http.user_agent",
            PlanField::MaxRedirects => "http.max_redirects",
            PlanField::MaxBodyBytes => "http.max_body_bytes",
            PlanField::MaxAttempts => "worker.max_attempts",
            // Not set by any setting.
            other => other.as_str(),
        };
        let message = error.message;
        Self { key, message }
    }
}
