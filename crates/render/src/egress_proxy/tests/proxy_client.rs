//! A client that sends requests like a browser, and a proxy for it.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use crawler_fetch::{EgressTarget, Guard, HttpFetch};
use crawler_model::{Deadlines, FetchRules};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::budget_meter::BudgetMeter;
use crate::egress_proxy::EgressProxy;

/// Longer than any step takes.
pub(super) const TEST_TIMEOUT: Duration = Duration::from_secs(20);

/// `site.test` is local and allowed, `private.test` is local and refused, `mixed.test` has a public and a local address.
pub(super) fn proxy_through(proxies: &[String]) -> EgressProxy {
    proxy_with(proxies, BudgetMeter::unlimited())
}

/// The same, with budgets.
pub(super) fn proxy_with(proxies: &[String], meter: BudgetMeter) -> EgressProxy {
    let rules = FetchRules {
        deadlines: Deadlines::within(TEST_TIMEOUT),
        max_body: 1_000_000,
        user_agent: "testbot/1.0".into(),
        headers: Vec::new(),
        userinfo: None,
        proxies: proxies.to_vec(),
        seed: None,
    };
    let lookup = Arc::new(|host: &str| match host {
        "mixed.test" => vec![IpAddr::from([93, 184, 216, 34]), Ipv4Addr::LOCALHOST.into()],
        "site.test" | "private.test" | "upstream.test" => vec![Ipv4Addr::LOCALHOST.into()],
        _ => Vec::new(),
    });
    let allowed = ["site.test", "upstream.test"];
    let allowed = allowed.iter().filter_map(|name| EgressTarget::parse(name));
    let guard = Guard::new(false, allowed.collect());
    let fetch = HttpFetch::resolving(&rules, 4, guard, |_| true, lookup).unwrap();
    EgressProxy::start(Arc::new(fetch).egress(), Arc::new(meter)).unwrap()
}

pub(super) fn proxy() -> EgressProxy {
    proxy_through(&[])
}

/// One connection to the proxy.
pub(super) struct ProxyClient {
    pub(super) stream: TcpStream,
}

impl ProxyClient {
    pub(super) async fn connect(proxy: &EgressProxy) -> Self {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, proxy.port())).await;
        Self {
            stream: stream.unwrap(),
        }
    }

    pub(super) async fn send(&mut self, message: &str) {
        self.stream.write_all(message.as_bytes()).await.unwrap();
    }

    /// Sends a GET in absolute form. Returns the response head and body.
    pub(super) async fn get(&mut self, url: &str) -> (String, String) {
        let host = url.split('/').nth(2).unwrap();
        self.send(&format!(
            "GET {url} HTTP/1.1\r\nHost: {host}\r\nProxy-Connection: keep-alive\r\n\r\n"
        ))
        .await;
        let head = self.head().await;
        let length = header(&head, "content-length").map_or(0, |text| text.parse().unwrap());
        (head, self.exactly(length).await)
    }

    /// Requests a tunnel. Returns the response head.
    pub(super) async fn tunnel(&mut self, to: &str) -> String {
        self.send(&format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\n"))
            .await;
        self.head().await
    }

    /// Reads up to the empty line, or to the end if there is none.
    pub(super) async fn head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            match timeout(TEST_TIMEOUT, self.stream.read_u8()).await.unwrap() {
                Ok(byte) => head.push(byte),
                Err(_) => break,
            }
        }
        String::from_utf8(head).unwrap()
    }

    pub(super) async fn exactly(&mut self, length: usize) -> String {
        let mut bytes = vec![0; length];
        let read = self.stream.read_exact(&mut bytes);
        timeout(TEST_TIMEOUT, read).await.unwrap().unwrap();
        String::from_utf8(bytes).unwrap()
    }

    /// Waits until the other side has closed the connection.
    pub(super) async fn closed(&mut self) {
        let mut rest = [0; 1024];
        while !matches!(self.stream.read(&mut rest).await, Ok(0) | Err(_)) {}
    }
}

pub(super) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(": ")?;
        key.eq_ignore_ascii_case(name).then_some(value)
    })
}
