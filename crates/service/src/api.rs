//! The HTTP API: JSON requests and responses, errors as `application/problem+json`.
//!
//! Every request passes through `request_middleware` (request id, timeout, panics, metrics, log), `auth` (API keys) and
//! its handler. A handler parses the request into a type of `requests`, calls the store, and returns a type of
//! `responses`. Handlers have no state of their own; what outlives a request is in [`App`].

mod app;
mod auth;
mod bounded_fetch;
mod client_address;
mod content;
mod create;
mod docs_page;
mod event_feed;
mod events;
mod export;
mod exposure;
mod health;
mod idempotency;
mod job_body;
mod job_path;
mod jobs;
mod json_body;
mod key_checks;
mod key_throttle;
mod metrics;
mod moment;
mod named_owner;
mod openapi;
mod origin;
mod owner_limits;
mod paging;
mod problem;
mod query;
mod recorder;
mod request_middleware;
mod request_work;
mod requests;
mod responses;
mod results;
mod routes;
mod schemas;
mod scrape;
mod scrape_turn;
mod serve;
mod store_host_gate;
mod timeout_stream;
mod usage;
mod usage_meter;
mod whole_number;

pub(crate) use app::scrape_plan;
pub use app::{App, SetupError, guard};
pub use exposure::{Exposure, check_exposure};
pub use metrics::{METRICS, record_worker_metrics};
pub use moment::rfc3339;
pub use openapi::openapi_json;
pub use routes::router;
pub use serve::{serve, serve_metrics, serve_while_opening};
