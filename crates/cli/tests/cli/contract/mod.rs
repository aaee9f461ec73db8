//! The contract of the command line: one module per table of the contract, one test per row.
//!
//! Times are only checked as lower bounds.
#![expect(
    clippy::format_collect,
    reason = "pages of links are more readable this way, and speed does not matter here"
)]

mod commands;
mod dedupe;
mod deploy;
mod depth;
mod dialects;
mod formats;
mod keys;
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
mod watching;
