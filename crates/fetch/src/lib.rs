//! Fetching one URL: the [`Fetch`] trait and its HTTP implementation, [`HttpFetch`].
//!
//! ```no_run
//! use crawler_fetch::{Accept, Fetch, FetchRequest, Guard, HttpFetch};
//! use crawler_model::{Failure, FetchRules};
//! use crawler_weburl::CrawlUrl;
//!
//! async fn status(rules: &FetchRules, url: &CrawlUrl) -> Result<u16, Failure> {
//!     let looks_like_html = |bytes: &[u8]| bytes.starts_with(b"<");
//!     let http = HttpFetch::new(rules, 8, Guard::public_only(), looks_like_html)
//!         .expect("valid fetch rules");
//!     let fetched = http.fetch(FetchRequest::new(url, Accept::Page)).await?;
//!     Ok(fetched.status)
//! }
//! ```
//!
//! The engine depends only on [`Fetch`], which takes one URL and returns a [`Fetched`] or a [`crawler_model::Failure`].
//! The frontier handles redirects and retries: a fetcher follows no redirects and resends a request only if the server
//! did not process it, or once if a pooled connection was stale.
//!
//! [`HttpFetch`] uses hyper with its own dialer and connection pool. The dialer opens every connection and checks each
//! address with [`Guard`] before it connects. [`Egress`] provides the same dialer to other HTTP clients, such as a browser.
//! [`FakeFetch`] returns responses from a table, for tests.
//!
//! This crate handles deadlines, size limits and content decoding, but not HTML or robots.txt.

mod blocked_ports;
mod body_buffer;
mod body_reader;
mod coding;
mod content_type;
mod decoder;
mod dialer;
mod dns;
mod egress;
mod egress_target;
mod errors;
mod exchange;
mod fetch;
mod fetched;
mod guard;
mod h1;
mod h2;
mod http_connection;
mod http_fetch;
mod origin_pool;
mod own_addresses;
mod pool;
mod proxy;
mod request_builder;
mod request_timer;
mod resolver;
mod retry_after;
mod setup_error;
mod special_ranges;
mod tab_meter;
mod tls;
mod transport_stream;
mod tunnel;

pub mod fake;
#[doc(hidden)]
pub mod probe;

pub use content_type::ContentKind;
pub use egress::{Egress, PlainConnection};
pub use egress_target::EgressTarget;
pub use fake::FakeFetch;
pub use fetch::{Accept, Fetch, FetchRequest, RequestedUrl};
pub use fetched::{Body, Fetched};
pub use guard::Guard;
pub use http_fetch::HttpFetch;
#[doc(hidden)]
pub use resolver::LookupFn;
pub use resolver::NameResolution;
pub use retry_after::retry_after;
pub use setup_error::FetchSetupError;
pub use tab_meter::TabMeter;
