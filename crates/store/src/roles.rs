//! The roles of a store: a caller requires only the roles it uses, and a fake implements only those.
//!
//! Each file has one trait and its delegation for [`WrappedStore`](crate::WrappedStore).

mod api_keys;
mod host_turns;
mod job_queue;
mod jobs;
mod results;
mod robots_records;
mod upkeep;
mod usage;

pub use api_keys::ApiKeys;
pub use host_turns::HostTurns;
pub use job_queue::JobQueue;
pub use jobs::Jobs;
pub use results::Results;
pub use robots_records::RobotsRecords;
pub use upkeep::Upkeep;
pub use usage::Usage;
