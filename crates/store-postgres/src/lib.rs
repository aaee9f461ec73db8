//! The store on Postgres: any number of processes, on any number of machines, share it.
//!
//! One role per file, each with its own checked SQL; the rules of a job are in [`crawler_store::backend`]. Locks are taken in
//! one order, which rules out deadlocks: a job's row, then its tasks, then lanes, then hosts. A claim takes them in the other order and
//! therefore never waits (`SKIP LOCKED` throughout). Settling holds its jobs' rows from the start, so a job's counters
//! are exact.

mod api_keys;
mod claim;
mod fault;
mod host_turns;
mod inserts;
mod job_creation;
mod job_queue;
mod jobs;
mod lanes;
mod left_out;
mod open;
mod open_jobs;
mod postgres_store;
mod postgres_transaction;
mod refused_urls;
mod rescue;
mod results;
mod robots_records;
mod suspects;
mod text;
mod upkeep;
mod usage;

pub use open::PostgresOptions;
pub use postgres_store::PostgresStore;
