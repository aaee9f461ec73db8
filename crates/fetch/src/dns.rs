//! A resolver that asks the system's name servers over its own sockets.
//!
//! The system's resolver is a blocking function: a lookup of a name whose servers do not respond holds a thread for up to half a
//! minute, and cannot be abandoned. Here a lookup is a few sockets, closed when it is dropped. It uses the system's
//! configuration: `/etc/hosts`, and the name servers, search domains and `ndots` of `/etc/resolv.conf`. It does not use other
//! sources of `nsswitch.conf`, such as multicast DNS.

mod hosts_file;
mod message;
mod resolv_conf;
mod resolver;

pub(crate) use resolver::{DnsError, DnsResolver};
