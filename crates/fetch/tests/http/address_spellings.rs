//! Hundreds of spellings of private addresses, for every kind of fetch: a local server must see no connection.

use std::fmt::Write as _;
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

/// Loopback, "this host", private, carrier-grade NAT, link-local and cloud metadata addresses.
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

fn mapped_digits(text: &str, digit: impl Fn(u32) -> char) -> String {
    text.chars()
        .map(|c| c.to_digit(10).map_or(c, &digit))
        .collect()
}

fn offset(first: char, by: u32) -> char {
    char::from_u32(u32::from(first) + by).unwrap()
}

/// All spellings that some URL parser accepts for an address; `PORT` is a placeholder.
fn spellings([a, b, c, d]: [u8; 4]) -> Vec<String> {
    let bits = u32::from_be_bytes([a, b, c, d]);
    let (low24, low16) = (bits & 0xff_ffff, bits & 0xffff);
    let dotted = format!("{a}.{b}.{c}.{d}");
    let (high, low) = (bits >> 16, low16);
    let inverted = !bits;
    let circled = |digit: u32| match digit {
        0 => '⓪',
        digit => offset('①', digit - 1),
    };
    let escaped = dotted.bytes().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "%{byte:02x}");
        text
    });
    let hosts = vec![
        dotted.clone(),
        format!("{dotted}."),
        format!("{bits}"),
        format!("{bits}."),
        format!("0x{bits:x}"),
        format!("0X{bits:08X}"),
        format!("0x{bits:016x}"),
        format!("0{bits:o}"),
        format!("000{bits:o}"),
        format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("0000{a:o}.{b}.{c}.{d}"),
        format!("0x{a:x}.{b}.0{c:o}.{d}"),
        format!("{a}.{low24}"),
        format!("{a}.0x{low24:x}"),
        format!("{a}.{b}.{low16}"),
        format!("0{a:o}.0x{b:x}.{low16}"),
        mapped_digits(&dotted, |digit| offset('０', digit)),
        mapped_digits(&dotted, circled),
        mapped_digits(&dotted, |digit| offset('𝟎', digit)),
        mapped_digits(&dotted, |digit| offset('𝟶', digit)),
        dotted.replace('.', "。"),
        dotted.replace('.', "．"),
        dotted.replace('.', "｡"),
        dotted.replace('.', "%2e"),
        dotted.replace('.', "%E3%80%82"),
        escaped,
        dotted.replacen('.', "\t.", 1),
        dotted.replacen('.', "\u{ad}.", 1),
        format!("example.org@{dotted}"),
        format!("example.org:pass@{dotted}"),
        format!("example.org%23@{dotted}"),
        format!("a@b@{dotted}"),
        format!("[::ffff:{dotted}]"),
        format!("[::FFFF:{high:X}:{low:X}]"),
        format!("[0:0:0:0:0:ffff:{high:x}:{low:x}]"),
        format!("[::{dotted}]"),
        format!("[::{high:x}:{low:x}]"),
        format!("[::ffff:0:{dotted}]"),
        format!("[64:ff9b::{dotted}]"),
        format!("[64:ff9b::{high:x}:{low:x}]"),
        format!("[64:ff9b:1::{dotted}]"),
        format!("[2002:{high:x}:{low:x}::]"),
        format!("[2002:{high:x}:{low:x}::1]"),
        format!("[2001:0:{high:x}:{low:x}::]"),
        format!(
            "[2001:0:808:808:0:0:{:x}:{:x}]",
            inverted >> 16,
            inverted & 0xffff
        ),
    ];
    let mut urls: Vec<String> = hosts
        .iter()
        .map(|host| format!("http://{host}:PORT/"))
        .collect();
    urls.push(format!("HtTp:\\\\{dotted}:PORT\\"));
    urls.push(format!("http:////{dotted}:PORT/"));
    urls.push(format!("http:{dotted}:PORT"));
    urls.push(format!("http://{dotted}:PORT\\@example.org/"));
    urls.push(format!("http://example.org\\@{dotted}:PORT/"));
    urls
}

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
    let canary = Server::responding(OK).await;
    let port = canary.port.to_string();
    let rules = rules("http://site.test/");
    let lookup = malicious_lookup();
    let fetcher = HttpFetch::resolving(&rules, 4, Guard::public_only(), sniff, lookup).unwrap();
    let (mut tried, mut messages) = (0, std::collections::BTreeSet::new());
    let literals = TARGETS.iter().flat_map(|target| spellings(*target));
    for url in literals.chain(names()) {
        let url = url.replace("PORT", &port);
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
    assert!(tried >= 400, "only {tried} spellings are URLs");
    assert_eq!(
        messages.len(),
        1,
        "every refusal has the same message: {messages:?}"
    );
    assert_eq!(canary.accepts(), 0);
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
