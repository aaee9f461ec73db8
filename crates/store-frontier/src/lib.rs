//! The frontier over a store, for a worker that serves all jobs.
//!
//! [`StoreFrontier`] keeps the contract of [`frontier::Frontier`]: `engine::drive` runs it like the one in memory. It
//! is a state machine with one owner; what it wants of the store is asked by the `clerk`, in tasks of its own, whose
//! answers come back as events. So a store that is slow or away never holds up a page, a renewal or the way out.
//!
//! What is remembered here only spares work or keeps a promise to a host more strictly: who may fetch what, what is
//! new and when a host may be asked is the store's to say. Invariant: of every task held here, exactly one settlement
//! reaches the store, or its lease is lost and nothing does.

mod clerk;
mod drain;
mod held;
mod hosts;
mod job_desk;
mod leases;
mod pick;
mod robots_desk;
mod settings;
mod settle_errand;
mod settle_page;
mod settle_sitemap;
mod settling;
mod sitemap_desk;
mod store_frontier;
mod worker_counts;

pub use job_desk::Planner;
pub use settings::StoreFrontierSettings;
pub use store_frontier::StoreFrontier;
pub use worker_counts::{WorkerCounts, WorkerNumbers};
