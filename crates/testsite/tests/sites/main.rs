//! Tests every site of this crate over a socket.
#![expect(clippy::unwrap_used, reason = "a failing step should fail the test")]

mod anchors;
mod cached_site;
mod command;
mod folder;
mod graph;
mod hostile;
mod hyper_client;
mod raw_client;
mod realistic;
mod secure;
mod server;
mod spa;
