//! The service: what it is told (`config`), how it is talked to (`api`), what is asked of it (`job_params`) and who
//! does the work (`worker`).
//!
//! Everything here is generic over [`store::Store`]; which store it is, and where the process begins and ends, is the
//! binary's to say. Nothing here prints.

pub mod api;
pub mod config;
pub mod job_params;
pub mod worker;

mod browser_desk;
mod timed_store;

pub use browser_desk::{BrowserDesk, BrowserWord};
pub use timed_store::TimedStore;
