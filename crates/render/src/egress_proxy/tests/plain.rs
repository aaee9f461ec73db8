//! Plain requests, passed on.

use std::fmt::Write;

use model::FailKind;
use testsite::{Answer, Proxy, ProxyRules, Request, Server};
use tokio::net::TcpListener;

use super::browser::{Browser, header, proxy, proxy_through};

/// Says what it was asked.
fn echo() -> Server {
    Server::start(|request: &Request| {
        let mut told = format!("{} {}\n", request.method(), request.target());
        for (name, value) in request.headers() {
            let _ = writeln!(told, "{name}: {value}");
        }
        told += &String::from_utf8_lossy(request.body());
        Answer::text(told).header("X-Answer", "yes")
    })
}

#[tokio::test]
async fn requests_go_to_the_origin_in_its_form_over_one_connection() {
    let site = echo();
    let proxy = proxy();
    let mut browser = Browser::connect(&proxy).await;
    for path in ["/a?b=c", "/second", "/third"] {
        let url = format!("http://site.test:{}{path}", site.port());
        let (head, told) = browser.get(&url).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert_eq!(header(&head, "x-answer"), Some("yes"));
        assert!(told.starts_with(&format!("GET {path}\n")), "{told}");
        assert!(told.contains(&format!("Host: site.test:{}\n", site.port())));
        assert!(!told.to_lowercase().contains("connection"), "{told}");
    }
    assert_eq!(site.connections(), 1, "kept alive on both sides");
    assert_eq!(proxy.asked(), 3);
    assert_eq!(proxy.failure_of("site.test", site.port()), None);
    let seen = proxy.bytes_in();
    // The site counts what it sent when it has sent it, which may be later than it is here.
    let counted = async {
        while site.total_bytes_sent() != seen {
            tokio::task::yield_now().await;
        }
    };
    let counted = tokio::time::timeout(super::browser::PATIENCE, counted).await;
    assert!(counted.is_ok(), "{seen}, {}", site.total_bytes_sent());
    proxy.begin_page();
    assert_eq!(proxy.bytes_in(), 0);
    browser
        .get(&format!("http://site.test:{}/", site.port()))
        .await;
    assert_eq!(site.connections(), 1, "a new page keeps its connections");
    assert!(proxy.bytes_in() > 0 && proxy.bytes_in() < seen);
}

#[tokio::test]
async fn a_body_goes_along_and_another_host_is_another_connection() {
    let (one, two) = (echo(), echo());
    let proxy = proxy();
    let mut browser = Browser::connect(&proxy).await;
    for site in [&one, &two, &one] {
        let port = site.port();
        browser
            .say(&format!(
                "POST http://site.test:{port}/form HTTP/1.1\r\nHost: elsewhere\r\ncontent-length: 5\r\n\r\na=b&c"
            ))
            .await;
        let head = browser.head().await;
        let length = header(&head, "content-length").unwrap().parse().unwrap();
        let told = browser.exactly(length).await;
        assert!(told.starts_with("POST /form\n"), "{told}");
        assert!(told.ends_with("a=b&c"), "{told}");
        assert!(told.contains(&format!(": site.test:{port}\n")), "{told}");
    }
    assert_eq!((one.connections(), two.connections()), (2, 1));
}

#[tokio::test]
async fn a_connection_the_server_closed_meanwhile_costs_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = tokio::spawn(async move {
        for _ in 0..3 {
            let (stream, _) = listener.accept().await.unwrap();
            let mut conn = Browser { stream };
            conn.head().await;
            conn.say("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi")
                .await;
        }
    });
    let proxy = proxy();
    let mut browser = Browser::connect(&proxy).await;
    for _ in 0..3 {
        let (head, body) = browser.get(&format!("http://site.test:{port}/")).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert_eq!(body, "hi");
    }
    served.await.unwrap();
}

#[tokio::test]
async fn why_a_host_could_not_be_had_is_told_apart() {
    let site = echo();
    let mute = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mute_port = mute.local_addr().unwrap().port();
    tokio::spawn(async move { while mute.accept().await.is_ok() {} });
    let babble = Server::start(|_: &Request| Answer::raw("what do you want\r\n\r\n"));
    let switch = Server::start(|_: &Request| {
        Answer::raw("HTTP/1.1 101 Switching Protocols\r\nupgrade: mine\r\n\r\n")
    });
    let proxy = proxy();
    let mut browser = Browser::connect(&proxy).await;
    for (host, port, kind) in [
        ("private.test", site.port(), FailKind::AddressRefused),
        ("mixed.test", site.port(), FailKind::AddressRefused),
        ("127.0.0.1", site.port(), FailKind::AddressRefused),
        ("[::1]", site.port(), FailKind::AddressRefused),
        ("169.254.169.254", 80, FailKind::AddressRefused),
        ("nowhere.test", 80, FailKind::Dns),
        ("site.test", 1, FailKind::Connect),
        ("site.test", mute_port, FailKind::Reset),
        ("site.test", babble.port(), FailKind::Protocol),
        ("site.test", switch.port(), FailKind::Protocol),
    ] {
        let (head, body) = browser.get(&format!("http://{host}:{port}/")).await;
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
async fn what_is_no_request_to_a_proxy_is_a_bad_one() {
    let site = echo();
    let port = site.port();
    let proxy = proxy();
    for ask in [
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
        let mut browser = Browser::connect(&proxy).await;
        browser.say(&ask).await;
        let head = browser.head().await;
        assert!(
            head.starts_with("HTTP/1.1 400") || head.is_empty(),
            "{ask:?}: {head}"
        );
        browser.gone().await;
    }
    assert_eq!(site.total(), 0);
}

#[tokio::test]
async fn a_proxy_of_the_operators_is_asked_in_its_form_and_with_its_credentials() {
    let site = echo();
    let upstream = Proxy::start_with(ProxyRules {
        credentials: Some(("me".into(), "s3cret".into())),
        route: Some(site.addr()),
    });
    let port = upstream.addr().port();
    let proxy = proxy_through(&[format!("http://me:s3cret@upstream.test:{port}")]);
    let mut browser = Browser::connect(&proxy).await;
    let (head, told) = browser.get("http://far.example/x").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(told.starts_with("GET /x\n"), "{told}");
    assert!(
        !told.contains("s3cret") && !told.contains("roxy-"),
        "{told}"
    );
    assert_eq!(upstream.hits()[0].path_and_query, "http://far.example/x");

    // A literal is judged by us, whoever would dial it.
    let (head, _) = browser.get("http://10.0.0.1/").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let refused = proxy.failure_of("10.0.0.1", 80).unwrap();
    assert_eq!(refused.kind, FailKind::AddressRefused);

    // Not let in: the browser must not be asked for credentials.
    let proxy = proxy_through(&[format!("http://me:wrong@upstream.test:{port}")]);
    let mut browser = Browser::connect(&proxy).await;
    let (head, _) = browser.get("http://far.example/x").await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let failure = proxy.failure_of("far.example", 80).unwrap();
    assert_eq!(failure.words, "the proxy refused the request (407)");
}
