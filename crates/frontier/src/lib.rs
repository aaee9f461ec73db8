//! Which URL next.
//!
//! One way in (`admit`'s fixed order, dedupe last), one way out (exactly one report per
//! admitted URL). The frontier owns seen, the queues, the host ledger, retries, limits and the counts;
//! it knows no socket, no clock and no chance of its own: time and a random seed come in as arguments,
//! so thousands of crawls can be played through it in a test without a sleep.
//!
//! Invariant, checked after each step in debug builds:
//! `admitted == finished + queued + delayed + in_flight`.

mod backoff;
mod chance;
mod counts;
mod delayed;
mod errand;
mod frontier;
mod host_ledger;
mod level_counts;
mod link_desk;
mod memory_frontier;
mod packed_queue;
mod path_gates;
mod pick;
mod queued_depths;
mod rules;
mod seed_watch;
mod seen;
mod settle;
mod settle_errand;
mod site;
mod traps;

pub use backoff::{before_retry, for_host as before_asking_host};
pub use chance::Chance;
pub use errand::{
    Errand, ErrandFound, ErrandReport, RobotsAnswer, RobotsErrand, SitemapAnswer, SitemapErrand,
};
pub use frontier::{Delivery, Frontier, FrontierError, Glance, Moment, Next, Turn, Work};
pub use link_desk::LinkDesk;
pub use memory_frontier::MemoryFrontier;
pub use rules::Bounds;
#[doc(hidden)]
pub use seen::Seen;
