//! Builds requests.
//!
//! The header maps are created once; a request clones one of them, which copies reference counts and no text. The maps
//! with the caller's headers and credentials are used only for the origin they were given for.

use bytes::Bytes;
use crawler_model::{FailKind, Failure, FetchRules};
use crawler_weburl::{CrawlUrl, UrlRef, Userinfo};
use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, HOST, HeaderName, PROXY_AUTHORIZATION, USER_AGENT,
};
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderValue, Request, Uri};
use http_body_util::Empty;

use crate::{FetchSetupError, RequestedUrl};

/// A request without a body.
pub(crate) type HttpRequest = Request<Empty<Bytes>>;

/// The form of the request target.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TargetForm<'a> {
    /// HTTP/1 to the origin: the path, and a `Host` header.
    Origin {
        /// The `Host` header.
        host: &'a HeaderValue,
    },
    /// HTTP/1 to a proxy: the full URL, and a `Host` header.
    Absolute {
        /// `Proxy-Authorization` header.
        authorization: Option<&'a HeaderValue>,
    },
    /// HTTP/2: the full URL, and no `Host` header.
    H2,
}

/// Prepared headers for all requests of a fetcher.
#[derive(Debug)]
pub(crate) struct RequestBuilder {
    default_headers: HeaderMap,
    /// The caller's headers alone.
    caller_headers: HeaderMap,
    /// Default headers and the caller's.
    requested_headers: HeaderMap,
    /// Default headers, the caller's and the seed's credentials.
    seed_headers: HeaderMap,
    seed: Option<CrawlUrl>,
}

impl RequestBuilder {
    /// Creates a builder from the rules of a crawl.
    pub(crate) fn new(rules: &FetchRules) -> Result<Self, FetchSetupError> {
        let agent = HeaderValue::from_bytes(rules.user_agent.as_bytes())
            .map_err(|_| FetchSetupError::UserAgent)?;
        let mut default_headers = HeaderMap::new();
        // Overwritten in every request; reserved here so that the clone does not have to grow.
        default_headers.insert(HOST, HeaderValue::from_static(""));
        default_headers.insert(USER_AGENT, agent);
        default_headers.insert(
            ACCEPT,
            HeaderValue::from_static("text/html,application/xhtml+xml,*/*;q=0.8"),
        );
        default_headers.insert(
            ACCEPT_ENCODING,
            HeaderValue::from_static("gzip, deflate, br, zstd"),
        );
        let caller_headers = parse_caller_headers(rules)?;
        let requested_headers = merged(&default_headers, caller_headers.clone());
        let mut seed_headers = caller_headers.clone();
        if let Some(userinfo) = &rules.userinfo {
            let invalid = || FetchSetupError::Header("authorization".into());
            add_credentials(&mut seed_headers, userinfo).ok_or_else(invalid)?;
        }
        Ok(Self {
            seed_headers: merged(&default_headers, seed_headers),
            requested_headers,
            default_headers,
            caller_headers,
            seed: rules.seed.clone(),
        })
    }

    /// Builds the request for a URL.
    pub(crate) fn build(
        &self,
        url: UrlRef<'_>,
        requested: Option<&RequestedUrl>,
        form: TargetForm<'_>,
    ) -> Result<HttpRequest, Failure> {
        let is_caller_origin = self.is_caller_origin(url, requested);
        let headers = match requested {
            _ if !is_caller_origin => &self.default_headers,
            None => &self.seed_headers,
            Some(_) => &self.requested_headers,
        };
        let mut request = Request::new(Empty::new());
        *request.headers_mut() = headers.clone();
        if is_caller_origin
            && let Some(userinfo) = requested.and_then(|requested| requested.userinfo.as_ref())
        {
            add_credentials(request.headers_mut(), userinfo).ok_or_else(unwritable)?;
        }
        let uri = match form {
            TargetForm::Origin { host } => {
                request.headers_mut().insert(HOST, host.clone());
                PathAndQuery::try_from(url.path_and_query()).map(Uri::from)
            }
            TargetForm::Absolute { authorization } => {
                request.headers_mut().insert(HOST, host_value(url)?);
                if let Some(value) = authorization {
                    request
                        .headers_mut()
                        .insert(PROXY_AUTHORIZATION, value.clone());
                }
                Uri::try_from(url.as_str())
            }
            TargetForm::H2 => {
                request.headers_mut().remove(HOST);
                Uri::try_from(url.as_str())
            }
        };
        *request.uri_mut() = uri.map_err(|_| unwritable())?;
        Ok(request)
    }

