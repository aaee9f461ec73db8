//! Headers and credentials of the caller's: for requests of one origin's pages to that origin, and for no others.

use fetch::{Egress, FetchRequest};
use serde_json::{Value, json};

use crate::cdp_events::Request;

/// Headers that go to one origin and to no other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct OwnHeaders {
    /// As in `https://example.org`; empty without headers.
    origin: String,
    headers: Vec<(String, String)>,
}

impl OwnHeaders {
    /// Those of the caller for this request's origin.
    pub(crate) fn of(egress: &Egress, request: &FetchRequest<'_>) -> Self {
        let headers = egress.own_headers(request.url, request.asked);
        if headers.is_empty() {
            return Self::default();
        }
        Self {
            origin: origin(request.url.as_str()).to_owned(),
            headers,
        }
    }

    /// Whether they go along with a request for `url` that a page at `place` makes. A page of another origin could only
    /// borrow them.
    pub(crate) fn go_along(&self, url: &str, place: &str) -> bool {
        !self.headers.is_empty() && origin(url) == self.origin && origin(place) == self.origin
    }

    /// A request's headers with ours in the place of those of the same name.
    pub(crate) fn added_to(&self, request: &Request) -> Value {
        let ours = |name: &String| {
            let mut own = self.headers.iter();
            own.any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        let theirs = request.headers.iter().filter(|(name, _)| !ours(name));
        theirs
            .chain(self.headers.iter().map(|(name, value)| (name, value)))
            .map(|(name, value)| json!({ "name": name, "value": value }))
            .collect()
    }

    /// The requests they may go along with, as the browser is told.
    pub(crate) fn pattern(&self) -> Option<Value> {
        // A star is the only wildcard an origin could hold, and it holds none.
        let below = format!("{}/*", self.origin);
        let pattern = json!({ "urlPattern": below, "requestStage": "Request" });
        (!self.headers.is_empty()).then_some(pattern)
    }
}

/// `https://host:port` of a URL as the browser writes it.
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
    fn they_go_from_home_to_home() {
        let own = OwnHeaders {
            origin: "https://a.test".into(),
            headers: vec![("x-key".into(), "s3cret".into())],
        };
        let home = "https://a.test/page";
        for (url, place, go) in [
            ("https://a.test/data", home, true),
            ("https://a.test", home, true),
            ("https://a.test?q", home, true),
            ("https://a.test.evil/", home, false),
            ("https://a.test:8443/", home, false),
            ("http://a.test/", home, false),
            ("https://a.test/data", "https://evil.test/", false),
            ("https://a.test/data", "about:blank", false),
        ] {
            assert_eq!(own.go_along(url, place), go, "{url} from {place}");
        }
        assert!(!OwnHeaders::default().go_along("about:blank", "about:blank"));
    }
}
