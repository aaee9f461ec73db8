//! Decides which destinations may be dialed.
//!
//! In this order: what the operator denies is refused; what the operator allows is not; a service refuses blocked ports, the
//! machine's own addresses, and all that are not public. A refusal does not depend on what listens there and happens before
//! anything is dialed, so it reveals nothing about that.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use crawler_weburl::UrlRef;

use crate::blocked_ports::is_blocked;
use crate::egress_target::{EgressTarget, plain_name};
use crate::own_addresses::OwnAddresses;
use crate::resolver::literal;
use crate::special_ranges::{embedded_v4, is_public};

/// Checks every destination before it is dialed: all addresses of a name, IP literals, ports, proxies.
#[derive(Clone, Debug)]
pub struct Guard {
    allow_private: bool,
    allowed: Arc<[EgressTarget]>,
    denied: Arc<[EgressTarget]>,
    /// Whether the ports that browsers refuse are refused.
    blocks_ports: bool,
    /// Set if the machine's own addresses are refused.
    own: Option<Arc<OwnAddresses>>,
}

impl Guard {
    /// Allows every address, for the command line, where users crawl localhost.
    pub fn anywhere() -> Self {
        Self::new(true, Vec::new())
    }

    /// Allows only public addresses.
    pub fn public_only() -> Self {
        Self::new(false, Vec::new())
    }

    /// Allows public addresses, those on the operator's list and, with `allow_private`, all others.
    pub fn new(allow_private: bool, allowed: Vec<EgressTarget>) -> Self {
        Self {
            allow_private,
            allowed: allowed.into(),
            denied: Arc::default(),
            blocks_ports: false,
            own: None,
        }
    }

    /// For a service, whose callers must reach neither its machine nor servers that do not speak HTTP: also refuses the
    /// addresses of this machine's interfaces and the blocked ports of the Fetch standard, unless they are on the list of
    /// allowed destinations; and whatever is in `denied`, even if it is on that list.
    #[must_use]
    pub fn for_service(self, denied: Vec<EgressTarget>) -> Self {
        let own = (!self.allow_private).then(|| Arc::new(OwnAddresses::of_system()));
        Self {
            denied: denied.into(),
            blocks_ports: true,
            own,
            ..self
        }
    }

    /// Whether a host name may be dialed. Its addresses are checked separately, by [`Self::allows`].
    pub fn allows_name(&self, host: &str) -> bool {
        if self.denied.iter().any(|entry| entry.covers_name(host)) {
            return false;
        }
        let name = plain_name(host);
        let local = name == "localhost" || name.ends_with(".localhost");
        !local || self.allow_private || self.lists_name(host) || self.allows_loopback()
    }

    /// Whether a port may be dialed, on any host.
    pub fn allows_port(&self, port: u16) -> bool {
        let covers = |entry: &EgressTarget| entry.covers_port(port);
        if self.denied.iter().any(covers) {
            return false;
        }
        !self.blocks_ports || !is_blocked(port) || self.allowed.iter().any(covers)
    }

    /// Whether this address of a host may be dialed.
    pub fn allows(&self, host: &str, address: IpAddr) -> bool {
        if self.denies(host, address) {
            return false;
        }
        self.allow_private
            || self.lists_name(host)
            || self
                .allowed
                .iter()
                .any(|entry| entry.covers_address(address))
            || (is_public(address) && !self.is_own(address))
    }

    /// Whether a URL is refused whatever its name resolves to.
    pub fn refuses(&self, url: UrlRef<'_>) -> bool {
        if !self.allows_port(url.port()) {
            return true;
        }
        let host = url.host();
        match literal(host) {
            Some(address) => !self.allows(host, address),
            None => !self.allows_name(host),
        }
    }

