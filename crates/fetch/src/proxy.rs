//! A forward proxy.

use std::fmt;

use http::HeaderValue;
use model::{FailKind, Failure};
use weburl::{CrawlUrl, Userinfo};

use crate::request_head::basic;

/// One proxy; `Debug` shows where it is, not how it is entered.
pub(crate) struct Proxy {
    /// Where it is.
    pub(crate) url: CrawlUrl,
    /// `Proxy-Authorization`.
    pub(crate) authorization: Option<HeaderValue>,
}

impl Proxy {
    /// From `http://[user:password@]host:port`.
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

    /// What kept us from it, so that nobody takes it for the site's. That its address is refused is said as of any other.
    pub(crate) fn failure(&self, failure: Failure) -> Failure {
        if failure.kind == FailKind::AddressRefused {
            return failure;
        }
        let at = self.url.parts();
        let (host, port, words) = (at.host(), at.port(), failure.words);
        let words = format!("the proxy {host}:{port} cannot be reached: {words}");
        Failure::new(failure.kind, words)
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
    fn credentials_are_lifted_out_and_never_shown() {
        let proxy = Proxy::parse("http://me:s3cret@127.0.0.1:3128").unwrap();
        assert_eq!(proxy.url.as_str(), "http://127.0.0.1:3128/");
        assert_eq!(proxy.authorization.as_ref().unwrap(), "Basic bWU6czNjcmV0");
        let shown = format!("{proxy:?} {:?}", proxy.authorization);
        assert!(!shown.contains("s3cret") && !shown.contains("czNjcmV0"));
        assert!(Proxy::parse("https://127.0.0.1:3128").is_none());
        assert!(Proxy::parse("socks5://127.0.0.1").is_none());
    }
}
