//! The guard: no spelling of a private address is dialed.

use crawler_fetch::{Guard, HttpFetch};
use crawler_model::FailKind;
use testsite::PRIVATE_HOSTS;

use crate::fetchers::{page, rules, sniff};
use crate::server::Server;

#[tokio::test]
async fn every_spelling_of_a_private_address_is_refused_before_dialing() {
    let canary = Server::responding("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let port = canary.port;
    for host in PRIVATE_HOSTS {
        for scheme in ["http", "https"] {
            let url = format!("{scheme}://{host}:{port}/");
            let fetcher = HttpFetch::new(&rules(&url), 4, Guard::public_only(), sniff).unwrap();
            let failure = page(&fetcher, &url).await.unwrap_err();
            // A name that this system cannot resolve counts as refused.
            let kind = failure.kind;
            assert!(
                kind == FailKind::AddressRefused || (kind == FailKind::Dns && host == "localhost."),
                "{url}: {failure}"
            );
            assert!(!failure.message.contains("127"), "{failure}");
        }
    }
    assert_eq!(canary.accepts(), 0);
}

#[tokio::test]
async fn a_private_proxy_and_a_private_literal_behind_a_proxy_are_refused() {
    let canary = Server::responding("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let mut rules = rules("http://example.org/");
    rules.proxies = vec![canary.url("")];
    let fetcher = HttpFetch::new(&rules, 4, Guard::public_only(), sniff).unwrap();
    for url in [
        "http://example.org/",
        "https://example.org/",
        "http://10.0.0.1/",
    ] {
        let failure = page(&fetcher, url).await.unwrap_err();
        assert_eq!(failure.kind, FailKind::AddressRefused, "{url}");
    }
    assert_eq!(canary.accepts(), 0);
}
