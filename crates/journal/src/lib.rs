//! A crawl that can be stopped in any way and resumes as if it had not been.
//!
//! `MemoryFrontier` is a pure state machine, so its inputs in order are the crawl: [`JournaledFrontier`] records them
//! as they come and, given them again, becomes the same frontier and makes the same deliveries. Nothing is written per URL,
//! and nothing about the crawl is decided here. [`StateFile`] stores them together with the length of each output,
//! in one transaction, so outputs and journal always agree.
//!
//! This crate knows neither sinks nor sockets. What is read from a file may be damaged, and is never trusted.

mod codec;
mod journaled_frontier;
mod outstanding;
mod replay;
mod settings;
mod state_error;
mod state_file;

pub use journaled_frontier::JournaledFrontier;
pub use replay::ReplayError;
pub use settings::{RecordedSetting, differences};
pub use state_error::{StateError, StateProblem};
pub use state_file::{SavedCrawl, StateFile, StateHeader};
