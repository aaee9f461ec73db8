//! Limits on heads and connections, and the end of the proxy.

use crawler_model::PageBudgets;
use testsite::{Request, Server, SiteResponse};
use tokio::net::TcpListener;
use tokio::time::{Duration, Instant, timeout};

use super::proxy_client::{ProxyClient, TEST_TIMEOUT, proxy, proxy_with};
use crate::budget_meter::BudgetMeter;
use crate::egress_proxy::{EgressProxy, MAX_CONNECTIONS, MAX_HEAD};

fn site() -> Server {
    Server::start(|_: &Request| SiteResponse::text("there"))
}

/// Opens a tunnel. Returns both ends.
async fn open_tunnel(proxy: &EgressProxy) -> (ProxyClient, ProxyClient) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut client = ProxyClient::connect(proxy).await;
    let head = client.tunnel(&format!("site.test:{port}")).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let (stream, _) = listener.accept().await.unwrap();
    (client, ProxyClient { stream })
}

#[tokio::test]
async fn a_missing_head_ends_the_connection() {
    let proxy = proxy();
    let mut client = ProxyClient::connect(&proxy).await;
    client
        .send("GET http://site.test/ HTTP/1.1\r\nx-slow: ")
        .await;
    tokio::time::pause();
    let began = Instant::now();
    client.closed().await;
    assert!(
        began.elapsed() <= Duration::from_secs(11),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(proxy.requests(), 0);
}

#[tokio::test]
async fn an_endless_head_is_refused() {
    let proxy = proxy();
    let mut client = ProxyClient::connect(&proxy).await;
    let long = "x".repeat(MAX_HEAD * 2);
    let request = format!("GET http://site.test/ HTTP/1.1\r\nx-long: {long}\r\n\r\n");
    // The other side may close before all of it is written.
    let _ = tokio::io::AsyncWriteExt::write_all(&mut client.stream, request.as_bytes()).await;
    timeout(TEST_TIMEOUT, client.closed()).await.unwrap();
    assert_eq!(proxy.requests(), 0);
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_for_a_free_slot() {
    let site = site();
    let url = format!("http://site.test:{}/", site.port());
    let proxy = proxy();
    let mut clients = Vec::new();
    for _ in 0..MAX_CONNECTIONS {
        let mut client = ProxyClient::connect(&proxy).await;
        let (head, _) = client.get(&url).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        clients.push(client);
    }
    let mut waiting = ProxyClient::connect(&proxy).await;
    let request = format!("GET {url} HTTP/1.1\r\nhost: site.test\r\n\r\n");
    waiting.send(&request).await;
    let early = timeout(Duration::from_millis(100), waiting.head()).await;
    assert!(early.is_err(), "all slots are taken: {early:?}");
    clients.pop();
    assert!(waiting.head().await.starts_with("HTTP/1.1 200"));
    assert_eq!(proxy.requests(), MAX_CONNECTIONS as u64 + 1);
}

#[tokio::test]
async fn dropping_the_proxy_closes_its_connections() {
    let proxy = proxy();
    let port = proxy.port();
    let (mut client, mut far) = open_tunnel(&proxy).await;
    let site = site();
    let mut idle = ProxyClient::connect(&proxy).await;
    idle.get(&format!("http://site.test:{}/", site.port()))
        .await;
    drop(proxy);
    for conn in [&mut client, &mut far, &mut idle] {
        timeout(TEST_TIMEOUT, conn.closed()).await.unwrap();
    }
    let began = Instant::now();
    while tokio::net::TcpStream::connect(("127.0.0.1", port))
        .await
        .is_ok()
    {
        assert!(began.elapsed() < TEST_TIMEOUT, "it still listens");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_page_over_a_budget_reaches_nothing_more() {
    let site = site();
    let budgets = |budgets| proxy_with(&[], BudgetMeter::new(budgets));
    let get = async |proxy: &EgressProxy, host: &str| {
        let mut client = ProxyClient::connect(proxy).await;
        let url = format!("http://{host}:{}/", site.port());
        client.get(&url).await.0
    };
    let requests = budgets(PageBudgets {
        requests: 2,
        ..PageBudgets::UNLIMITED
    });
    for status in [200, 200, 502, 502] {
        let head = get(&requests, "site.test").await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{head}");
    }
    assert_eq!(site.total(), 2);
    let hosts = budgets(PageBudgets {
        hosts: 1,
        ..PageBudgets::UNLIMITED
    });
    for (host, status) in [
        ("site.test", 200),
        ("SITE.test", 200),
        ("upstream.test", 502),
    ] {
        let head = get(&hosts, host).await;
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status}")),
            "{host}: {head}"
        );
    }
    assert_eq!(site.total(), 4);
}

/// WebSockets and TLS are tunnels.
#[tokio::test]
async fn a_tunnel_is_closed_when_the_page_exceeds_its_bytes_in_either_direction() {
    for from_page in [true, false] {
        let budgets = PageBudgets {
            bytes: 1_000,
            ..PageBudgets::UNLIMITED
        };
        let proxy = proxy_with(&[], BudgetMeter::new(budgets));
        let (mut page, mut network) = open_tunnel(&proxy).await;
        let (sender, receiver) = if from_page {
            (&mut page, &mut network)
        } else {
            (&mut network, &mut page)
        };
        sender.send(&"x".repeat(1_000)).await;
        assert_eq!(receiver.exactly(1_000).await.len(), 1_000);
        sender.send("y").await;
        page.closed().await;
    }
}
