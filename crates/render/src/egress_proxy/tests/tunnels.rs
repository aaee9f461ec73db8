//! Tunnels.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crawler_model::FailKind;
use testsite::{Proxy, ProxyRules, Request, Server, SiteResponse};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::proxy_client::{ProxyClient, TEST_TIMEOUT, proxy, proxy_through};
use crate::egress_proxy::EgressProxy;

#[tokio::test]
async fn bytes_pass_in_both_directions_and_are_counted() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let large = "x".repeat(1_000_000);
    let sent = large.clone();
    let served = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut conn = ProxyClient { stream };
        assert_eq!(conn.exactly(4).await, "ping");
        conn.send(&sent).await;
        conn.stream.shutdown().await.unwrap();
        assert_eq!(conn.exactly(3).await, "bye");
    });
    let proxy = proxy();
    let mut client = ProxyClient::connect(&proxy).await;
    // The first bytes may arrive together with the head.
    let to = format!("site.test:{port}");
    client
        .send(&format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\nping"))
        .await;
    let head = client.head().await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(!head.to_lowercase().contains("content-length"), "{head}");
    assert_eq!(client.exactly(large.len()).await, large);
    client.send("bye").await;
    served.await.unwrap();
    assert_eq!(proxy.bytes_in(), 1_000_000);
    assert_eq!(proxy.requests(), 1);
}

#[tokio::test]
async fn refused_addresses_are_not_dialed_and_the_reason_is_recorded() {
    let canary = Server::start(|_: &Request| SiteResponse::status(200));
    let port = canary.port();
    let proxy = proxy();
    for (host, port, kind) in [
        ("127.0.0.1", port, FailKind::AddressRefused),
        ("127.1", port, FailKind::AddressRefused),
        ("2130706433", port, FailKind::AddressRefused),
        ("[::1]", port, FailKind::AddressRefused),
        ("[::ffff:127.0.0.1]", port, FailKind::AddressRefused),
        ("localhost", port, FailKind::AddressRefused),
        ("mixed.test", port, FailKind::AddressRefused),
        ("nowhere.test", port, FailKind::Dns),
        ("site.test", 1, FailKind::Connect),
    ] {
        let mut client = ProxyClient::connect(&proxy).await;
        let head = client.tunnel(&format!("{host}:{port}")).await;
        assert!(head.starts_with("HTTP/1.1 502"), "{host}: {head}");
        let failure = proxy.failure_of(host, port).unwrap();
        assert_eq!(failure.kind, kind, "{host}");
    }
    assert_eq!(proxy.refused(), 7);
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn tunnels_go_through_an_upstream_proxy() {
    let site = Server::start(|_: &Request| SiteResponse::text("there"));
    let upstream = Proxy::start_with(ProxyRules {
        credentials: Some(("me".into(), "s3cret".into())),
        route: Some(site.addr()),
    });
    let at = format!("upstream.test:{}", upstream.addr().port());
    let proxy = proxy_through(&[format!("http://me:s3cret@{at}")]);
    let mut client = ProxyClient::connect(&proxy).await;
    let head = client.tunnel("far.example:443").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    client.send("GET / HTTP/1.1\r\nhost: far\r\n\r\n").await;
    assert!(client.head().await.starts_with("HTTP/1.1 200"));
    assert_eq!(upstream.hits()[0].path_and_query, "far.example:443");

    let proxy = proxy_through(&[format!("http://me:wrong@{at}")]);
    let mut client = ProxyClient::connect(&proxy).await;
    let head = client.tunnel("far.example:443").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let failure = proxy.failure_of("far.example", 443).unwrap();
    assert_eq!(failure.message, "the proxy refused the tunnel (407)");
}

#[tokio::test]
async fn an_unreachable_upstream_proxy_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let proxy = proxy_through(&[format!("http://upstream.test:{port}")]);
    let mut client = ProxyClient::connect(&proxy).await;
    let head = client.tunnel("far.example:443").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let mut client = ProxyClient::connect(&proxy).await;
    let (head, _) = client.get("http://far.example/").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let message = format!("the proxy upstream.test:{port} cannot be reached: connection refused");
    for port in [443, 80] {
        let failure = proxy.failure_of("far.example", port).unwrap();
        assert_eq!(
            (failure.kind, &failure.message),
            (FailKind::Connect, &message)
        );
    }
}

#[tokio::test]
async fn an_upstream_proxy_that_closes_the_connection_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            drop(stream);
        }
    });
    let proxy = proxy_through(&[format!("http://upstream.test:{port}")]);
    let mut client = ProxyClient::connect(&proxy).await;
    let (head, _) = client.get("http://far.example/").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let failure = proxy.failure_of("far.example", 80).unwrap();
    assert!(failure.message.starts_with("the proxy closed"), "{failure}");
}

#[tokio::test]
async fn a_refusing_proxy_dials_nothing() {
    let canary = Server::start(|_: &Request| SiteResponse::status(200));
    let strays = Arc::default();
    let proxy = EgressProxy::refusing(&strays).unwrap();
    let mut client = ProxyClient::connect(&proxy).await;
    let url = format!("http://127.0.0.1:{}/", canary.port());
    let (head, _) = client.get(&url).await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let mut client = ProxyClient::connect(&proxy).await;
    let head = client.tunnel("update.example:443").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    assert_eq!(proxy.requests(), 2);
    assert_eq!(canary.connections(), 0);
}

/// A browser that is due for replacement stays open beside its successor, and its own requests still count.
#[tokio::test]
async fn refusing_proxies_add_to_one_count() {
    let strays = Arc::<AtomicU64>::default();
    let retiring = EgressProxy::refusing(&strays).unwrap();
    let current = EgressProxy::refusing(&strays).unwrap();
    for proxy in [&retiring, &current, &retiring] {
        let mut client = ProxyClient::connect(proxy).await;
        client.tunnel("update.example:443").await;
    }
    assert_eq!(strays.load(Ordering::Relaxed), 3);
    drop(retiring);
    assert_eq!(strays.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn an_idle_tunnel_is_closed() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let proxy = proxy();
    let mut client = ProxyClient::connect(&proxy).await;
    let head = client.tunnel(&format!("site.test:{port}")).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let (stream, _) = listener.accept().await.unwrap();
    let mut far = ProxyClient { stream };
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    client.closed().await;
    far.closed().await;
    let took = began.elapsed();
    assert!(took.as_secs() >= 59 && took.as_secs() <= 61, "{took:?}");
    assert!(TEST_TIMEOUT < took);
}
