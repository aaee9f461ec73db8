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
        Ok(Self {
            to_asked: with_own(&anywhere, rules, None)?,
            to_seed: with_own(&anywhere, rules, rules.userinfo.as_ref())?,
            anywhere,
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
        let own = asked.map(|asked| &asked.url).or(self.seed.as_ref());
        let is_own = own.is_some_and(|own| own.parts().origin_text() == url.origin_text());
        let headers = match asked {
            _ if !is_own => &self.anywhere,
            None => &self.to_seed,
            Some(_) => &self.to_asked,
        };
        let mut ask = Request::new(Empty::new());
        *ask.headers_mut() = headers.clone();
        if is_own
            && let Some(userinfo) = asked.and_then(|asked| asked.userinfo.as_ref())
            && !self.to_asked.contains_key(AUTHORIZATION)
        {
            let value = basic(userinfo).ok_or_else(unwritable)?;
            ask.headers_mut().insert(AUTHORIZATION, value);
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
}

/// With the caller's headers and, unless they have some, these credentials.
fn with_own(
    anywhere: &HeaderMap,
    rules: &FetchRules,
    userinfo: Option<&Userinfo>,
) -> Result<HeaderMap, FetchSetupError> {
    let mut own = HeaderMap::new();
    for (name, value) in &rules.headers {
        let bad = || FetchSetupError::Header(name.clone());
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| bad())?;
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        own.append(name, value);
    }
    if let Some(userinfo) = userinfo
        && !own.contains_key(AUTHORIZATION)
    {
        let value =
            basic(userinfo).ok_or_else(|| FetchSetupError::Header("authorization".into()))?;
        own.insert(AUTHORIZATION, value);
    }
    // A caller's header takes the place of ours; two of the same name are both sent.
    let mut all = anywhere.clone();
    all.extend(own);
    Ok(all)
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
