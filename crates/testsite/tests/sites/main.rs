//! Every site of this crate, seen from the other end of a socket.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop there"
)]

mod anchors;
mod folder;
mod graph;
mod hostile;
mod judge;
mod kept;
mod realistic;
mod secure;
mod server;
mod spa;
mod wire;
