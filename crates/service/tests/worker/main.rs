//! Workers on a real store in a file, with real sockets and sites: jobs reach their ends, each page once.

#![expect(clippy::unwrap_used, reason = "a test's own helpers may stop it")]

mod both_frontiers;
mod crashes;
mod jobs;
mod leases;
mod politeness;
mod postgres;
mod process;
mod settings;
mod stage;
