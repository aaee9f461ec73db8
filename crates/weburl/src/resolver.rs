//! Resolves an `href` on a page.
//!
//! Writes the normal form directly into the page's link buffer. Simple references take the fast path in `simple_href`;
//! everything else goes through the `url` crate, which the fast path is tested against.

use std::borrow::Cow;
use std::cell::OnceCell;

use url::Url;

use crate::crawl_url::strip_private_parts;
use crate::simple_href::{self, SimpleBase};
use crate::{CrawlUrl, UrlRef};

/// Encodes a query in the page's own charset, as browsers do.
type QueryEncoding<'a> = &'a dyn Fn(&str) -> Cow<'_, [u8]>;

/// A resolved `href`. Its text is at the end of the buffer that was passed in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resolved<'t> {
    /// An `http` or `https` URL, without its fragment.
    Web(UrlRef<'t>),
    /// A URL of another scheme (`mailto:`, `tel:`, `javascript:` …).
    Other,
    /// Not a valid URL; nothing was written.
    Invalid,
}

/// Resolves the references of one page.
pub struct Resolver<'a> {
    page: CrawlUrl,
    /// The page's URL or that of its `base`; parsed only if a reference needs it.
    base: OnceCell<Url>,
    simple: Option<SimpleBase>,
    query_encoding: Option<QueryEncoding<'a>>,
}

impl<'a> Resolver<'a> {
    /// A resolver for references on `page`.
    pub fn new(page: &CrawlUrl) -> Self {
        Self {
            page: page.clone(),
            base: OnceCell::new(),
            simple: Some(SimpleBase::new(page.clone())),
            query_encoding: None,
        }
    }

    fn base(&self) -> &Url {
        #[expect(clippy::expect_used, reason = "the normal form is a parser's output")]
        self.base
            .get_or_init(|| Url::parse(self.page.as_str()).expect("a crawl url parses"))
    }

    /// Percent-encodes queries in this charset; for pages that are not UTF-8.
    #[must_use]
    pub fn with_query_encoding(mut self, encoding: QueryEncoding<'a>) -> Self {
        self.query_encoding = Some(encoding);
        self
    }

    /// Sets the `base href`. Returns false and changes nothing if it is not a valid base: not a URL, or a `data:` or
    /// `javascript:` URL.
    pub fn set_base(&mut self, href: &str) -> bool {
        let Ok(base) = self.parse(href) else {
            return false;
        };
        if matches!(base.scheme(), "data" | "javascript") || base.cannot_be_a_base() {
            return false;
        }
        let mut plain = base.clone();
        strip_private_parts(&mut plain);
        self.simple = CrawlUrl::from_normalized(plain.as_str()).map(SimpleBase::new);
        self.base = OnceCell::from(base);
        true
    }

    /// Appends the absolute, normalized form of `href` to `out`.
    pub fn resolve<'t>(&self, href: &str, out: &'t mut String) -> Resolved<'t> {
        let start = out.len();
        let simple = self.simple.as_ref();
        if let Some(shape) = simple.and_then(|simple| simple.resolve(href, out)) {
            return Resolved::Web(UrlRef::shaped(&out[start..], shape));
        }
        out.truncate(start);
        if let Some(opaque) = simple_href::opaque(href) {
            out.push_str(opaque);
            return Resolved::Other;
        }
        self.resolve_by_parser(href, out)
    }

    #[cold]
    fn resolve_by_parser<'t>(&self, href: &str, out: &'t mut String) -> Resolved<'t> {
        let Ok(mut url) = self.parse(href) else {
            return Resolved::Invalid;
        };
        if !matches!(url.scheme(), "http" | "https") {
            out.push_str(url.as_str());
            return Resolved::Other;
        }
        let fragment_len = url.fragment().map_or(0, |fragment| fragment.len() + 1);
        // Userinfo is removed; the fragment is kept for printing.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let page_len = url.as_str().len() - fragment_len;
        if UrlRef::split(&url.as_str()[..page_len]).is_none() {
            return Resolved::Invalid;
        }
        let start = out.len();
        out.push_str(url.as_str());
        UrlRef::split(&out[start..start + page_len]).map_or(Resolved::Invalid, Resolved::Web)
    }

    fn parse(&self, href: &str) -> Result<Url, url::ParseError> {
        let parse = |href: &str| {
            Url::options()
                .base_url(Some(self.base()))
                .encoding_override(self.query_encoding.map(|encode| encode as _))
                .parse(href)
        };
        match parse(href) {
            // `///example.org/`: the standard skips surplus slashes before a host, the crate does not.
            // Only if the reference starts with them: `http://` has no host after them.
            Err(url::ParseError::EmptyHost)
                if href
                    .trim_start_matches(|c: char| c <= ' ')
                    .starts_with(['/', '\\']) =>
            {
                let rest = href.trim_start_matches(|c: char| c <= ' ' || c == '/' || c == '\\');
                parse(&format!("//{rest}"))
            }
            other => other,
        }
    }
}

impl std::fmt::Debug for Resolver<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resolver")
            .field("base", &self.base().as_str())
            .finish_non_exhaustive()
    }
}
