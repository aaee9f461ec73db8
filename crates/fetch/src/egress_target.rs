//! Destinations that an operator allows or denies: networks, host names and ports.

use std::net::IpAddr;
use std::ops::RangeInclusive;

use crawler_weburl::CrawlUrl;

use crate::resolver::literal;

/// One entry of the operator's list of allowed or denied destinations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EgressTarget {
    /// A network, or a single address.
    Network {
        /// Network address.
        network: IpAddr,
        /// Prefix length in bits.
        length: u32,
    },
    /// A host name, whatever it resolves to.
    Host(String),
    /// Every subdomain of this name.
    Subdomains(String),
    /// These ports, on every host.
    Ports(RangeInclusive<u16>),
}

impl EgressTarget {
    /// Parses `10.1.0.0/16`, `fd00::/8`, `192.168.1.7`, `wiki.example`, `*.corp.example`, `:25` or `:8000-8999`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(ports) = text.strip_prefix(':').filter(|rest| !rest.contains(':')) {
            return parse_ports(ports);
        }
        if let Some((network, length)) = text.split_once('/') {
            let network = literal(network)?;
            let length = length
                .parse()
                .ok()
                .filter(|length| *length <= bits(network))?;
            return Some(Self::Network { network, length });
        }
        if let Some(network) = literal(text) {
            let length = bits(network);
            return Some(Self::Network { network, length });
        }
        let (name, is_wildcard) = match text.strip_prefix("*.") {
            Some(name) => (name, true),
            None => (text, false),
        };
        if name.is_empty() || name.contains([':', '@', '?', '#', '*', '\\', ' ']) {
            return None;
        }
        let url = CrawlUrl::parse(&format!("http://{name}/")).ok()?;
        let host = plain_name(url.parts().host()).to_owned();
        match (literal(&host), is_wildcard) {
            (Some(_), true) => None,
            (Some(network), false) => Some(Self::Network {
                network,
                length: bits(network),
            }),
            (None, true) => Some(Self::Subdomains(host)),
            (None, false) => Some(Self::Host(host)),
        }
    }

    pub(crate) fn covers_name(&self, host: &str) -> bool {
        let host = plain_name(host);
        match self {
            Self::Network { .. } | Self::Ports(_) => false,
            Self::Host(name) => host == name,
            Self::Subdomains(name) => host
                .strip_suffix(name.as_str())
                .is_some_and(|rest| rest.ends_with('.')),
        }
    }

    pub(crate) fn covers_port(&self, port: u16) -> bool {
        matches!(self, Self::Ports(ports) if ports.contains(&port))
    }

    /// Whether this is a network with this address.
    pub fn covers_address(&self, address: IpAddr) -> bool {
        let Self::Network { network, length } = self else {
            return false;
        };
        match (network, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let differs = network.to_bits() ^ address.to_bits();
                differs.checked_shr(32 - length).unwrap_or(0) == 0
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let differs = network.to_bits() ^ address.to_bits();
                differs.checked_shr(128 - length).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

/// Parses `25` or `8000-8999`.
fn parse_ports(text: &str) -> Option<EgressTarget> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(first) || !is_number(last) {
        return None;
    }
    let ports = first.parse().ok()?..=last.parse().ok()?;
    (!ports.is_empty()).then_some(EgressTarget::Ports(ports))
}

/// Strips the trailing dot of a fully qualified host name.
pub(crate) fn plain_name(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

fn bits(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_and_match_entries() {
        for (entry, inside, outside) in [
            ("10.1.0.0/16", "10.1.255.1", "10.2.0.1"),
            ("0.0.0.0/0", "10.1.255.1", "::1"),
            ("::/0", "::1", "127.0.0.1"),
            ("192.168.1.7", "192.168.1.7", "192.168.1.8"),
            ("fd00::/8", "fd12::1", "fe80::1"),
            ("[::1]", "::1", "::2"),
        ] {
            let target = EgressTarget::parse(entry).unwrap();
            assert!(target.covers_address(inside.parse().unwrap()), "{entry}");
            assert!(!target.covers_address(outside.parse().unwrap()), "{entry}");
        }
        for (entry, inside, outside) in [
            ("wiki.example", "wiki.example.", "a.wiki.example"),
            ("*.corp.example", "a.b.corp.example", "corp.example"),
            ("*.Corp.Example", "a.corp.example", "acorp.example"),
            ("bücher.example", "xn--bcher-kva.example", "bcher.example"),
        ] {
            let target = EgressTarget::parse(entry).unwrap();
            assert!(target.covers_name(inside), "{entry}");
            assert!(!target.covers_name(outside), "{entry}");
        }
        for (entry, inside, outside) in [(":25", 25, 26), (":8000-8999", 8999, 9000)] {
            let ports = EgressTarget::parse(entry).unwrap();
            assert!(ports.covers_port(inside), "{entry}");
            assert!(!ports.covers_port(outside), "{entry}");
        }
        for entry in [
            "",
            "*",
            "*.",
            "10.0.0.0/33",
            "10.0.0.0/",
            "/8",
            "a/b",
            "a:80",
            "u@a",
            "*.10.0.0.1",
            "::/129",
            "a b",
            ":",
            ":x",
            ":+1",
            ":65536",
            ":9-8",
            ":1-",
        ] {
            assert_eq!(EgressTarget::parse(entry), None, "{entry}");
        }
    }
}
