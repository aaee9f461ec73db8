//! Network isolation: whatever a page tries, it cannot reach an address that is not allowed.
//!
//! The tests of all channels run in their own network namespace with the addresses of a cloud metadata service and a private
//! network, so that there are listeners to reach. See `network.rs`.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a missing canary or browser should fail the test; what was not tried is printed"
)]

mod address_spellings;
mod canary;
mod channels;
mod network;
mod own_requests;
mod renderers;
mod site;
