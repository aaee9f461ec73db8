//! The API over real sockets: every endpoint, and every error.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod access;
mod client;
mod creations;
mod described;
mod described_endpoints;
mod guard;
mod hostile;
mod idempotency;
mod inner_jobs;
mod jobs;
mod live;
mod politeness;
mod quotas;
mod requests;
mod results;
mod scrape;
mod service;
mod site;
mod slow;
mod spellings;
mod store_calls;
mod streams;
mod tabs;
mod tenants;
