//! What a store does, split by role: a caller asks for the roles it needs, a fake implements no more than those.
//!
//! Each file holds one trait, and beside it the delegation that [`WrappedStore`](crate::WrappedStore) needs.

mod api_keys;
mod host_turns;
mod job_queue;
mod jobs;
mod results;
mod robots_records;
mod upkeep;

pub use api_keys::ApiKeys;
pub use host_turns::HostTurns;
pub use job_queue::JobQueue;
pub use jobs::Jobs;
pub use results::Results;
pub use robots_records::RobotsRecords;
pub use upkeep::Upkeep;
