//! Distinguishes public addresses from special ones: the IANA special-purpose registries, and IPv4 inside IPv6.
//!
//! An IPv6 address that embeds an IPv4 address is classified by the embedded address: refusing them all would break
//! networks that reach IPv4 through NAT64, and allowing them all would open the private ranges.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Not globally reachable: network, prefix length.
const V4_SPECIAL: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Platform endpoint inside one cloud, although the address is public.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Not globally reachable although inside 2000::/3, the global unicast range.
const V6_SPECIAL: [(Ipv6Addr, u32); 3] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether the address is globally reachable.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4_is_public(v4),
        IpAddr::V6(v6) => v6_is_public(v6),
    }
}

fn v4_is_public(address: Ipv4Addr) -> bool {
    let within = |(network, length): &(Ipv4Addr, u32)| {
        (address.to_bits() ^ network.to_bits()) >> (32 - length) == 0
    };
    !V4_SPECIAL.iter().any(within)
}

fn v6_is_public(address: Ipv6Addr) -> bool {
    if let Some(embedded) = embedded_v4(address) {
        return !embedded.is_empty() && embedded.into_iter().all(v4_is_public);
    }
    let within = |(network, length): &(Ipv6Addr, u32)| {
        (address.to_bits() ^ network.to_bits()) >> (128 - length) == 0
    };
    address.segments()[0] >> 13 == 1 && !V6_SPECIAL.iter().any(within)
}

/// Returns the IPv4 addresses that an IPv6 address may stand for; `None` if its range embeds none.
pub(crate) fn embedded_v4(address: Ipv6Addr) -> Option<Vec<Ipv4Addr>> {
    let octets = address.octets();
    let inner = |at: [usize; 4]| Ipv4Addr::from(at.map(|index| octets[index]));
    let last = inner([12, 13, 14, 15]);
    match address.segments() {
        // v4-compatible (`::` and `::1` fall into 0.0.0.0/8), v4-translated, v4-mapped, NAT64.
        [0, 0, 0, 0, 0 | 0xffff, 0, _, _]
        | [0, 0, 0, 0, 0, 0xffff, _, _]
        | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => Some(vec![last]),
        // NAT64 under a local prefix of unknown length: any interpretation is possible. One in 0.0.0.0/8 is an artifact of
        // the prefix's own zeros.
        [0x64, 0xff9b, 1, ..] => {
            let mut interpretations = vec![
                inner([6, 7, 9, 10]),
                inner([7, 9, 10, 11]),
                inner([9, 10, 11, 12]),
                last,
            ];
            interpretations.retain(|v4| v4.octets()[0] != 0);
            Some(interpretations)
        }
        // 6to4.
        [0x2002, ..] => Some(vec![inner([2, 3, 4, 5])]),
        // Teredo: the server, and the client with every bit inverted.
        [0x2001, 0, ..] => Some(vec![inner([4, 5, 6, 7]), Ipv4Addr::from(!last.to_bits())]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_public_text(text: &str) -> bool {
        is_public(text.parse().unwrap())
    }

    #[test]
    fn special_addresses_in_every_embedding() {
        for text in [
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::127.0.0.1",
            "64:ff9b::169.254.169.254",
            "64:ff9b:1::10.0.0.1",
            "64:ff9b:1:a00:0:100::",
            "64:ff9b:1::",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2001:0:7f00:1::",
            "2001:0:808:808:0:0:80ff:fffe",
            "2001:db8::1",
            "2001:2::1",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
            "5f00::1",
        ] {
            assert!(!is_public_text(text), "{text} is not public");
        }
    }

    #[test]
    fn public_addresses_are_not_blocked() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.216.34",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "64:ff9b:1::8.8.8.8",
            "2002:808:808::1",
            "2001:0:808:808:0:0:f7f7:f7f7",
            "2606:4700:4700::1111",
            "2001:4860:4860::8888",
            "2a00:1450:4001::1",
        ] {
            assert!(is_public_text(text), "{text} is public");
        }
    }
}
