//! Which addresses may be dialled.

use std::net::IpAddr;

use crate::special_ranges::is_public;

/// Judges every address before it is dialled: a name's every answer, an IP literal, a proxy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// Loopback, private and other special addresses too. On the command line people crawl localhost;
    /// a service must not be talked into its own network.
    pub allow_private: bool,
}

impl Guard {
    /// Whether the address may be dialled.
    pub fn allows(self, address: IpAddr) -> bool {
        self.allow_private || is_public(address)
    }
}
