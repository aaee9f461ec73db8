//! The store in one SQLite file: nothing to install. One process owns it.
//!
//! WAL, one connection that writes and a few that read. Every writing call is one `BEGIN IMMEDIATE` transaction on the one
//! writer, so calls are serialized and need no other locks. Times come from the database's clock, read once at the start
//! of a transaction. One role per file, as on Postgres; the rules of a job are in [`crawler_store::backend`].

mod api_keys;
mod claim;
mod disk_space;
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
mod refused_urls;
mod rescue;
mod results;
mod robots_records;
mod sqlite_store;
mod sqlite_transaction;
mod suspects;
mod upkeep;
mod usage;

pub use open::SqliteOptions;
pub use sqlite_store::SqliteStore;
