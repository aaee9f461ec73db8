//! A crawl that can be stopped any way and goes on as if it had not been.
//!
//! `MemoryFrontier` is a pure state machine, so its inputs in order are the crawl: [`JournaledFrontier`] writes them down
//! as they come and, given them again, becomes the same frontier and makes the same deliveries. Nothing is written per URL,
//! and nothing about the crawl is decided here. [`StateFile`] is where they are kept, together with how long each output
//! was, in one transaction: what is in the file and what is in the journal never part.
//!
//! This room knows neither sinks nor sockets. What is read from a file may be damaged, and is never trusted.

mod codec;
mod journaled_frontier;
mod outstanding;
mod replay;
mod settings;
mod state_error;
mod state_file;

pub use journaled_frontier::JournaledFrontier;
pub use replay::ReplayError;
pub use settings::{Setting, differences};
pub use state_error::{Problem, StateError};
pub use state_file::{About, Kept, StateFile};
