//! The normalized URL of a page.
//!
//! Invariant: the text is a WHATWG-serialized `http` or `https` URL without userinfo and without
//! fragment. Userinfo cannot leak into output, a key or a log, because it is never stored here;
//! [`crate::Userinfo`] holds the seed's.

use std::fmt;
use std::sync::Arc;

use crate::url_ref::Shape;
use crate::{HostKey, Origin, UrlError, UrlRef};

/// A normalized, absolute `http` or `https` URL. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CrawlUrl {
    text: Arc<str>,
    /// Computed once, since the parts are used a dozen times per page.
    shape: Shape,
}

impl CrawlUrl {
    /// Parses user input: absolute, `http` or `https`, with a host.
    pub fn parse(typed: &str) -> Result<Self, UrlError> {
        let trimmed = typed.trim();
        if trimmed.is_empty() {
            return Err(UrlError::Empty);
        }
        let parsed = url::Url::parse(trimmed)
            .map_err(|error| UrlError::from_parse(&masked(trimmed), error))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(UrlError::of_scheme(&masked(trimmed), parsed.scheme()));
        }
        Self::from_parsed(parsed)
    }

    /// Converts a parsed URL, without userinfo and fragment.
    pub fn from_parsed(mut parsed: url::Url) -> Result<Self, UrlError> {
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(UrlError::Scheme(parsed.scheme().to_owned()));
        }
        strip_private_parts(&mut parsed);
        Self::from_normalized(parsed.as_str()).ok_or(UrlError::NoHost)
    }

    /// Converts text that is already in normal form, as [`crate::Resolver`] writes it.
    pub fn from_normalized(text: &str) -> Option<Self> {
        let shape = UrlRef::split(text)?.shape();
        let text = text.into();
        Some(Self { text, shape })
    }

    /// The whole URL.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The same text, shared.
    pub fn shared_text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// The URL's parts.
    pub fn parts(&self) -> UrlRef<'_> {
        UrlRef::shaped(&self.text, self.shape)
    }

    /// The politeness key.
    pub fn host_key(&self) -> HostKey {
        self.parts().host_key()
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> Origin {
        self.parts().origin()
    }

    /// The URL at another path of the same origin; `path` is in normal form and begins with `/`.
    #[must_use]
    pub fn at_path(&self, path: &str) -> Self {
        let text = format!("{}{path}", self.parts().origin_text());
        #[expect(clippy::expect_used, reason = "an origin of normal form, and a path")]
        Self::from_normalized(&text).expect("normal form")
    }
}

/// A URL without its userinfo, for an error message.
fn masked(typed: &str) -> String {
    let start = typed.find("//").map_or(0, |at| at + 2);
    let end = typed[start..]
        .find(['/', '?', '#'])
        .map_or(typed.len(), |at| start + at);
    match typed[start..end].rfind('@') {
        Some(at) => format!("{}…{}", &typed[..start], &typed[start + at..]),
        None => typed.to_owned(),
    }
}

/// Removes userinfo and fragment.
pub(crate) fn strip_private_parts(parsed: &mut url::Url) {
    // Both setters fail only for URLs that cannot have userinfo at all.
    let _ = parsed.set_username("");
    let _ = parsed.set_password(None);
    parsed.set_fragment(None);
}

impl fmt::Display for CrawlUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for CrawlUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}