    /// Returns the caller's headers and credentials for this URL, if they belong to its origin. For clients that write
    /// their own requests.
    pub(crate) fn caller_headers(
        &self,
        url: UrlRef<'_>,
        requested: Option<&RequestedUrl>,
    ) -> HeaderMap {
        if !self.is_caller_origin(url, requested) {
            return HeaderMap::new();
        }
        let mut headers = self.caller_headers.clone();
        match requested {
            None => {
                if let Some(value) = self.seed_headers.get(AUTHORIZATION)
                    && !headers.contains_key(AUTHORIZATION)
                {
                    headers.insert(AUTHORIZATION, value.clone());
                }
            }
            Some(requested) => {
                if let Some(userinfo) = &requested.userinfo {
                    // Credentials that cannot be written are not sent.
                    let _ = add_credentials(&mut headers, userinfo);
                }
            }
        }
        headers.remove(HOST);
        headers
    }

    /// Returns the `User-Agent` header.
    pub(crate) fn user_agent(&self) -> &str {
        let agent = self.default_headers.get(USER_AGENT);
        let text = agent.and_then(|agent| std::str::from_utf8(agent.as_bytes()).ok());
        text.unwrap_or_default()
    }

    /// Whether the caller's headers were given for the origin of this URL.
    fn is_caller_origin(&self, url: UrlRef<'_>, requested: Option<&RequestedUrl>) -> bool {
        let caller_url = requested
            .map(|requested| &requested.url)
            .or(self.seed.as_ref());
        caller_url.is_some_and(|caller_url| caller_url.parts().origin_text() == url.origin_text())
    }
}

/// Parses the caller's headers.
fn parse_caller_headers(rules: &FetchRules) -> Result<HeaderMap, FetchSetupError> {
    let mut headers = HeaderMap::new();
    for (name, value) in &rules.headers {
        let invalid = || FetchSetupError::Header(name.clone());
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| invalid())?;
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
        headers.append(name, value);
    }
    Ok(headers)
}

/// Adds the caller's headers, which replace default headers of the same name. Repeated headers are all sent.
fn merged(default_headers: &HeaderMap, caller_headers: HeaderMap) -> HeaderMap {
    let mut all = default_headers.clone();
    all.extend(caller_headers);
    all
}

/// Adds credentials, unless there is an `Authorization` header; `None` if they are not a valid header.
fn add_credentials(headers: &mut HeaderMap, userinfo: &Userinfo) -> Option<()> {
    if !headers.contains_key(AUTHORIZATION) {
        headers.insert(AUTHORIZATION, basic(userinfo)?);
    }
    Some(())
}

/// Returns the `Host` header of a URL.
pub(crate) fn host_value(url: UrlRef<'_>) -> Result<HeaderValue, Failure> {
    HeaderValue::from_str(url.authority()).map_err(|_| unwritable())
}

fn unwritable() -> Failure {
    Failure::new(FailKind::Protocol, "the URL cannot be sent in a request")
}

/// Returns a Basic credentials header, marked sensitive.
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
        for index in 0..4 {
            if index > three.len() {
                text.push('=');
            } else {
                text.push(char::from(ALPHABET[bits >> (18 - 6 * index) & 63]));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_matches_the_standard() {
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
