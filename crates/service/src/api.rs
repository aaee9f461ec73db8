//! The HTTP API: JSON in, JSON out, problems as `application/problem+json`.
//!
//! A request walks one way: request id, clock and panic catcher (`watch`), key (`keys`), then its handler. Handlers
//! read the request into one of the types of `requests`, speak to the store in its own verbs, and write one of the
//! types of `answers`. They keep no state of their own; what outlives a request is in [`App`].

mod answers;
mod app;
mod content;
mod create;
mod docs_page;
mod events;
mod export;
mod health;
mod job_path;
mod jobs;
mod json_body;
mod keys;
mod lists;
mod moment;
mod numbers;
mod openapi;
mod paging;
mod patient_stream;
mod polite_fetch;
mod posture;
mod problem;
mod query;
mod readiness;
mod requests;
mod routes;
mod schemas;
mod scrape;
mod serve;
mod watch;
mod whole;

pub(crate) use app::scrape_plan;
pub use app::{App, SetupError, guard};
pub use moment::rfc3339;
pub use numbers::{METRICS, keep_worker_numbers};
pub use openapi::openapi_json;
pub use posture::check_posture;
pub use routes::router;
pub use serve::{serve, serve_numbers};
