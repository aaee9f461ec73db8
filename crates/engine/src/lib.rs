//! The one crawl loop.
//!
//! [`drive`] owns the frontier and hands out work; workers are functions (`page`, `site_file`) that get a
//! task and return exactly one report, panic included; finished reports go to the [`Shelf`], a writer on a thread of its own behind a bounded channel, so that a slow
//! reader slows the crawl and loses nothing. [`Stop`] is how the outside asks for an end.

mod crew;
mod drive;
mod drive_error;
mod link_harvest;
mod page;
mod progress;
mod scrape;
mod shelf;
mod site_file;
mod stop;

pub use drive::{drive, drive_from};
pub use drive_error::DriveError;
#[doc(hidden)]
pub use link_harvest::harvest;
pub use progress::Progress;
pub use scrape::{Answer, Document, Part, ScrapeProblem, Scraper};
pub use shelf::Shelf;
pub use stop::{Stop, StopLevel};
