//! The service as processes, with a real Postgres and real signals. A killed process loses and duplicates nothing, a suspended
//! one cannot write any more, a terminated one returns its tasks to the queue, and all of them wait while the database is
//! unavailable or a disk is full. Several callers get fair shares, and see nothing of each other.
//!
//! `cargo xtask chaos` runs more rounds; `fairness` and `tenants` run the tests that are named so. Every wait is for a condition, with a deadline.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod audit;
mod client;
mod cluster;
mod database_tls;
mod deployment;
#[path = "../../../service/tests/api/described_endpoints.rs"]
mod described_endpoints;
mod drain;
mod fair_shares;
mod forwarder;
mod half_open;
#[path = "../harness/mod.rs"]
mod harness;
mod keyed_service;
mod metrics_address;
mod outage;
mod poison;
mod politeness;
mod process;
mod process_tree;
mod rounds;
mod rounds_full_disk;
mod rounds_postgres;
mod rounds_render;
mod rounds_sqlite;
mod site;
mod stopped;
mod takeover;
mod tenants;
mod write_audit;
