//! What is kept: jobs, their tasks, the documents and mapped URLs they gave, and what is owed to hosts.
//!
//! The trait [`Store`] speaks in verbs of the domain, never in rows. Two crates implement it, each with SQL of
//! its own; the suite in `testing` is the contract both pass. Nothing here opens a connection.
//!
//! Invariant: what a worker writes carries its fence, and a write whose fence is gone changes nothing.

mod api_key;
mod claimed;
mod document;
mod export;
mod host_bucket;
mod host_turn;
mod ids;
mod job;
mod job_state;
mod mapped_url;
mod page;
mod rescue;
mod robots_text;
mod settlement;
mod statistics;
mod store;
mod store_error;
mod task;
mod task_state;
#[cfg(feature = "testing")]
pub mod testing;

pub use api_key::{ApiKey, KeyHash};
pub use claimed::{Claimed, Lease};
pub use document::{Document, NewDocument};
pub use export::{documents_of, mapped_of};
pub use host_bucket::{Grants, HostBucket, HostDefaults, LOOKAHEAD};
pub use host_turn::{Turn, TurnId, WANTED};
pub use ids::{Fence, JobId, TaskId, UnixMillis, WorkerId};
pub use job::{Cancel, Job, JobCounts, JobFilter, JobKind, JobLimits, JobOrder, NewJob};
pub use job_state::JobState;
pub use mapped_url::{MappedUrl, NewMappedUrl};
pub use page::{Cursor, Page};
pub use rescue::{Reconciled, Rescue, Rescued};
pub use robots_text::{RobotsText, StoredRobots};
pub use settlement::{Checkpoint, Settled, Settlement, Verdict};
pub use statistics::{KindStatistics, Statistics};
pub use store::Store;
pub use store_error::StoreError;
pub use task::{FinishedTask, NewTask, StoredTask};
pub use task_state::TaskState;
