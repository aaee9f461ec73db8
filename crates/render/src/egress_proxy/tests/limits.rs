//! What is bounded: heads, connections, and all of it by the proxy's own end.

use testsite::{Answer, Request, Server};
use tokio::net::TcpListener;
use tokio::time::{Duration, Instant, timeout};

use super::browser::{Browser, PATIENCE, proxy};
use crate::egress_proxy::{EgressProxy, MAX_HEAD, MOST_CONNECTIONS};

fn site() -> Server {
    Server::start(|_: &Request| Answer::text("there"))
}

/// A tunnel that stands, and its far end.
async fn standing(proxy: &EgressProxy) -> (Browser, Browser) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut browser = Browser::connect(proxy).await;
    let head = browser.tunnel(&format!("site.test:{port}")).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let (stream, _) = listener.accept().await.unwrap();
    (browser, Browser { stream })
}

#[tokio::test]
async fn a_head_that_does_not_come_ends_the_connection() {
    let proxy = proxy();
    let mut browser = Browser::connect(&proxy).await;
    browser
        .say("GET http://site.test/ HTTP/1.1\r\nx-slow: ")
        .await;
    tokio::time::pause();
    let began = Instant::now();
    browser.gone().await;
    assert!(
        began.elapsed() <= Duration::from_secs(11),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(proxy.asked(), 0);
}

#[tokio::test]
async fn a_head_that_does_not_end_is_not_kept() {
    let proxy = proxy();
    let mut browser = Browser::connect(&proxy).await;
    let long = "x".repeat(MAX_HEAD * 2);
    let ask = format!("GET http://site.test/ HTTP/1.1\r\nx-long: {long}\r\n\r\n");
    // The other side may be gone before all of it is written.
    let _ = tokio::io::AsyncWriteExt::write_all(&mut browser.stream, ask.as_bytes()).await;
    timeout(PATIENCE, browser.gone()).await.unwrap();
    assert_eq!(proxy.asked(), 0);
}

#[tokio::test]
async fn no_more_connections_than_there_are_places_and_a_free_place_is_taken() {
    let site = site();
    let url = format!("http://site.test:{}/", site.port());
    let proxy = proxy();
    let mut standing_by = Vec::new();
    for _ in 0..MOST_CONNECTIONS {
        let mut browser = Browser::connect(&proxy).await;
        let (head, _) = browser.get(&url).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        standing_by.push(browser);
    }
    let mut late = Browser::connect(&proxy).await;
    let ask = format!("GET {url} HTTP/1.1\r\nhost: site.test\r\n\r\n");
    late.say(&ask).await;
    let unheard = timeout(Duration::from_millis(100), late.head()).await;
    assert!(unheard.is_err(), "there is no place: {unheard:?}");
    standing_by.pop();
    assert!(late.head().await.starts_with("HTTP/1.1 200"));
    assert_eq!(proxy.asked(), MOST_CONNECTIONS as u64 + 1);
}

#[tokio::test]
async fn a_cut_closes_what_is_open_and_nothing_after_it() {
    let site = site();
    let proxy = proxy();
    let (mut browser, mut far) = standing(&proxy).await;
    let mut idle = Browser::connect(&proxy).await;
    let url = format!("http://site.test:{}/", site.port());
    idle.get(&url).await;
    for _ in 0..50 {
        proxy.cut();
        let mut next = Browser::connect(&proxy).await;
        let (head, _) = next.get(&url).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    }
    for conn in [&mut browser, &mut far, &mut idle] {
        timeout(PATIENCE, conn.gone()).await.unwrap();
    }
}

#[tokio::test]
async fn its_end_is_the_end_of_its_connections() {
    let proxy = proxy();
    let port = proxy.port();
    let (mut browser, mut far) = standing(&proxy).await;
    drop(proxy);
    for conn in [&mut browser, &mut far] {
        timeout(PATIENCE, conn.gone()).await.unwrap();
    }
    let began = Instant::now();
    while tokio::net::TcpStream::connect(("127.0.0.1", port))
        .await
        .is_ok()
    {
        assert!(began.elapsed() < PATIENCE, "it still listens");
        tokio::task::yield_now().await;
    }
}
