//! The address of the client that sent a request.

use std::net::{IpAddr, Ipv4Addr};

use axum::extract::Request;
use crawler_fetch::EgressTarget;

/// The address at the other end of a connection, as an extension of its requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerAddress(pub(super) IpAddr);

/// Returns the address of the client: the other end of the connection, or behind a trusted proxy the last address in
/// `X-Forwarded-For` that is not a trusted proxy itself. What a client writes there stands before it and is ignored.
pub(super) fn client_address(request: &Request, trusted: &[EgressTarget]) -> IpAddr {
    let peer = request.extensions().get::<PeerAddress>();
    let mut client = peer.map_or(Ipv4Addr::UNSPECIFIED.into(), |peer| peer.0.to_canonical());
    let is_trusted = |address: IpAddr| trusted.iter().any(|entry| entry.covers_address(address));
    let forwarded = request.headers().get_all("x-forwarded-for");
    let entries = forwarded.iter().filter_map(|value| value.to_str().ok());
    let mut entries: Vec<&str> = entries.flat_map(|value| value.split(',')).collect();
    while is_trusted(client) {
        let Some(address) = entries.pop().and_then(|entry| entry.trim().parse().ok()) else {
            break;
        };
        client = IpAddr::to_canonical(&address);
    }
    client
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn only_trusted_proxies_name_the_client() {
        let trusted = ["10.0.0.0/8", "192.0.2.7"];
        let trusted = trusted.map(|entry| EgressTarget::parse(entry).unwrap());
        for (peer, forwarded, client) in [
            ("198.51.100.1", "203.0.113.9", "198.51.100.1"),
            ("10.0.0.1", "203.0.113.9", "203.0.113.9"),
            ("::ffff:10.0.0.1", "203.0.113.9", "203.0.113.9"),
            ("10.0.0.1", "1.1.1.1, 203.0.113.9", "203.0.113.9"),
            ("10.0.0.1", "1.1.1.1, 203.0.113.9, 192.0.2.7", "203.0.113.9"),
            ("10.0.0.1", "1.1.1.1, nonsense", "10.0.0.1"),
            ("10.0.0.1", "", "10.0.0.1"),
            ("10.0.0.1", "10.0.0.2", "10.0.0.2"),
        ] {
            let mut request = Request::new(Body::empty());
            let headers = request.headers_mut();
            headers.insert("x-forwarded-for", forwarded.parse().unwrap());
            let peer = PeerAddress(peer.parse().unwrap());
            request.extensions_mut().insert(peer);
            let got = client_address(&request, &trusted);
            assert_eq!(got.to_string(), client, "{forwarded}");
        }
    }
}
