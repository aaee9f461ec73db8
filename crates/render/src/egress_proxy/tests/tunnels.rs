//! Tunnels.

use model::FailKind;
use testsite::{Answer, Proxy, ProxyRules, Request, Server};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::browser::{Browser, PATIENCE, proxy, proxy_through};
use crate::egress_proxy::EgressProxy;

#[tokio::test]
async fn bytes_go_both_ways_and_are_counted() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let large = "x".repeat(1_000_000);
    let sent = large.clone();
    let served = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut conn = Browser { stream };
        assert_eq!(conn.exactly(4).await, "ping");
        conn.say(&sent).await;
        conn.stream.shutdown().await.unwrap();
        assert_eq!(conn.exactly(3).await, "bye");
    });
    let proxy = proxy();
    let mut browser = Browser::connect(&proxy).await;
    // The first bytes may come along with the head.
    let to = format!("site.test:{port}");
    browser
        .say(&format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\nping"))
        .await;
    let head = browser.head().await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(!head.to_lowercase().contains("content-length"), "{head}");
    assert_eq!(browser.exactly(large.len()).await, large);
    browser.say("bye").await;
    served.await.unwrap();
    assert_eq!(proxy.bytes_in(), 1_000_000);
    assert_eq!(proxy.asked(), 1);
}

#[tokio::test]
async fn what_may_not_be_dialled_is_not_and_the_reason_is_kept() {
    let canary = Server::start(|_: &Request| Answer::status(200));
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
        let mut browser = Browser::connect(&proxy).await;
        let head = browser.tunnel(&format!("{host}:{port}")).await;
        assert!(head.starts_with("HTTP/1.1 502"), "{host}: {head}");
        let failure = proxy.failure_of(host, port).unwrap();
        assert_eq!(failure.kind, kind, "{host}");
    }
    assert_eq!(proxy.refused(), 7);
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn through_a_proxy_of_the_operators() {
    let site = Server::start(|_: &Request| Answer::text("there"));
    let upstream = Proxy::start_with(ProxyRules {
        credentials: Some(("me".into(), "s3cret".into())),
        route: Some(site.addr()),
    });
    let at = format!("upstream.test:{}", upstream.addr().port());
    let proxy = proxy_through(&[format!("http://me:s3cret@{at}")]);
    let mut browser = Browser::connect(&proxy).await;
    let head = browser.tunnel("far.example:443").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    browser.say("GET / HTTP/1.1\r\nhost: far\r\n\r\n").await;
    assert!(browser.head().await.starts_with("HTTP/1.1 200"));
    assert_eq!(upstream.hits()[0].path_and_query, "far.example:443");

    let proxy = proxy_through(&[format!("http://me:wrong@{at}")]);
    let mut browser = Browser::connect(&proxy).await;
    let head = browser.tunnel("far.example:443").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let failure = proxy.failure_of("far.example", 443).unwrap();
    assert_eq!(failure.words, "the proxy refused the tunnel (407)");
}

#[tokio::test]
async fn a_proxy_that_is_dead_is_told_as_such() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = gone.local_addr().unwrap().port();
    drop(gone);
    let proxy = proxy_through(&[format!("http://upstream.test:{port}")]);
    let mut browser = Browser::connect(&proxy).await;
    let head = browser.tunnel("far.example:443").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let mut browser = Browser::connect(&proxy).await;
    let (head, _) = browser.get("http://far.example/").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let words = format!("the proxy upstream.test:{port} cannot be reached: connection refused");
    for port in [443, 80] {
        let failure = proxy.failure_of("far.example", port).unwrap();
        assert_eq!((failure.kind, &failure.words), (FailKind::Connect, &words));
    }
}

#[tokio::test]
async fn a_proxy_that_hangs_up_is_told_as_such() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            drop(stream);
        }
    });
    let proxy = proxy_through(&[format!("http://upstream.test:{port}")]);
    let mut browser = Browser::connect(&proxy).await;
    let (head, _) = browser.get("http://far.example/").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let failure = proxy.failure_of("far.example", 80).unwrap();
    assert!(failure.words.starts_with("the proxy closed"), "{failure}");
}

#[tokio::test]
async fn one_that_refuses_everything_dials_nobody() {
    let canary = Server::start(|_: &Request| Answer::status(200));
    let proxy = EgressProxy::refusing().unwrap();
    let mut browser = Browser::connect(&proxy).await;
    let url = format!("http://127.0.0.1:{}/", canary.port());
    let (head, _) = browser.get(&url).await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let mut browser = Browser::connect(&proxy).await;
    let head = browser.tunnel("update.example:443").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    assert_eq!(proxy.asked(), 2);
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn a_tunnel_over_which_nothing_goes_is_ended() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let proxy = proxy();
    let mut browser = Browser::connect(&proxy).await;
    let head = browser.tunnel(&format!("site.test:{port}")).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let (stream, _) = listener.accept().await.unwrap();
    let mut far = Browser { stream };
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    browser.gone().await;
    far.gone().await;
    let took = began.elapsed();
    assert!(took.as_secs() >= 59 && took.as_secs() <= 61, "{took:?}");
    assert!(PATIENCE < took);
}
