//! Events as bytes: variable-length numbers, no repeated text, independent of the machine.
//!
//! A report is written without the fields of its task, which is looked up by its ticket. Keys of links are recomputed.
//! The input comes from a file that may be damaged: reading it never panics, and never allocates more than the remaining
//! bytes could hold.

mod bytes_in;
mod bytes_out;
mod event;
mod links;
mod page;
mod site_file_task;

pub(crate) use bytes_in::{BytesIn, Damaged};
pub(crate) use bytes_out::BytesOut;
pub(crate) use event::Kind;
pub(crate) use page::{read_page, write_page};
pub(crate) use site_file_task::{read_site_file, rules, write_site_file};
