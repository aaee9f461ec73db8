//! Forwarded plain requests.

use std::fmt::Write;

use crawler_model::FailKind;
use testsite::{Proxy, ProxyRules, Request, Server, SiteResponse};
use tokio::net::TcpListener;

use super::proxy_client::{ProxyClient, header, proxy, proxy_through};

/// Responds with the request it received.
fn echo() -> Server {
    Server::start(|request: &Request| {
        let mut body = format!("{} {}\n", request.method(), request.target());
        for (name, value) in request.headers() {
            let _ = writeln!(body, "{name}: {value}");
        }
        body += &String::from_utf8_lossy(request.body());
        SiteResponse::text(body).header("X-Response", "yes")
    })
}

#[tokio::test]
async fn requests_are_forwarded_in_origin_form_over_one_connection() {
    let site = echo();
    let proxy = proxy();
    let mut client = ProxyClient::connect(&proxy).await;
    for path in ["/a?b=c", "/second", "/third"] {
        let url = format!("http://site.test:{}{path}", site.port());
        let (head, body) = client.get(&url).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert_eq!(header(&head, "x-response"), Some("yes"));
        assert!(body.starts_with(&format!("GET {path}\n")), "{body}");
        assert!(body.contains(&format!("Host: site.test:{}\n", site.port())));
        assert!(!body.to_lowercase().contains("connection"), "{body}");
    }
    assert_eq!(site.connections(), 1, "kept alive on both sides");
    assert_eq!(proxy.requests(), 3);
    assert_eq!(proxy.failure_of("site.test", site.port()), None);
    let seen = proxy.bytes_in();
    // The site counts bytes after sending them, which may be after they arrive here.
    let counted = async {
        while site.total_bytes_sent() != seen {
            tokio::task::yield_now().await;
        }
    };
    let counted = tokio::time::timeout(super::proxy_client::TEST_TIMEOUT, counted).await;
    assert!(counted.is_ok(), "{seen}, {}", site.total_bytes_sent());
    proxy.begin_page();
    assert_eq!(proxy.bytes_in(), 0);
    client
        .get(&format!("http://site.test:{}/", site.port()))
        .await;
    assert_eq!(site.connections(), 1, "a new page keeps its connections");
    assert!(proxy.bytes_in() > 0 && proxy.bytes_in() < seen);
}

#[tokio::test]
async fn bodies_are_forwarded_and_each_host_has_its_own_connection() {
    let (one, two) = (echo(), echo());
    let proxy = proxy();
    let mut client = ProxyClient::connect(&proxy).await;
    for site in [&one, &two, &one] {
        let port = site.port();
        client
            .send(&format!(
                "POST http://site.test:{port}/form HTTP/1.1\r\nHost: elsewhere\r\ncontent-length: 5\r\n\r\na=b&c"
            ))
            .await;
        let head = client.head().await;
        let length = header(&head, "content-length").unwrap().parse().unwrap();
        let body = client.exactly(length).await;
        assert!(body.starts_with("POST /form\n"), "{body}");
        assert!(body.ends_with("a=b&c"), "{body}");
        assert!(body.contains(&format!(": site.test:{port}\n")), "{body}");
    }
    assert_eq!((one.connections(), two.connections()), (2, 1));
}

#[tokio::test]
async fn a_connection_closed_by_the_server_is_replaced() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = tokio::spawn(async move {
        for _ in 0..3 {
            let (stream, _) = listener.accept().await.unwrap();
            let mut conn = ProxyClient { stream };
            conn.head().await;
            conn.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi")
                .await;
        }
    });
    let proxy = proxy();
    let mut client = ProxyClient::connect(&proxy).await;
    for _ in 0..3 {
        let (head, body) = client.get(&format!("http://site.test:{port}/")).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert_eq!(body, "hi");
    }
    served.await.unwrap();
}

