//! The service as processes: the built binary, a real Postgres, real signals. What is killed loses nothing and doubles
//! nothing, what is stopped comes too late, what is asked to go hands back, and what is away is waited for.
//!
//! `cargo xtask chaos` runs more rounds of the same. Nothing here sleeps for a result: every wait is for a condition,
//! with a deadline.
#![expect(
    clippy::unwrap_used,
    reason = "a play that cannot be set up should stop the test where it stands"
)]

mod audit;
mod chance;
mod client;
mod cluster;
mod drain;
mod forwarder;
mod half_open;
mod outage;
mod poison;
mod politeness;
mod process;
mod rounds;
mod rounds_postgres;
mod rounds_sqlite;
mod site;
mod stopped;
