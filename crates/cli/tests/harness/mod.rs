//! Shared by the test binaries: the service as a process, HTTP requests to it, waiting, random numbers.

pub(crate) mod http;
pub(crate) mod random;
pub(crate) mod service;
pub(crate) mod wait;
