//! A forward proxy.

use std::fmt;

use crawler_model::{FailKind, Failure};
use crawler_weburl::{CrawlUrl, Userinfo};
use http::HeaderValue;

use crate::request_builder::basic;

/// A proxy; `Debug` shows its URL but not its credentials.
pub(crate) struct Proxy {
    /// URL without credentials.
    pub(crate) url: CrawlUrl,
    /// `Proxy-Authorization` header.
    pub(crate) authorization: Option<HeaderValue>,
}

impl Proxy {
    /// Parses `http://[user:password@]host:port`.
    pub(crate) fn parse(typed: &str) -> Option<Self> {
        let url = CrawlUrl::parse(typed).ok()?;
        if url.parts().is_https() {
            return None;
        }
        let authorization = match Userinfo::of(typed) {
            Some(userinfo) => Some(basic(&userinfo)?),
            None => None,
        };
        Some(Self { url, authorization })
    }

    /// Turns a connection failure into one that names the proxy, so that it is not mistaken for a failure of the site. A
    /// refused address keeps its uniform message.
    pub(crate) fn failure(&self, failure: Failure) -> Failure {
        if failure.kind == FailKind::AddressRefused {
            return failure;
        }
        let at = self.url.parts();
        let (host, port, message) = (at.host(), at.port(), failure.message);
        let message = format!("the proxy {host}:{port} cannot be reached: {message}");
        Failure::new(failure.kind, message)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Proxy").field(&self.url).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_removed_from_the_url_and_never_shown() {
        let proxy = Proxy::parse("http://me:s3cret@127.0.0.1:3128").unwrap();
        assert_eq!(proxy.url.as_str(), "http://127.0.0.1:3128/");
        assert_eq!(proxy.authorization.as_ref().unwrap(), "Basic bWU6czNjcmV0");
        let shown = format!("{proxy:?} {:?}", proxy.authorization);
        assert!(!shown.contains("s3cret") && !shown.contains("czNjcmV0"));
        assert!(Proxy::parse("https://127.0.0.1:3128").is_none());
        assert!(Proxy::parse("socks5://127.0.0.1").is_none());
    }
}
