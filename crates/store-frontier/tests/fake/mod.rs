//! An in-memory store, and faults between a worker and its store.

pub(crate) mod faults;
pub(crate) mod memory_store;

pub(crate) use faults::Faults;
pub(crate) use memory_store::{MemoryStore, Record};
