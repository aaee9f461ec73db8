//! The proxy over real sockets, with nobody's browser.

mod browser;
mod limits;
mod plain;
mod tunnels;
