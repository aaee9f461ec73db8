//! The registrable domain of a host.
//!
//! A crate of its own because the Public Suffix List is compiled into one large function. It runs once per crawl, so it is
//! compiled without optimization, which takes a fifth of the time.

use std::net::Ipv4Addr;

/// The registrable domain of a host: `a.b.example.co.uk` → `example.co.uk`. An address or a single label is its own domain.
pub fn registrable_domain(host: &str) -> &str {
    let is_address = host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok();
    if is_address {
        host
    } else {
        psl::domain_str(host).unwrap_or(host)
    }
}

#[cfg(test)]
mod tests {
    use super::registrable_domain;

    #[test]
    fn registrable_domains() {
        for (host, domain) in [
            ("a.b.example.co.uk", "example.co.uk"),
            ("example.com", "example.com"),
            ("someone.github.io", "someone.github.io"),
            ("localhost", "localhost"),
            ("192.0.2.1", "192.0.2.1"),
            ("[2001:db8::1]", "[2001:db8::1]"),
        ] {
            assert_eq!(registrable_domain(host), domain, "{host}");
        }
    }
}
