//! URLs as the crawler reads them.
//!
//! One room for every question about a URL's text: its normal form ([`CrawlUrl`]), its identity
//! ([`UrlKey`]), who is asked for it ([`HostKey`], [`Origin`]), what a raw `href` means on a page
//! ([`Resolver`]), and whether it belongs to the crawl ([`Scope`]).
//!
//! Pure: no clock, no network. Parsing is the WHATWG algorithm of the `url` crate; the fast path in
//! [`Resolver`] only ever answers where it provably says the same, and property tests compare the two.

mod crawl_url;
mod host_key;
mod resolver;
mod scope;
mod simple_href;
mod url_error;
mod url_key;
mod url_ref;
mod userinfo;

pub use crawl_url::CrawlUrl;
pub use host_key::{HostKey, Origin};
pub use resolver::{Resolved, Resolver};
pub use scope::{Scope, ScopeKind, Verdict};
pub use url_error::UrlError;
pub use url_key::{KeyPolicy, QueryPolicy, SlashPolicy, UrlKey};
pub use url_ref::UrlRef;
pub use userinfo::Userinfo;
