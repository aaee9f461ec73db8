//! The contract of the command line, kept by driving the built binary against sites of our own.
//!
//! A module is a table of the contract, a test one of its rows. What is measured is what a person or a
//! site would see: stdout, stderr, the exit code, files, and the requests that arrived. Time is only
//! ever bounded from below; nothing sleeps, and every run has a deadline.
#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be set up should stop the test where it stands"
)]
#![expect(
    clippy::format_collect,
    reason = "pages of links read better so, and nobody waits for them"
)]

mod commands;
mod dedupe;
mod depth;
mod dialects;
mod formats;
mod limits;
mod links;
mod map;
mod max_pages;
mod output_file;
mod politeness;
mod profiles;
mod requests;
mod run;
mod scope;
mod scrape;
mod seed;
mod serve;
mod sitemaps;
mod traps;
