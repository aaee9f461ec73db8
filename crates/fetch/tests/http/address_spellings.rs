//! Thousands of spellings of private addresses, for every kind of fetch: a local server must see no connection.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crawler_fetch::{Accept, EgressTarget, Fetch, FetchRequest, Guard, HttpFetch, LookupFn};
use crawler_model::FailKind;
use crawler_weburl::CrawlUrl;

use crate::fetchers::{rules, sniff};
use crate::server::Server;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/// Kinds of fetches: a page of a crawl, a scrape, robots.txt, a sitemap.
const FETCH_KINDS: [Accept; 4] = [
    Accept::Page,
    Accept::Document,
    Accept::File { max_bytes: 500_001 },
    Accept::File {
        max_bytes: 50_000_000,
    },
];

/// Addresses that the malicious resolver returns.
const TARGETS: [[u8; 4]; 9] = [
    [127, 0, 0, 1],
    [127, 8, 9, 1],
    [0, 0, 0, 0],
    [10, 0, 0, 5],
    [172, 16, 3, 1],
    [192, 168, 1, 1],
    [100, 100, 100, 200],
    [169, 254, 169, 254],
    [168, 63, 129, 16],
];

/// Host names that are refused by name, or because of their addresses.
fn names() -> Vec<String> {
    let fixed = [
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "a.b.LocalHost.",
        "ｌｏｃａｌｈｏｓｔ",
        "loc%61lhost",
        "ⓛocalhost",
        "mixed.test",
        "loopback.test",
        "mapped.test",
        "xn--localhost-.localhost",
    ];
    let resolved = (0..TARGETS.len()).map(|index| format!("to-{index}.test"));
    fixed
        .into_iter()
        .map(str::to_owned)
        .chain(resolved)
        .map(|name| format!("http://{name}:PORT/"))
        .collect()
}

/// A malicious resolver: `mixed.test` has a public and a private address.
fn malicious_lookup() -> LookupFn {
    let public: IpAddr = Ipv4Addr::new(93, 184, 216, 34).into();
    let loopback: IpAddr = Ipv4Addr::LOCALHOST.into();
    Arc::new(move |name| match name {
        "mixed.test" => vec![public, loopback],
        "mapped.test" => vec![IpAddr::V6(Ipv4Addr::LOCALHOST.to_ipv6_mapped())],
        "site.test" | "loopback.test" | "localhost" => vec![loopback],
        name => {
            let at = name
                .strip_prefix("to-")
                .and_then(|rest| rest.strip_suffix(".test"));
            let target = at
                .and_then(|at| at.parse::<usize>().ok())
                .map(|at| TARGETS[at]);
            target
                .map(|target| Ipv4Addr::from(target).into())
                .into_iter()
                .collect()
        }
    })
}

#[tokio::test]
async fn no_spelling_of_a_private_address_is_dialed_by_any_kind_of_fetch() {
    // On all addresses of this machine, so that every loopback address reaches it.
    let canary = std::net::TcpListener::bind("[::]:0");
    let canary = canary.or_else(|_| std::net::TcpListener::bind("0.0.0.0:0"));
    let canary = canary.unwrap();
    canary.set_nonblocking(true).unwrap();
    let number = canary.local_addr().unwrap().port();
    let port = number.to_string();
    let rules = rules("http://site.test/");
    let lookup = malicious_lookup();
    let fetcher = HttpFetch::resolving(&rules, 4, Guard::public_only(), sniff, lookup).unwrap();
    let (mut tried, mut messages) = (0, std::collections::BTreeSet::new());
    let names = names().into_iter().map(|url| url.replace("PORT", &port));
    for url in testsite::private_urls(number).into_iter().chain(names) {
        // URLs that do not parse are never dialed.
        let Ok(parsed) = CrawlUrl::parse(&url) else {
            continue;
        };
        // Parsers disagree about the host of these: for ours it is example.org, which has no address here.
        if parsed.parts().host() == "example.org" {
            continue;
        }
        tried += 1;
        for accept in FETCH_KINDS {
            let failure = fetcher
                .fetch(FetchRequest::new(&parsed, accept))
                .await
                .unwrap_err();
            assert_eq!(
                failure.kind,
                FailKind::AddressRefused,
                "{url} → {parsed}: {failure}"
            );
            messages.insert(failure.message.clone());
        }
    }
    assert!(tried >= 3_000, "only {tried} spellings are URLs");
    assert_eq!(
        messages.len(),
        1,
        "every refusal has the same message: {messages:?}"
    );
    assert!(canary.accept().is_err(), "it was connected to");
}

