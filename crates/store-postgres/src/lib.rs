//! The store on Postgres: any number of processes, on any number of machines, share it.
//!
//! One verb per file, each its own checked SQL. Locks are taken in one order, which is why nothing here waits in a
//! circle: a job's row, then its tasks, then hosts. A claim goes the other way and therefore never waits at all
//! (`SKIP LOCKED` throughout). Settling holds its jobs' rows from the start, so what a job's row counts is exact.

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
mod postgres_store;
mod prune;
mod reconcile;
mod rescue;
mod robots;
mod settle;
mod statistics;
mod text;
mod turns;

pub use open::PostgresOptions;
pub use postgres_store::PostgresStore;
