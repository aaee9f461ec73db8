//! Journaled crawls: a crawl that was interrupted in any way resumes as if it had not been.
//!
//! `MemoryFrontier` is a pure state machine, so its inputs determine the crawl: [`JournaledFrontier`] records them
//! and, when they are replayed, reaches the same state and makes the same deliveries. Nothing is written per URL,
//! and nothing about the crawl is decided here. [`StateFile`] stores them together with the length of each output,
//! in one transaction, so outputs and journal always agree.
//!
//! This crate has neither sinks nor sockets. A state file may be damaged and is not trusted.

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
