//! The proxy over real sockets, without a browser.

mod limits;
mod plain;
mod proxy_client;
mod tunnels;
