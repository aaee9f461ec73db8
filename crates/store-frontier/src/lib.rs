//! The frontier of a worker that takes tasks of all jobs from a store.
//!
//! [`StoreFrontier`] implements [`crawler_frontier::Frontier`]: `crawler_engine::drive` runs it like the in-memory one. It is a
//! state machine with one owner. Calls to the store run in tasks of their own, through the `store_client`, and their results
//! come back as events. So a store that is slow or unreachable never blocks a page, a renewal or a drain.
//!
//! The state here only saves work or makes politeness stricter: the store decides who may fetch what, what is new, and when
//! a host may be requested. Invariant: for every task held here, exactly one settlement reaches the store, or its lease is
//! lost and none does.

mod address_queue;
mod drain;
mod frontier_store;
mod held_task;
mod host_paces;
mod job_cache;
mod leases;
mod name_queue;
mod pick;
mod places;
mod robots_queue;
mod settings;
mod settle_page;
mod settle_site_file;
mod settle_sitemap;
mod settlement_queue;
mod sitemap_reader;
mod store_client;
mod store_frontier;
mod stored_robots;
mod worker_counts;

pub use address_queue::{AddressSlot, AddressTurn, AddressTurns};
pub use frontier_store::FrontierStore;
pub use host_paces::HostPaces;
pub use job_cache::Planner;
pub use name_queue::NameLookup;
pub use settings::StoreFrontierSettings;
pub use store_frontier::StoreFrontier;
pub use stored_robots::{robots_fetches, robots_text};
pub use worker_counts::{WorkerCounts, WorkerTotals};
