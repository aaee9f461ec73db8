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
//! [`Fetch`] is all the engine knows: one URL in, one [`Fetched`] or one [`crawler_model::Failure`] out. Redirects are
//! not followed, and a request is not retried, except once on a pooled connection that had gone stale: redirects and
//! retries belong to the frontier.
//!
//! [`HttpFetch`] runs hyper connections on a dialer and a connection pool of its own. Every connection is opened by that
//! one dialer, which checks each address with [`Guard`] before it connects. [`Egress`] gives other HTTP clients, such as a
//! browser, the same dialer. [`FakeFetch`] answers from a table, for tests.
//!
//! Deadlines, size caps and content decoding belong here; HTML, robots.txt and retries do not.

mod allowed_target;
mod body_buffer;
mod body_reader;
mod coding;
mod content_type;
mod decoder;
mod dialer;
mod egress;
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
mod pool;
mod proxy;
mod request_builder;
mod request_timer;
mod resolver;
mod retry_after;
mod setup_error;
mod special_ranges;
mod tls;
mod transport_stream;
mod tunnel;

pub mod fake;
#[doc(hidden)]
pub mod probe;

pub use allowed_target::AllowedTarget;
pub use content_type::ContentKind;
pub use egress::{Egress, PlainConnection};
pub use fake::FakeFetch;
pub use fetch::{Accept, Fetch, FetchRequest, RequestedUrl};
pub use fetched::{Body, Fetched};
pub use guard::Guard;
pub use http_fetch::HttpFetch;
#[doc(hidden)]
pub use resolver::LookupFn;
pub use retry_after::retry_after;
pub use setup_error::FetchSetupError;