    /// Whether the operator denies the host or the address, also an IPv4 address inside IPv6.
    fn denies(&self, host: &str, address: IpAddr) -> bool {
        if self.denied.is_empty() {
            return false;
        }
        let embedded = match address {
            IpAddr::V4(_) => None,
            IpAddr::V6(v6) => embedded_v4(v6),
        };
        let embedded = embedded.into_iter().flatten().map(IpAddr::V4);
        let mut addresses = std::iter::once(address).chain(embedded);
        self.denied.iter().any(|entry| entry.covers_name(host))
            || addresses.any(|one| self.denied.iter().any(|entry| entry.covers_address(one)))
    }

    /// The settings of a service that decide, for error messages.
    pub(crate) fn settings(&self) -> &'static str {
        if self.blocks_ports {
            " (see egress.allow and egress.deny)"
        } else {
            ""
        }
    }

    fn is_own(&self, address: IpAddr) -> bool {
        self.own.as_ref().is_some_and(|own| own.contains(address))
    }

    /// Whether a loopback address is on the list. The address itself is checked when it is dialed.
    fn allows_loopback(&self) -> bool {
        let loopback: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        let covers = |entry: &EgressTarget| {
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
            let entries = list.iter().filter_map(|entry| EgressTarget::parse(entry));
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
        let list = list.iter().map(|entry| EgressTarget::parse(entry).unwrap());
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

    #[test]
    fn a_denied_destination_is_refused_even_if_it_is_allowed() {
        let parse = |list: &[&str]| -> Vec<EgressTarget> {
            let parsed = list.iter().map(|entry| EgressTarget::parse(entry).unwrap());
            parsed.collect()
        };
        let allowed = parse(&["10.0.0.0/8", "*.corp.example", ":25", ":6000"]);
        let denied = parse(&[
            "10.6.0.0/16",
            "198.51.0.0/16",
            "hr.corp.example",
            "*.bad.example",
            ":25",
            ":9000-9999",
        ]);
        for allow_private in [false, true] {
            let guard = Guard::new(allow_private, allowed.clone()).for_service(denied.clone());
            for (host, address, expected) in [
                ("a.example", "10.1.2.3", true),
                ("a.example", "10.6.2.3", false),
                ("git.corp.example", "10.6.2.3", false),
                ("git.corp.example", "192.168.1.1", true),
                ("hr.corp.example", "192.168.1.1", false),
                ("x.bad.example", "93.184.216.34", false),
                ("bad.example", "93.184.216.34", true),
                ("a.example", "198.51.7.7", false),
                ("a.example", "::ffff:198.51.7.7", false),
                ("a.example", "64:ff9b::198.51.7.7", false),
                ("a.example", "64:ff9b:1::198.51.7.7", false),
                ("a.example", "2002:c633:707::1", false),
                ("a.example", "198.52.7.7", true),
            ] {
                let address = address.parse().unwrap();
                let allows = guard.allows_name(host) && guard.allows(host, address);
                assert_eq!(allows, expected, "{host} {address} {allow_private}");
            }
            for (port, expected) in [
                (80, true),
                (22, false),
                (25, false),
                (6000, true),
                (9500, false),
            ] {
                assert_eq!(guard.allows_port(port), expected, "{port}");
            }
        }
        // The command line may dial any port.
        assert!(Guard::anywhere().allows_port(6000));
    }

    #[test]
    fn a_url_is_refused_by_its_host_or_port() {
        let denied = vec![EgressTarget::parse("bad.example").unwrap()];
        let guard = Guard::public_only().for_service(denied);
        for (url, refused) in [
            ("http://a.example/", false),
            ("http://a.example:8080/", false),
            ("http://a.example:22/", true),
            ("https://bad.example/", true),
            ("https://10.0.0.1/", true),
            ("https://[::1]/", true),
            ("https://localhost/", true),
            ("https://93.184.216.34/", false),
        ] {
            let url = crawler_weburl::CrawlUrl::parse(url).unwrap();
            assert_eq!(guard.refuses(url.parts()), refused, "{url}");
        }
    }
}
