//! Private addresses and hosts that an operator allows besides public addresses.

use std::net::IpAddr;

use crawler_weburl::CrawlUrl;

use crate::resolver::literal;

/// One entry of the operator's list of allowed targets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AllowedTarget {
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
}

impl AllowedTarget {
    /// Parses `10.1.0.0/16`, `fd00::/8`, `192.168.1.7`, `wiki.example` or `*.corp.example`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
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
            Self::Network { .. } => false,
            Self::Host(name) => host == name,
            Self::Subdomains(name) => host
                .strip_suffix(name.as_str())
                .is_some_and(|rest| rest.ends_with('.')),
        }
    }

    pub(crate) fn covers_address(&self, address: IpAddr) -> bool {
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
            let allowed = AllowedTarget::parse(entry).unwrap();
            assert!(allowed.covers_address(inside.parse().unwrap()), "{entry}");
            assert!(!allowed.covers_address(outside.parse().unwrap()), "{entry}");
        }
        for (entry, inside, outside) in [
            ("wiki.example", "wiki.example.", "a.wiki.example"),
            ("*.corp.example", "a.b.corp.example", "corp.example"),
            ("*.Corp.Example", "a.corp.example", "acorp.example"),
            ("bücher.example", "xn--bcher-kva.example", "bcher.example"),
        ] {
            let allowed = AllowedTarget::parse(entry).unwrap();
            assert!(allowed.covers_name(inside), "{entry}");
            assert!(!allowed.covers_name(outside), "{entry}");
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
        ] {
            assert_eq!(AllowedTarget::parse(entry), None, "{entry}");
        }
    }
}
