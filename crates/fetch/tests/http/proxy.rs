//! Proxies: absolute form for plain requests, tunnels for https.

use crawler_model::FailKind;
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;

use crate::fetchers::{fetcher, html, page, rules};
use crate::server::{HTML, Server, response};
use crate::tls::{Certified, trusting};

#[tokio::test]
async fn plain_requests_use_absolute_form_over_one_connection() {
    let proxy = Server::responding(response("200 OK", HTML, "<p>by proxy")).await;
    let mut rules = rules("http://example.org/");
    rules.proxies = vec![format!("http://me:s3cret@127.0.0.1:{}", proxy.port)];
    let fetcher = fetcher(&rules);
    for url in ["http://example.org/a?b", "http://other.example:81/c"] {
        let got = page(&fetcher, url).await.unwrap();
        assert_eq!(html(&got), b"<p>by proxy");
    }
    let heads = proxy.heads();
    assert!(
        heads[0].starts_with("GET http://example.org/a?b HTTP/1.1\r\n"),
        "{}",
        heads[0]
    );
    assert!(heads[0].contains("host: example.org\r\n"), "{}", heads[0]);
    assert!(heads[0].contains("proxy-authorization: Basic bWU6czNjcmV0\r\n"));
    assert!(heads[1].starts_with("GET http://other.example:81/c HTTP/1.1\r\n"));
    assert!(heads[1].contains("host: other.example:81\r\n"));
    assert_eq!(proxy.accepts(), 1);
}

#[tokio::test]
async fn proxies_are_used_in_turn() {
    let one = Server::responding(response("200 OK", HTML, "1")).await;
    let two = Server::responding(response("200 OK", HTML, "2")).await;
    let mut rules = rules("http://example.org/");
    rules.proxies = vec![one.url(""), two.url("")];
    let fetcher = fetcher(&rules);
    for _ in 0..6 {
        page(&fetcher, "http://example.org/").await.unwrap();
    }
    assert_eq!((one.heads().len(), two.heads().len()), (3, 3));
    assert_eq!((one.accepts(), two.accepts()), (1, 1));
}

/// Starts a proxy that connects every tunnel to one local port.
async fn tunnel_proxy(port: u16) -> Server {
    Server::start(move |mut conn| async move {
        let head = conn.request().await.unwrap();
        if !head.contains("proxy-authorization: Basic bWU6czNjcmV0\r\n") {
            conn.send(b"HTTP/1.1 407 Who are you\r\ncontent-length: 0\r\n\r\n")
                .await;
            return;
        }
        conn.send(b"HTTP/1.1 200 Go ahead\r\n\r\n").await;
        let mut origin = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        copy_bidirectional(&mut conn.stream, &mut origin).await.ok();
    })
    .await
}

#[tokio::test]
async fn https_goes_through_a_tunnel() {
    let certified = Certified::new(&["example.org"]);
    for protocol in ["h2", "http/1.1"] {
        let origin = certified.server(protocol).await;
        let proxy = tunnel_proxy(origin.port).await;
        let mut rules = rules("https://example.org/");
        rules.proxies = vec![format!("http://me:s3cret@127.0.0.1:{}", proxy.port)];
        let fetcher = trusting(&rules, &certified);
        for _ in 0..10 {
            let got = page(&fetcher, "https://example.org/").await.unwrap();
            assert_eq!(html(&got), b"<p>tls");
        }
        assert_eq!((proxy.accepts(), origin.accepts()), (1, 1), "{protocol}");
        let head = &proxy.heads()[0];
        assert!(
            head.starts_with("CONNECT example.org:443 HTTP/1.1\r\n"),
            "{head}"
        );
        assert!(head.contains("host: example.org:443\r\n"), "{head}");
    }
}

#[tokio::test]
async fn refusals_by_a_proxy_are_reported() {
    let certified = Certified::new(&["example.org"]);
    let proxy = tunnel_proxy(1).await;
    let mut with_proxy = rules("https://example.org/");
    with_proxy.proxies = vec![proxy.url("")];
    let failure = page(&trusting(&with_proxy, &certified), "https://example.org/").await;
    let failure = failure.unwrap_err();
    assert_eq!(failure.kind, FailKind::Connect);
    assert_eq!(failure.message, "the proxy refused the tunnel (407)");

    let proxy = Server::responding(response("407 Who are you", "", "")).await;
    with_proxy.proxies = vec![proxy.url("")];
    let failure = page(&fetcher(&with_proxy), "http://example.org/")
        .await
        .unwrap_err();
    assert_eq!(failure.kind, FailKind::Connect);
    assert_eq!(failure.message, "the proxy refused the request (407)");

    let proxy = Server::start(|mut conn| async move { drop(conn.request().await) }).await;
    with_proxy.proxies = vec![proxy.url("")];
    let failure = page(&trusting(&with_proxy, &certified), "https://example.org/").await;
    assert_eq!(
        failure.unwrap_err().message,
        "the proxy closed the connection"
    );
}
