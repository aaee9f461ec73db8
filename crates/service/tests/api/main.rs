//! The API over real sockets: each row of its table, and each way to get it wrong.
#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be set up should stop the test where it stands"
)]

mod access;
mod client;
mod described;
mod guard;
mod inner_jobs;
mod jobs;
mod lists;
mod live;
mod politeness;
mod requests;
mod scrape;
mod site;
mod slow;
mod stage;
