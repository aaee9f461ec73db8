//! Shared by the test binaries: the program as a process, the service, HTTP requests to it, waiting, random numbers, a small disk.

pub(crate) mod http;
pub(crate) mod process;
pub(crate) mod random;
pub(crate) mod service;
pub(crate) mod small_disk;
pub(crate) mod wait;
