//! Converts Chromium network errors into failures.

use crawler_model::{FailKind, Failure};

/// Returns the failure for a network error of the browser.
pub(crate) fn failure(error: &str) -> Failure {
    let name = error.trim_start_matches("net::");
    let kind = match name {
        "ERR_NAME_NOT_RESOLVED" | "ERR_NAME_RESOLUTION_FAILED" => FailKind::Dns,
        "ERR_TIMED_OUT" | "ERR_CONNECTION_TIMED_OUT" => FailKind::Timeout,
        "ERR_CONNECTION_RESET"
        | "ERR_CONNECTION_CLOSED"
        | "ERR_CONNECTION_ABORTED"
        | "ERR_EMPTY_RESPONSE"
        | "ERR_CONTENT_LENGTH_MISMATCH"
        | "ERR_INCOMPLETE_CHUNKED_ENCODING"
        | "ERR_HTTP2_PING_FAILED" => FailKind::Reset,
        "ERR_CONTENT_DECODING_FAILED" => FailKind::Decode,
        "ERR_INVALID_REDIRECT" | "ERR_UNSAFE_REDIRECT" => FailKind::BadRedirect,
        _ if ["ERR_CERT", "ERR_SSL", "ERR_BAD_SSL"]
            .iter()
            .any(|tls| name.starts_with(tls)) =>
        {
            FailKind::Tls
        }
        _ if name.starts_with("ERR_CONNECTION")
            || name.starts_with("ERR_ADDRESS")
            || name.starts_with("ERR_NETWORK")
            || name.starts_with("ERR_TUNNEL")
            || name.starts_with("ERR_PROXY") =>
        {
            FailKind::Connect
        }
        _ => FailKind::Protocol,
    };
    let message = match name {
        "ERR_UNSAFE_PORT" => "the browser refuses this port".to_owned(),
        _ => name
            .trim_start_matches("ERR_")
            .to_ascii_lowercase()
            .replace('_', " "),
    };
    Failure::new(kind, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_names_are_converted() {
        for (name, kind, message) in [
            (
                "net::ERR_NAME_NOT_RESOLVED",
                FailKind::Dns,
                "name not resolved",
            ),
            (
                "net::ERR_CERT_DATE_INVALID",
                FailKind::Tls,
                "cert date invalid",
            ),
            (
                "net::ERR_CONNECTION_REFUSED",
                FailKind::Connect,
                "connection refused",
            ),
            ("net::ERR_EMPTY_RESPONSE", FailKind::Reset, "empty response"),
            (
                "net::ERR_UNSAFE_PORT",
                FailKind::Protocol,
                "the browser refuses this port",
            ),
        ] {
            assert_eq!(failure(name), Failure::new(kind, message), "{name}");
        }
    }
}
