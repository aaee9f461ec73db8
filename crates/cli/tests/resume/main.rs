//! `--state FILE`: a crawl is ended in every way there is, and gone on with. The server's log and the output of a crawl that
//! nobody ended are the oracles.
//!
//! `RESUME_ROUNDS=200` makes more of the random rounds.
#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be set up should stop the test where it stands"
)]

mod cost;
mod disk;
mod files;
mod finished;
mod kills;
mod limits;
mod records;
mod refused;
mod run;
mod signals;
