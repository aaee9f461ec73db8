//! The store in one SQLite file: nothing to install. One process owns it.
//!
//! WAL, one connection that writes and a few that read. Every writing verb is one `BEGIN IMMEDIATE` transaction on the
//! one writer, so verbs follow each other and no lock of ours is needed. Times come from the database's clock, read
//! once at a transaction's begin. One verb per file, as on Postgres; the rules are the same.

mod admit;
mod cancel;
mod claim;
mod create_job;
mod fault;
mod hosts;
mod job_row;
mod keys;
mod listing;
mod numbers;
mod open;
mod prune;
mod reconcile;
mod rescue;
mod robots;
mod settle;
mod sqlite_store;
mod statistics;
mod turns;
mod writer;

pub use open::SqliteOptions;
pub use sqlite_store::SqliteStore;
