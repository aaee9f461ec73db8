//! The service: its configuration (`config`), HTTP API (`api`), the parameters of jobs (`job_params`) and the workers
//! that run them (`worker`).
//!
//! Everything here is generic over [`crawler_store::Store`]. The binary chooses the store and owns the process; this
//! crate prints nothing.

pub mod api;
pub mod config;
pub mod job_params;
pub mod worker;

mod address_limits;
mod cached_check;
mod host_slot;
mod invalid_urls;
mod outage_detector;
mod page_renderer;
mod shared_browser;
mod tab_owner;
mod timed_store;

pub use address_limits::AddressLimits;
pub use outage_detector::OutageDetector;
pub use page_renderer::PageRenderer;
pub use shared_browser::{RenderingFetch, SharedBrowser};
pub use timed_store::{CallMetrics, TimedStore};
