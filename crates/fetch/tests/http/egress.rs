//! `Egress`: guarded connections for other HTTP clients.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use crawler_fetch::{Egress, EgressTarget, Guard, HttpFetch, PlainConnection, RequestedUrl};
use crawler_model::{FailKind, Failure, FetchRules};
use crawler_weburl::{CrawlUrl, Userinfo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::fetchers::{rules, sniff};
use crate::server::Server;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";

/// `mixed.test` has a public and a private address, `site.test` a private one.
fn egress(rules: &FetchRules, guard: Guard) -> Egress {
    let lookup = Arc::new(|host: &str| match host {
        "mixed.test" => vec![IpAddr::from([93, 184, 216, 34]), Ipv4Addr::LOCALHOST.into()],
        "site.test" => vec![Ipv4Addr::LOCALHOST.into()],
        _ => Vec::new(),
    });
    let fetch = HttpFetch::resolving(rules, 4, guard, sniff, lookup).unwrap();
    Arc::new(fetch).egress()
}

async fn both(egress: &Egress, host: &str, port: u16) -> [Result<(), Failure>; 2] {
    [
        egress.tunnel(host, port).await.map(|_| ()),
        egress.plain(host, port).await.map(|_| ()),
    ]
}

async fn exchange(mut stream: TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = vec![0; OK.len()];
    stream.read_exact(&mut response).await.unwrap();
    String::from_utf8(response).unwrap()
}

#[tokio::test]
async fn refused_addresses_are_not_dialed_with_or_without_a_proxy() {
    let canary = Server::responding(OK).await;
    let direct = rules("http://site.test/");
    let mut through = rules("http://site.test/");
    // The proxy itself is on the list of allowed targets.
    through.proxies = vec![format!("http://localhost:{}", canary.port)];
    let named = Guard::new(false, vec![EgressTarget::parse("localhost").unwrap()]);
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.0.0.1.",
        "0.0.0.0",
        "10.0.0.1",
        "169.254.169.254",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:a00:1]",
        "[64:ff9b::127.0.0.1]",
        "[fe80::1]",
        "[fd00::1]",
        "a.localhost",
    ] {
        for egress in [
            egress(&direct, Guard::public_only()),
            egress(&through, named.clone()),
        ] {
            for result in both(&egress, host, canary.port).await {
                assert_eq!(result.unwrap_err().kind, FailKind::AddressRefused, "{host}");
            }
        }
    }
    // Names are resolved here only without a proxy.
    for host in ["mixed.test", "site.test", "localhost"] {
        let egress = egress(&direct, Guard::public_only());
        for result in both(&egress, host, canary.port).await {
            assert_eq!(result.unwrap_err().kind, FailKind::AddressRefused, "{host}");
        }
    }
    // A proxy with a private address that is not allowed.
    let egress = egress(&through, Guard::public_only());
    for result in both(&egress, "example.org", 80).await {
        assert_eq!(result.unwrap_err().kind, FailKind::AddressRefused);
    }
    assert_eq!(canary.accepts(), 0);
}

#[tokio::test]
async fn failures_are_distinguished_and_invalid_hosts_are_refused() {
    let egress = egress(&rules("http://site.test/"), Guard::anywhere());
    for (host, port, kind) in [
        ("nowhere.test", 80, FailKind::Dns),
        ("site.test", 1, FailKind::Connect),
        ("a/b", 80, FailKind::Protocol),
        ("u@site.test", 80, FailKind::Protocol),
        ("", 80, FailKind::Protocol),
        ("a b", 80, FailKind::Protocol),
        ("[::1", 80, FailKind::Protocol),
        ("a?", 80, FailKind::Protocol),
    ] {
        for result in both(&egress, host, port).await {
            assert_eq!(result.unwrap_err().kind, kind, "{host}");
        }
    }
}

