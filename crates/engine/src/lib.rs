//! The crawl loop.
//!
//! [`drive`] owns the frontier and hands out work. Workers are functions (`page`, `site_file`) that get a task and return
//! exactly one report, even if they panic. Finished reports go to an [`Output`], such as the [`OutputWriter`], a thread
//! behind a bounded channel: a slow reader slows down the crawl but loses no page. [`Stop`] ends a crawl early.
//! [`Scraper`] and [`Document`] are for single pages.

mod drive;
mod drive_error;
mod find_links;
mod output;
mod output_writer;
mod page;
mod progress;
#[cfg(feature = "content")]
mod scrape;
mod site_file;
mod stop;
mod worker_pool;

pub use drive::{drive, drive_from};
pub use drive_error::DriveError;
#[doc(hidden)]
pub use find_links::find_links;
pub use output::{Output, OutputEnded};
pub use output_writer::OutputWriter;
pub use progress::Progress;
#[cfg(feature = "content")]
pub use scrape::{
    Document, HostGate, LocalHostGate, Part, RobotsMemory, ScrapeProblem, ScrapeResponse, Scraper,
    TurnRefused, markdown,
};
pub use stop::{Stop, StopLevel};
