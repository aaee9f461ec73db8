//! `--state FILE`: crawls that are interrupted in every possible way and resumed. Their requests and output are compared with
//! those of an uninterrupted crawl.
//!
//! `RESUME_ROUNDS=200` runs more random rounds.

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
