//! The head of a request.
//!
//! The header maps are made once; a request clones one, which copies reference counts and not text. The
//! seed's has the caller's headers and credentials and is taken only for the seed's own origin.

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, HOST, HeaderName, PROXY_AUTHORIZATION, USER_AGENT,
};
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderValue, Request, Uri};
use http_body_util::Empty;
use model::{FailKind, Failure, FetchRules};
use weburl::{CrawlUrl, UrlRef, Userinfo};

use crate::{Asked, FetchSetupError};

/// A request of ours; none has a body.
pub(crate) type Ask = Request<Empty<Bytes>>;

/// How the target is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form<'a> {
    /// HTTP/1 to the origin: the path, and `host`.
    Origin {
        /// The origin's `host`.
        host: &'a HeaderValue,
    },
    /// HTTP/1 to a proxy: the whole URL, and `host`.
    Absolute {
        /// For the proxy itself.
        authorization: Option<&'a HeaderValue>,
    },
    /// HTTP/2: the whole URL, and no `host`.
    H2,
}

/// What every request is made from.
#[derive(Debug)]
pub(crate) struct RequestHead {
    anywhere: HeaderMap,
    /// The caller's headers by themselves.
    own: HeaderMap,
    /// With the caller's headers.
    to_asked: HeaderMap,
    /// With the seed's credentials as well.
    to_seed: HeaderMap,
    seed: Option<CrawlUrl>,
}

impl RequestHead {
    /// From the crawl's rules.
    pub(crate) fn new(rules: &FetchRules) -> Result<Self, FetchSetupError> {
        let agent = HeaderValue::from_bytes(rules.user_agent.as_bytes())
            .map_err(|_| FetchSetupError::UserAgent)?;
        let mut anywhere = HeaderMap::new();
        // Overwritten in every request: the place is there so that a clone need not grow.
        anywhere.insert(HOST, HeaderValue::from_static(""));
        anywhere.insert(USER_AGENT, agent);
        anywhere.insert(
            ACCEPT,
            HeaderValue::from_static("text/html,application/xhtml+xml,*/*;q=0.8"),
        );
        anywhere.insert(
            ACCEPT_ENCODING,
            HeaderValue::from_static("gzip, deflate, br, zstd"),
        );
        let own = own_headers(rules)?;
        let to_asked = joined(&anywhere, own.clone());
        let mut to_seed = own.clone();
        if let Some(userinfo) = &rules.userinfo {
            let bad = || FetchSetupError::Header("authorization".into());
            add_credentials(&mut to_seed, userinfo).ok_or_else(bad)?;
        }
        Ok(Self {
            to_seed: joined(&anywhere, to_seed),
            to_asked,
            anywhere,
            own,
            seed: rules.seed.clone(),
        })
    }

    /// The request for a URL.
    pub(crate) fn ask(
        &self,
        url: UrlRef<'_>,
        asked: Option<&Asked>,
        form: Form<'_>,
    ) -> Result<Ask, Failure> {
        let is_own = self.is_own(url, asked);
        let headers = match asked {
            _ if !is_own => &self.anywhere,
            None => &self.to_seed,
            Some(_) => &self.to_asked,
        };
        let mut ask = Request::new(Empty::new());
        *ask.headers_mut() = headers.clone();
        if is_own && let Some(userinfo) = asked.and_then(|asked| asked.userinfo.as_ref()) {
            add_credentials(ask.headers_mut(), userinfo).ok_or_else(unwritable)?;
        }
        let uri = match form {
            Form::Origin { host } => {
                ask.headers_mut().insert(HOST, host.clone());
                PathAndQuery::try_from(url.path_and_query()).map(Uri::from)
            }
            Form::Absolute { authorization } => {
                ask.headers_mut().insert(HOST, host_value(url)?);
                if let Some(value) = authorization {
                    ask.headers_mut().insert(PROXY_AUTHORIZATION, value.clone());
                }
                Uri::try_from(url.as_str())
            }
            Form::H2 => {
                ask.headers_mut().remove(HOST);
                Uri::try_from(url.as_str())
            }
        };
        *ask.uri_mut() = uri.map_err(|_| unwritable())?;
        Ok(ask)
    }

    /// What of a request for this URL is the caller's and not ours: his headers and credentials, at their own
    /// origin. For somebody who writes his requests himself.
    pub(crate) fn own(&self, url: UrlRef<'_>, asked: Option<&Asked>) -> HeaderMap {
        if !self.is_own(url, asked) {
            return HeaderMap::new();
        }
        let mut own = self.own.clone();
        match asked {
            None => {
                if let Some(value) = self.to_seed.get(AUTHORIZATION)
                    && !own.contains_key(AUTHORIZATION)
                {
                    own.insert(AUTHORIZATION, value.clone());
                }
            }
            Some(asked) => {
                if let Some(userinfo) = &asked.userinfo {
                    // Credentials that cannot be written go nowhere.
                    let _ = add_credentials(&mut own, userinfo);
                }
            }
        }
        own.remove(HOST);
        own
    }

    /// How we introduce ourselves.
    pub(crate) fn agent(&self) -> &str {
        let agent = self.anywhere.get(USER_AGENT);
        let text = agent.and_then(|agent| std::str::from_utf8(agent.as_bytes()).ok());
        text.unwrap_or_default()
    }

    /// Whether the caller's headers belong to this URL's origin.
    fn is_own(&self, url: UrlRef<'_>, asked: Option<&Asked>) -> bool {
        let own = asked.map(|asked| &asked.url).or(self.seed.as_ref());
        own.is_some_and(|own| own.parts().origin_text() == url.origin_text())
    }
}

/// The caller's headers.
fn own_headers(rules: &FetchRules) -> Result<HeaderMap, FetchSetupError> {
    let mut own = HeaderMap::new();
    for (name, value) in &rules.headers {
        let bad = || FetchSetupError::Header(name.clone());
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| bad())?;
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        own.append(name, value);
    }
    Ok(own)
}

/// A caller's header takes the place of ours; two of the same name are both sent.
fn joined(anywhere: &HeaderMap, own: HeaderMap) -> HeaderMap {
    let mut all = anywhere.clone();
    all.extend(own);
    all
}

/// Credentials, unless there are some already; `None` when they cannot be written.
fn add_credentials(headers: &mut HeaderMap, userinfo: &Userinfo) -> Option<()> {
    if !headers.contains_key(AUTHORIZATION) {
        headers.insert(AUTHORIZATION, basic(userinfo)?);
    }
    Some(())
}

/// `host`, and what a lane keeps of it.
pub(crate) fn host_value(url: UrlRef<'_>) -> Result<HeaderValue, Failure> {
    HeaderValue::from_str(url.authority()).map_err(|_| unwritable())
}

fn unwritable() -> Failure {
    Failure::new(FailKind::Protocol, "the url cannot be written as a request")
}

/// Basic credentials, marked so that they are never shown.
pub(crate) fn basic(userinfo: &Userinfo) -> Option<HeaderValue> {
    let pair = format!("{}:{}", userinfo.user, userinfo.password);
    let mut value = HeaderValue::try_from(format!("Basic {}", base64(pair.as_bytes()))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |index: usize| usize::from(three.get(index).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            if place > three.len() {
                text.push('=');
            } else {
                text.push(char::from(ALPHABET[bits >> (18 - 6 * place) & 63]));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_the_standard_has_it() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
            ("Aladdin:open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("\u{fb}\u{ff}", "w7vDvw=="),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded, "{plain:?}");
        }
    }
}
