//! The cage: a page may try what it likes, nothing of it reaches an address that is not allowed.
//!
//! Where it can, a test runs in a network of its own that has the addresses of a cloud's metadata service and of a
//! private network, so that there is somebody to be reached. See `network.rs`.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test without its canaries or its browser should stop where it stands, and tell what it could not try"
)]

mod canary;
mod channels;
mod network;
mod own_requests;
mod site;
mod spellings;
mod stage;
