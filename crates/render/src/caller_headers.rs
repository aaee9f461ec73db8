//! The caller's headers and credentials: sent only with requests from pages of one origin to that same origin.

use crawler_fetch::{Egress, FetchRequest};
use crawler_weburl::CrawlUrl;
use serde_json::{Value, json};

use crate::cdp_events::Request;

/// Headers for one origin.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct CallerHeaders {
    /// For example `https://example.org`; empty if there are no headers.
    origin: String,
    headers: Vec<(String, String)>,
}

impl CallerHeaders {
    /// Returns the caller's headers for the origin of a request.
    pub(crate) fn of(egress: &Egress, request: &FetchRequest<'_>) -> Self {
        Self::given(
            request.url,
            egress.caller_headers(request.url, request.requested),
        )
    }

    /// Returns these headers for the origin of a URL.
    pub(crate) fn given(url: &CrawlUrl, headers: Vec<(String, String)>) -> Self {
        if headers.is_empty() {
            return Self::default();
        }
        Self {
            origin: origin(url.as_str()).to_owned(),
            headers,
        }
    }

    /// Returns the headers.
    pub(crate) fn into_headers(self) -> Vec<(String, String)> {
        self.headers
    }

    /// Whether they are sent with a request for `url` from a page at `page_url`. Pages of other origins must not use them.
    pub(crate) fn apply_to(&self, url: &str, page_url: &str) -> bool {
        !self.headers.is_empty() && origin(url) == self.origin && origin(page_url) == self.origin
    }

    /// Returns the headers of a request, replaced by the caller's where the names match.
    pub(crate) fn merged_into(&self, request: &Request) -> Value {
        let is_replaced = |name: &String| {
            let mut headers = self.headers.iter();
            headers.any(|(replacement, _)| replacement.eq_ignore_ascii_case(name))
        };
        let unchanged = request
            .headers
            .iter()
            .filter(|(name, _)| !is_replaced(name));
        unchanged
            .chain(self.headers.iter().map(|(name, value)| (name, value)))
            .map(|(name, value)| json!({ "name": name, "value": value }))
            .collect()
    }

    /// Returns the pattern of requests they apply to, for `Fetch.enable`.
    pub(crate) fn pattern(&self) -> Option<Value> {
        // An origin contains no wildcard characters.
        let url_pattern = format!("{}/*", self.origin);
        let pattern = json!({ "urlPattern": url_pattern, "requestStage": "Request" });
        (!self.headers.is_empty()).then_some(pattern)
    }
}

/// Returns `https://host:port` of a URL.
pub(crate) fn origin(url: &str) -> &str {
    let Some(host) = url.find("://").map(|at| at + 3) else {
        return url;
    };
    let end = url[host..]
        .find(['/', '?', '#'])
        .map_or(url.len(), |at| host + at);
    &url[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_sent_from_their_origin_to_their_origin() {
        let own = CallerHeaders {
            origin: "https://a.test".into(),
            headers: vec![("x-key".into(), "s3cret".into())],
        };
        let home = "https://a.test/page";
        for (url, page_url, applies) in [
            ("https://a.test/data", home, true),
            ("https://a.test", home, true),
            ("https://a.test?q", home, true),
            ("https://a.test.evil/", home, false),
            ("https://a.test:8443/", home, false),
            ("http://a.test/", home, false),
            ("https://a.test/data", "https://evil.test/", false),
            ("https://a.test/data", "about:blank", false),
        ] {
            assert_eq!(
                own.apply_to(url, page_url),
                applies,
                "{url} from {page_url}"
            );
        }
        assert!(!CallerHeaders::default().apply_to("about:blank", "about:blank"));
    }
}
