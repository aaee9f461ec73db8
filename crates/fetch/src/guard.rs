//! Decides which addresses may be dialed.
//!
//! A refusal has the same message for every address and happens before anything is dialed, so it reveals nothing
//! about what listens there.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use crate::allowed_target::{AllowedTarget, plain_name};
use crate::special_ranges::is_public;

/// Checks every address before it is dialed: all addresses of a name, IP literals, proxies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    allow_private: bool,
    allowed: Arc<[AllowedTarget]>,
}

impl Guard {
    /// Allows every address, for the command line, where users crawl localhost.
    pub fn anywhere() -> Self {
        Self::new(true, Vec::new())
    }

    /// Allows only public addresses, for a service, whose clients must not reach its private network.
    pub fn public_only() -> Self {
        Self::new(false, Vec::new())
    }

    /// Allows public addresses, those on the operator's list and, with `allow_private`, all others.
    pub fn new(allow_private: bool, allowed: Vec<AllowedTarget>) -> Self {
        Self {
            allow_private,
            allowed: allowed.into(),
        }
    }

    /// Whether a host name may be dialed. Its addresses are checked separately, by [`Self::allows`].
    pub fn allows_name(&self, host: &str) -> bool {
        let name = plain_name(host);
        let local = name == "localhost" || name.ends_with(".localhost");
        !local || self.allow_private || self.lists_name(host) || self.allows_loopback()
    }

    /// Whether this address of a host may be dialed.
    pub fn allows(&self, host: &str, address: IpAddr) -> bool {
        self.allow_private
            || is_public(address)
            || self.lists_name(host)
            || self
                .allowed
                .iter()
                .any(|entry| entry.covers_address(address))
    }

    /// Whether a loopback address is on the list. The address itself is checked when it is dialed.
    fn allows_loopback(&self) -> bool {
        let loopback: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        let covers = |entry: &AllowedTarget| {
            loopback
                .iter()
                .any(|address| entry.covers_address(*address))
        };
        self.allowed.iter().any(covers)
    }

    fn lists_name(&self, host: &str) -> bool {
        self.allowed.iter().any(|entry| entry.covers_name(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_loopback_address_allows_the_name_localhost() {
        let guard = |list: &[&str]| {
            let entries = list.iter().filter_map(|entry| AllowedTarget::parse(entry));
            Guard::new(false, entries.collect())
        };
        for (list, allowed) in [
            (vec!["127.0.0.1"], true),
            (vec!["127.0.0.0/8"], true),
            (vec!["::1"], true),
            (vec!["localhost"], true),
            (vec!["10.0.0.0/8"], false),
            (vec![], false),
        ] {
            assert_eq!(guard(&list).allows_name("localhost"), allowed, "{list:?}");
        }
        // Allowing the name does not allow other addresses.
        assert!(!guard(&["127.0.0.1"]).allows("localhost", Ipv6Addr::LOCALHOST.into()));
    }

    #[test]
    fn a_list_allows_only_its_entries() {
        let list = [
            "10.1.0.0/16",
            "wiki.example",
            "*.corp.example",
            "dev.localhost",
        ];
        let list = list
            .iter()
            .map(|entry| AllowedTarget::parse(entry).unwrap());
        let guard = Guard::new(false, list.collect());
        for (host, address, expected) in [
            ("a.example", "10.1.2.3", true),
            ("a.example", "10.2.2.3", false),
            ("wiki.example", "192.168.0.1", true),
            ("wiki.example.", "192.168.0.1", true),
            ("a.wiki.example", "192.168.0.1", false),
            ("git.corp.example", "127.0.0.1", true),
            ("corp.example", "127.0.0.1", false),
            ("a.example", "8.8.8.8", true),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(guard.allows(host, address), expected, "{host} {address}");
        }
        for (host, expected) in [
            ("localhost", false),
            ("localhost.", false),
            ("a.localhost", false),
            ("dev.localhost", true),
            ("notlocalhost", true),
        ] {
            assert_eq!(guard.allows_name(host), expected, "{host}");
        }
        assert!(Guard::anywhere().allows_name("localhost"));
    }
}
