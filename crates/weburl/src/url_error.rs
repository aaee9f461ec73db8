//! Why a URL given by the user is invalid.

use thiserror::Error;

/// Why a URL is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UrlError {
    /// Nothing was given.
    #[error("the URL is empty; use one like https://example.org/")]
    Empty,
    /// No scheme: relative, or a bare host name.
    #[error("\"{typed}\" is not an absolute URL; did you mean {suggestion}?")]
    NotAbsolute {
        /// The URL as given.
        typed: String,
        /// The URL that was probably meant.
        suggestion: String,
    },
    /// A path of the file system.
    #[error("\"{0}\" is a file path; use an http or https URL like https://example.org/")]
    FilePath(String),
    /// A scheme that is not crawled.
    #[error(
        "the scheme \"{0}:\" cannot be crawled; use an http or https URL like https://example.org/"
    )]
    Scheme(String),
    /// No host.
    #[error("the URL has no host; use one like https://example.org/")]
    NoHost,
    /// Invalid according to the URL standard.
    #[error("\"{typed}\" is not a valid URL: {reason}; use one like https://example.org/")]
    Invalid {
        /// The URL as given.
        typed: String,
        /// Message of the parser.
        reason: String,
    },
}

impl UrlError {
    /// The error for a scheme that is not crawled: often a host and port, or a typo.
    pub(crate) fn of_scheme(typed: &str, scheme: &str) -> Self {
        let rest = typed.split_once(':').map_or("", |(_, rest)| rest);
        let port = rest.split('/').next().unwrap_or_default();
        let meant = match scheme {
            "htp" | "ttp" | "htttp" | "hhtp" => Some("http"),
            "htps" | "htttps" | "htpps" | "httsp" => Some("https"),
            _ => None,
        };
        let suggestion = if let Some(meant) = meant {
            format!("{meant}://{}", rest.trim_start_matches('/'))
        } else if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) {
            likely(typed)
        } else {
            return Self::Scheme(scheme.to_owned());
        };
        Self::NotAbsolute {
            typed: typed.to_owned(),
            suggestion,
        }
    }

    /// Converts the parser's error.
    pub(crate) fn from_parse(typed: &str, error: url::ParseError) -> Self {
        match error {
            url::ParseError::RelativeUrlWithoutBase if is_file_path(typed) => {
                Self::FilePath(typed.to_owned())
            }
            url::ParseError::RelativeUrlWithoutBase => Self::NotAbsolute {
                typed: typed.to_owned(),
                suggestion: likely(typed),
            },
            url::ParseError::EmptyHost => Self::NoHost,
            other => Self::Invalid {
                typed: typed.to_owned(),
                reason: other.to_string(),
            },
        }
    }
}

/// Whether an address without a scheme starts like a path of the file system. Two slashes start a host name.
fn is_file_path(typed: &str) -> bool {
    let rooted = typed.starts_with('/') && !typed.starts_with("//");
    rooted
        || ["./", "../", "~/"]
            .iter()
            .any(|start| typed.starts_with(start))
}

/// The URL that was probably meant by an address without a scheme.
fn likely(typed: &str) -> String {
    for scheme in ["http", "https"] {
        if let Some(rest) = typed
            .strip_prefix(scheme)
            .and_then(|rest| rest.strip_prefix("//"))
        {
            return format!("{scheme}://{rest}");
        }
    }
    let address = typed.trim_start_matches('/');
    let host = address.split([':', '/']).next().unwrap_or_default();
    // A local machine rarely has a certificate.
    let is_local = host == "localhost" || host.parse::<std::net::Ipv4Addr>().is_ok();
    let scheme = if is_local { "http" } else { "https" };
    format!("{scheme}://{address}")
}
