//! Why a typed URL cannot be a seed, in words for the person who typed it.

use thiserror::Error;

/// What was wrong with a URL.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UrlError {
    /// Nothing was given.
    #[error("the URL is empty; give one like https://example.org/")]
    Empty,
    /// No scheme: relative, or a bare host name.
    #[error("\"{typed}\" is not an absolute URL; did you mean {suggestion} ?")]
    NotAbsolute {
        /// What was typed.
        typed: String,
        /// The likely meaning.
        suggestion: String,
    },
    /// A scheme that is not crawled.
    #[error(
        "the scheme \"{0}:\" cannot be crawled; give an http or https URL like https://example.org/"
    )]
    Scheme(String),
    /// No host.
    #[error("the URL has no host; give one like https://example.org/")]
    NoHost,
    /// The URL standard refuses it.
    #[error("\"{typed}\" is not a valid URL: {reason}; give one like https://example.org/")]
    Invalid {
        /// What was typed.
        typed: String,
        /// The parser's words.
        reason: String,
    },
}

impl UrlError {
    /// Puts the parser's refusal into our words.
    pub(crate) fn from_parse(typed: &str, error: url::ParseError) -> Self {
        match error {
            url::ParseError::RelativeUrlWithoutBase => Self::NotAbsolute {
                typed: typed.to_owned(),
                suggestion: format!("https://{}", typed.trim_start_matches('/')),
            },
            url::ParseError::EmptyHost => Self::NoHost,
            other => Self::Invalid {
                typed: typed.to_owned(),
                reason: other.to_string(),
            },
        }
    }
}
