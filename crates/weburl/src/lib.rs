//! Everything about the text of a URL: its normal form ([`CrawlUrl`]), its identity for dedupe ([`UrlKey`]), its host and
//! origin ([`HostKey`], [`Origin`]), the resolution of an `href` ([`Resolver`]), and whether it is in scope ([`Scope`]).
//!
//! Pure: no clock, no network. Parsing is the WHATWG algorithm of the `url` crate; the fast path in
//! [`Resolver`] gives the same results, which property tests compare.

mod crawl_url;
mod host_key;
mod pattern_syntax;
mod resolver;
mod scope;
mod simple_href;
mod url_error;
mod url_key;
mod url_patterns;
mod url_ref;
mod userinfo;

pub use crawl_url::CrawlUrl;
pub use host_key::{HostKey, Origin};
pub use resolver::{Resolved, Resolver};
pub use scope::{Scope, ScopeKind, ScopeVerdict};
pub use url_error::UrlError;
pub use url_key::{KeyPolicy, QueryPolicy, SlashPolicy, UrlKey};
pub use url_patterns::{PatternError, PatternLimits, UrlPatterns};
pub use url_ref::UrlRef;
pub use userinfo::Userinfo;
