//! Events as bytes: small numbers small, texts once, nothing that depends on the machine.
//!
//! A report is written without what its task says already; the task is found again by its ticket. Keys of links are
//! worked out again. What is read comes from a file that may be damaged: every reading has an answer, and none reserves more
//! than the bytes that are there could hold.

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