#[tokio::test]
async fn allowed_hosts_are_dialed_directly() {
    let server = Server::responding(OK).await;
    let guard = Guard::new(false, vec![EgressTarget::parse("site.test").unwrap()]);
    let egress = egress(&rules("http://site.test/"), guard);
    let tunnel = egress.tunnel("SITE.test", server.port).await.unwrap();
    assert_eq!(exchange(tunnel, "GET / HTTP/1.1\r\n\r\n").await, OK);
    match egress.plain("site.test", server.port).await.unwrap() {
        PlainConnection::Direct(stream) => {
            assert_eq!(exchange(stream, "GET / HTTP/1.1\r\n\r\n").await, OK);
        }
        other @ PlainConnection::Proxy { .. } => panic!("{other:?}"),
    }
    assert_eq!(server.accepts(), 2);
}

#[tokio::test]
async fn a_proxy_is_used_with_connect_or_in_absolute_form() {
    let proxy = Server::start(|mut conn| async move {
        let head = conn.request().await.unwrap();
        if head.starts_with("CONNECT") {
            conn.send(b"HTTP/1.1 200 yes\r\n\r\n").await;
            conn.request().await;
        }
        conn.send(OK.as_bytes()).await;
        conn.disconnected().await;
    })
    .await;
    let mut rules = rules("http://site.test/");
    rules.proxies = vec![format!("http://me:s3cret@127.0.0.1:{}", proxy.port)];
    let egress = egress(&rules, Guard::anywhere());
    let tunnel = egress.tunnel("far.example", 444).await.unwrap();
    assert_eq!(exchange(tunnel, "GET /in HTTP/1.1\r\n\r\n").await, OK);
    let PlainConnection::Proxy {
        stream,
        authorization,
    } = egress.plain("far.example", 80).await.unwrap()
    else {
        panic!("not through the proxy");
    };
    assert_eq!(authorization.unwrap(), "Basic bWU6czNjcmV0");
    let request = "GET http://far.example/ HTTP/1.1\r\n\r\n";
    assert_eq!(exchange(stream, request).await, OK);
    let heads = proxy.heads();
    assert!(
        heads[0].starts_with("CONNECT far.example:444 HTTP/1.1\r\n"),
        "{heads:?}"
    );
    assert!(heads[0].contains("proxy-authorization: Basic bWU6czNjcmV0\r\n"));
    assert!(heads[1].starts_with("GET /in "), "{heads:?}");
    assert!(
        heads[2].starts_with("GET http://far.example/ "),
        "{heads:?}"
    );
}

#[tokio::test]
async fn the_callers_headers_are_for_one_origin() {
    let mut rules = rules("http://site.test:81/start");
    rules.headers = vec![
        ("X-Key".into(), "ké".into()),
        ("Host".into(), "elsewhere".into()),
    ];
    rules.userinfo = Userinfo::of("http://me:s3cret@example.org/");
    let egress = egress(&rules, Guard::anywhere());
    assert_eq!(egress.user_agent(), "testbot/1.0");
    let caller_headers_for = |url: &str, requested: Option<&RequestedUrl>| {
        let url = CrawlUrl::parse(url).unwrap();
        egress.caller_headers(&url, requested)
    };
    let key = ("x-key".to_owned(), "ké".to_owned());
    let basic = |coded: &str| ("authorization".to_owned(), format!("Basic {coded}"));
    let seed_headers = caller_headers_for("http://site.test:81/other", None);
    assert_eq!(seed_headers, [key.clone(), basic("bWU6czNjcmV0")]);
    for other_origin in [
        "http://site.test/",
        "https://site.test:81/",
        "http://a.site.test:81/",
    ] {
        assert!(
            caller_headers_for(other_origin, None).is_empty(),
            "{other_origin}"
        );
    }
    let requested = RequestedUrl::parse("https://you:too@requested.test/").unwrap();
    assert_eq!(
        caller_headers_for("https://requested.test/page", Some(&requested)),
        [key.clone(), basic("eW91OnRvbw==")]
    );
    assert!(caller_headers_for("http://site.test:81/", Some(&requested)).is_empty());
    let requested = RequestedUrl::parse("https://requested.test/").unwrap();
    assert_eq!(
        caller_headers_for("https://requested.test/page", Some(&requested)),
        [key]
    );
}
