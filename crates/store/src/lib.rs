//! Storage of jobs, their tasks, documents and mapped URLs, and of the limits of hosts.
//!
//! A [`Store`] is the sum of eight roles: [`JobQueue`], [`Jobs`], [`Results`], [`HostTurns`], [`RobotsRecords`],
//! [`ApiKeys`], [`Upkeep`] and [`Usage`]. Their methods are operations of the domain, not of tables. Two crates implement them, each
//! with its own SQL; shared code is in [`backend`], and the suite in `testing` is the contract that both pass. Nothing
//! here opens a connection.
//!
//! Invariant: what a worker writes carries its fence, and a write with an outdated fence changes nothing.

mod access;
mod api_key;
pub mod backend;
mod claimed;
mod document;
mod either_store;
mod export;
mod host_bucket;
mod host_turn;
mod idempotency;
mod ids;
mod job;
mod job_state;
mod job_stop_reason;
mod list_page;
mod mapped_url;
mod owner;
mod owner_usage;
mod place_shares;
mod quota;
mod refused_url;
mod rescue;
mod robots_text;
mod roles;
mod settlement;
mod statistics;
mod store;
mod store_error;
mod store_limits;
mod task;
mod task_state;
#[cfg(feature = "testing")]
pub mod testing;
mod wrapped_store;

pub use access::Access;
pub use api_key::{ApiKey, KeyHash, KeyRole, KeyRotation, KeyState, NewKey};
pub use claimed::{Claimed, Lease};
pub use document::{NewDocument, StoredDocument};
pub use either_store::EitherStore;
pub use export::{documents_of, mapped_of};
pub use host_bucket::{HostBucket, HostDefaults, MAX_START_DELAY, StartSchedule};
pub use host_turn::{HostTurn, TURN_RESERVATION, TurnId};
pub use idempotency::{IdempotencyKey, JobCreation};
pub use ids::{Fence, JobId, TaskId, UnixMillis, WorkerId};
pub use job::{Cancel, Job, JobCounts, JobFilter, JobKind, JobLimits, JobRequest, NewJob};
pub use job_state::JobState;
pub use job_stop_reason::JobStopReason;
pub use list_page::{Cursor, ListPage};
pub use mapped_url::{MappedUrl, NewMappedUrl};
pub use owner::{Owner, Priority};
pub use owner_usage::{AddedUsage, OwnerUsage, QuotaExceeded};
pub use place_shares::{ClaimRoom, PlaceShares};
pub use quota::{Quota, QuotaError, QuotaRange};
pub use refused_url::{RefusedCounts, RefusedUrl};
pub use rescue::{DEFAULT_MAX_CRASHES, Reconciled, Rescue, Rescued};
pub use robots_text::{RobotsText, StoredRobots};
pub use roles::{ApiKeys, HostTurns, JobQueue, Jobs, Results, RobotsRecords, Upkeep, Usage};
pub use settlement::{Settled, Settlement, TaskOutcome};
pub use statistics::{KindStatistics, Statistics};
pub use store::{Store, StoreResult};
pub use store_error::StoreError;
pub use store_limits::StoreLimits;
pub use task::{FinishedTask, NewTask, StoredTask};
pub use task_state::TaskState;
pub use wrapped_store::{CallWrapper, WrappedStore};