#[tokio::test]
async fn the_addresses_that_are_checked_are_the_ones_dialed() {
    let canary = Server::responding(OK).await;
    let lookups = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&lookups);
    // Different addresses at every lookup: there must be only one lookup per dial.
    let lookup: LookupFn = Arc::new(move |_| match counter.fetch_add(1, Ordering::Relaxed) % 2 {
        0 => vec![
            Ipv4Addr::new(192, 0, 2, 1).into(),
            Ipv4Addr::LOCALHOST.into(),
        ],
        _ => vec![Ipv4Addr::LOCALHOST.into()],
    });
    for index in 0..200 {
        let rules = rules("http://site.test/");
        let guard = Guard::public_only();
        let fetcher = HttpFetch::resolving(&rules, 4, guard, sniff, Arc::clone(&lookup)).unwrap();
        let url = CrawlUrl::parse(&format!("http://host-{index}.test:{}/", canary.port)).unwrap();
        let failure = fetcher
            .fetch(FetchRequest::new(&url, Accept::Page))
            .await
            .unwrap_err();
        assert_eq!(failure.kind, FailKind::AddressRefused);
    }
    assert_eq!(lookups.load(Ordering::Relaxed), 200, "one lookup per dial");
    assert_eq!(canary.accepts(), 0);
}

#[tokio::test]
async fn an_open_and_a_closed_port_are_refused_with_the_same_message() {
    let canary = Server::responding(OK).await;
    let rules = rules("http://site.test/");
    let fetcher = HttpFetch::resolving(&rules, 4, Guard::public_only(), sniff, malicious_lookup());
    let fetcher = fetcher.unwrap();
    let mut failures = Vec::new();
    for port in [canary.port, 1] {
        let url = CrawlUrl::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
        let failure = fetcher
            .fetch(FetchRequest::new(&url, Accept::Page))
            .await
            .unwrap_err();
        failures.push((failure.kind, failure.message));
    }
    assert_eq!(failures[0], failures[1]);
    assert_eq!(canary.accepts(), 0);
}

#[tokio::test]
async fn the_operators_list_allows_only_its_entries() {
    let server = Server::responding(OK).await;
    let rules = rules("http://site.test/");
    for (entry, host, allowed) in [
        ("127.0.0.0/8", "127.0.0.1", true),
        ("127.0.0.1", "mixed.test", false),
        ("site.test", "site.test", true),
        ("site.test", "127.0.0.1", false),
        ("*.test", "loopback.test", true),
        ("localhost", "localhost", true),
        ("127.0.0.0/8", "localhost", true),
        ("10.0.0.0/8", "localhost", false),
        ("10.0.0.0/8", "127.0.0.1", false),
    ] {
        let guard = Guard::new(false, vec![EgressTarget::parse(entry).unwrap()]);
        let fetcher = HttpFetch::resolving(&rules, 4, guard, sniff, malicious_lookup()).unwrap();
        let url = CrawlUrl::parse(&format!("http://{host}:{}/", server.port)).unwrap();
        // `mixed.test` also has a public address, which must not be dialed from a test.
        if allowed || host != "mixed.test" {
            let got = fetcher.fetch(FetchRequest::new(&url, Accept::Page)).await;
            assert_eq!(got.is_ok(), allowed, "{entry} {host}: {got:?}");
        }
    }
}
