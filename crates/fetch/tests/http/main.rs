//! The fetcher against servers that are written here, byte for byte.
#![expect(
    clippy::unwrap_used,
    reason = "a test server that cannot start should stop the test where it stands"
)]

mod bodies;
mod codings;
mod credentials;
mod deadlines;
mod egress;
mod framing;
mod guard;
mod head;
mod http2;
mod keep_alive;
mod proxy;
mod rules;
mod server;
mod spellings;
mod tls;
