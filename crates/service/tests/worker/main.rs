//! Workers with a real store, real sockets and real sites: jobs finish, and each page is stored once.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod both_frontiers;
#[path = "../api/client.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod client;
mod crashes;
mod hostile_jobs;
mod jobs;
mod leases;
mod places;
mod politeness;
mod postgres;
mod process;
mod recorded_log;
mod scrape_robots;
mod settings;
mod shares;
mod site_file_pauses;
mod status_rules;
mod test_store;
mod traps;
