//! The *fetch a page* seam, and its HTTP implementation.
//!
//! [`Fetch`] is all the engine knows: one URL in, one [`Fetched`] or one [`model::Failure`] out. Redirects
//! are not followed and nothing is retried that may have reached the server twice, but for the one free
//! retry a stale pooled connection earns: both belong to the frontier.
//!
//! [`HttpFetch`] is hyper's connections under a dialer and a pool of our own. Every outgoing byte leaves
//! through that one dialer, which asks [`Guard`] about each address before it connects. Deadlines, caps
//! and decoding live here; HTML, robots.txt and retries do not.

mod alarm;
mod allowed;
mod body_intake;
mod coding;
mod content_type;
mod decoder;
mod dialer;
mod egress;
mod exchange;
mod fault;
mod fetched;
mod guard;
mod h1;
mod h2;
mod http_fetch;
mod lane;
mod link;
mod pool;
mod proxy;
mod reading;
mod request_head;
mod resolver;
mod retry_after;
mod seam;
mod setup_error;
mod special_ranges;
mod tls;
mod tunnel;
mod wire;

pub mod fake;
#[doc(hidden)]
pub mod probe;

pub use allowed::Allowed;
pub use content_type::Kind as ContentKind;
pub use egress::{Egress, Road};
pub use fake::FakeFetch;
pub use fetched::{Body, Fetched};
pub use guard::Guard;
pub use http_fetch::HttpFetch;
#[doc(hidden)]
pub use resolver::LookUp;
pub use retry_after::retry_after;
pub use seam::{Asked, Fetch, FetchRequest, Want};
pub use setup_error::FetchSetupError;