#[tokio::test]
async fn failures_are_distinguished_by_host() {
    let site = echo();
    let closing = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closing_port = closing.local_addr().unwrap().port();
    tokio::spawn(async move { while closing.accept().await.is_ok() {} });
    let not_http = Server::start(|_: &Request| SiteResponse::raw("not HTTP\r\n\r\n"));
    let switch = Server::start(|_: &Request| {
        SiteResponse::raw("HTTP/1.1 101 Switching Protocols\r\nupgrade: mine\r\n\r\n")
    });
    let proxy = proxy();
    let mut client = ProxyClient::connect(&proxy).await;
    for (host, port, kind) in [
        ("private.test", site.port(), FailKind::AddressRefused),
        ("mixed.test", site.port(), FailKind::AddressRefused),
        ("127.0.0.1", site.port(), FailKind::AddressRefused),
        ("[::1]", site.port(), FailKind::AddressRefused),
        ("169.254.169.254", 80, FailKind::AddressRefused),
        ("nowhere.test", 80, FailKind::Dns),
        ("site.test", 1, FailKind::Connect),
        ("site.test", closing_port, FailKind::Reset),
        ("site.test", not_http.port(), FailKind::Protocol),
        ("site.test", switch.port(), FailKind::Protocol),
    ] {
        let (head, body) = client.get(&format!("http://{host}:{port}/")).await;
        assert!(head.starts_with("HTTP/1.1 502"), "{host}: {head}");
        assert_eq!(body, "");
        let failure = proxy.failure_of(&host.to_uppercase(), port);
        assert_eq!(failure.unwrap().kind, kind, "{host}:{port}");
    }
    assert_eq!(proxy.refused(), 5);
    assert_eq!(site.total(), 0);
    proxy.begin_page();
    assert_eq!(proxy.failure_of("nowhere.test", 80), None);
    assert_eq!(proxy.refused(), 5, "counted since the start");
}

#[tokio::test]
async fn invalid_proxy_requests_are_rejected() {
    let site = echo();
    let port = site.port();
    let proxy = proxy();
    for request in [
        "GET / HTTP/1.1\r\nhost: site.test\r\n\r\n".to_owned(),
        format!("GET https://site.test:{port}/ HTTP/1.1\r\nhost: site.test\r\n\r\n"),
        format!("GET ftp://site.test:{port}/ HTTP/1.1\r\nhost: site.test\r\n\r\n"),
        "GET http://site.test:99999/ HTTP/1.1\r\nhost: site.test\r\n\r\n".to_owned(),
        "OPTIONS * HTTP/1.1\r\nhost: site.test\r\n\r\n".to_owned(),
        "CONNECT site.test HTTP/1.1\r\nhost: site.test\r\n\r\n".to_owned(),
        "CONNECT /path HTTP/1.1\r\nhost: site.test\r\n\r\n".to_owned(),
        "\u{16}\u{3}\u{1}\u{2}\r\n\r\n".to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
    ] {
        let mut client = ProxyClient::connect(&proxy).await;
        client.send(&request).await;
        let head = client.head().await;
        assert!(
            head.starts_with("HTTP/1.1 400") || head.is_empty(),
            "{request:?}: {head}"
        );
        client.closed().await;
    }
    assert_eq!(site.total(), 0);
}

#[tokio::test]
async fn an_upstream_proxy_is_used_in_absolute_form_with_its_credentials() {
    let site = echo();
    let upstream = Proxy::start_with(ProxyRules {
        credentials: Some(("me".into(), "s3cret".into())),
        route: Some(site.addr()),
    });
    let port = upstream.addr().port();
    let proxy = proxy_through(&[format!("http://me:s3cret@upstream.test:{port}")]);
    let mut client = ProxyClient::connect(&proxy).await;
    let (head, body) = client.get("http://far.example/x").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(body.starts_with("GET /x\n"), "{body}");
    assert!(
        !body.contains("s3cret") && !body.contains("roxy-"),
        "{body}"
    );
    assert_eq!(upstream.hits()[0].path_and_query, "http://far.example/x");

    // IP literals are checked here even if the upstream proxy would dial them.
    let (head, _) = client.get("http://10.0.0.1/").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let refused = proxy.failure_of("10.0.0.1", 80).unwrap();
    assert_eq!(refused.kind, FailKind::AddressRefused);

    // With wrong credentials: the browser must not be asked for credentials.
    let proxy = proxy_through(&[format!("http://me:wrong@upstream.test:{port}")]);
    let mut client = ProxyClient::connect(&proxy).await;
    let (head, _) = client.get("http://far.example/x").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let failure = proxy.failure_of("far.example", 80).unwrap();
    assert_eq!(failure.message, "the proxy refused the request (407)");
}
