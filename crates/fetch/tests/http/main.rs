//! `HttpFetch` against servers that send exactly the bytes a test specifies.
#![expect(
    clippy::unwrap_used,
    reason = "a test server that cannot start should fail the test"
)]

mod address_spellings;
mod bodies;
mod codings;
mod credentials;
mod deadlines;
mod egress;
mod fetchers;
mod framing;
mod guard;
mod head;
mod http2;
mod keep_alive;
mod proxy;
mod server;
mod tls;
