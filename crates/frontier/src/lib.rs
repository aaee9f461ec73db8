//! Which URL is fetched next.
//!
//! One way in (`admit`'s fixed order, dedupe last), one way out (exactly one report per
//! admitted URL). The frontier owns the seen set, the queues, the host ledger, retries, limits and the counts;
//! it has no socket, no clock and no randomness of its own: time and a random seed are arguments,
//! so a test can run thousands of crawls through it without a sleep.
//!
//! Invariant, checked after each step in debug builds:
//! `admitted == finished + queued + delayed + in_flight`.

mod admission_filter;
mod backoff;
mod counts;
mod delayed;
mod frontier;
mod host_ledger;
mod host_pace;
mod host_response;
mod level_counts;
mod memory_frontier;
mod packed_queue;
mod path_gates;
mod pick;
mod queued_depths;
mod redirect_targets;
mod resume;
mod rng;
mod rules;
mod seed_watch;
mod seen;
mod settle;
mod settle_site_file;
mod site;
mod site_file_attempt;
mod site_file_task;
mod traps;

pub use admission_filter::{AdmissionFilter, LinkSource};
pub use backoff::retry_delay;
pub use frontier::{
    Delivery, Dispatch, Frontier, FrontierError, Moment, Next, ProgressCounts, Work,
};
pub use host_pace::{HostPace, Throttle};
pub use host_response::HostResponse;
pub use memory_frontier::MemoryFrontier;
pub use rng::Rng;
pub use rules::{Bounds, link_refusal};
#[doc(hidden)]
pub use seen::Seen;
pub use site_file_attempt::{SiteFileAttempt, SiteFileStep, SitemapContent, sitemaps_of};
pub use site_file_task::{
    RobotsFetchResult, RobotsTask, SiteFileReport, SiteFileResult, SiteFileTask,
    SitemapFetchResult, SitemapTask,
};
