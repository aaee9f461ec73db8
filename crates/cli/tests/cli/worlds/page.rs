//! A line of ndjson, and its outcome as the test sites describe it.

use serde_json::Value;
use testsite::hostile::Expect;

/// The values of `error_kind` that a site can cause; not `internal`, which is a bug of ours.
const KINDS: [&str; 14] = [
    "dead_link",
    "client_error",
    "server_error",
    "timeout",
    "rate_limited",
    "dns",
    "connect",
    "tls",
    "reset",
    "too_many_redirects",
    "bad_redirect",
    "protocol",
    "decode",
    "address_refused",
];

/// One reported page.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) url: String,
    pub(crate) links: Vec<String>,
    pub(crate) depth: u64,
    pub(crate) ms: u64,
    pub(crate) attempts: u64,
    fields: Value,
}

impl Page {
    pub(crate) fn read(line: &str) -> Self {
        let fields: Value = serde_json::from_str(line).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self {
            url: text(&fields["url"]),
            links: fields["links"]
                .as_array()
                .unwrap()
                .iter()
                .map(text)
                .collect(),
            depth: fields["depth"].as_u64().unwrap(),
            ms: fields["ms"].as_u64().unwrap(),
            attempts: fields["attempts"].as_u64().unwrap(),
            fields,
        }
    }

    /// Whether the page was not requested.
    pub(crate) fn is_skipped(&self) -> bool {
        self.fields["outcome"] == "skipped"
    }

    /// The reported outcome.
    pub(crate) fn outcome(&self) -> Expect {
        let links = self.links.len();
        match self.fields["outcome"].as_str().unwrap() {
            "fetched" if self.fields["truncated"] == true => Expect::Truncated,
            "fetched" if self.is_html() => Expect::Fetched { links },
            "fetched" => {
                assert_eq!(links, 0, "no links where there is no HTML: {}", self.url);
                Expect::NotHtml
            }
            "redirected" => {
                assert_eq!(self.links, [self.fields["redirect_to"].as_str().unwrap()]);
                Expect::Redirect
            }
            "failed" => {
                let kind = self.fields["error_kind"].as_str().unwrap();
                let known = KINDS.iter().find(|known| **known == kind);
                Expect::Failed(known.unwrap_or_else(|| panic!("{kind}: {}", self.url)))
            }
            other => panic!("{other}: {}", self.url),
        }
    }

    /// Whether the page is HTML by its content type; without one, a page with links is.
    fn is_html(&self) -> bool {
        let content_type = self.fields["content_type"].as_str().unwrap_or_default();
        let kind = content_type.split(';').next().unwrap_or_default().trim();
        let labeled = ["text/html", "application/xhtml+xml"]
            .iter()
            .any(|html| kind.eq_ignore_ascii_case(html));
        labeled || (content_type.is_empty() && !self.links.is_empty())
    }
}
