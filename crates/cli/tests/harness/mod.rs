//! Shared by the test binaries: the program as a process, the service, HTTP requests to it, waiting, random numbers.

pub(crate) mod http;
pub(crate) mod process;
pub(crate) mod random;
pub(crate) mod service;
pub(crate) mod wait;
