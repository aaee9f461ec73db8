//! What a browser would do, byte for byte, and the world it would meet.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use fetch::{Allowed, Guard, HttpFetch};
use model::{Deadlines, FetchRules};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::egress_proxy::EgressProxy;

/// Nothing healthy takes as long.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// `site.test` is this machine and may be dialled; `private.test` is and may not; `mixed.test` is half and half.
pub(super) fn proxy_through(proxies: &[String]) -> EgressProxy {
    let rules = FetchRules {
        deadlines: Deadlines::within(PATIENCE),
        max_body: 1_000_000,
        user_agent: "testbot/1.0".into(),
        headers: Vec::new(),
        userinfo: None,
        proxies: proxies.to_vec(),
        seed: None,
    };
    let look_up = Arc::new(|host: &str| match host {
        "mixed.test" => vec![IpAddr::from([93, 184, 216, 34]), Ipv4Addr::LOCALHOST.into()],
        "site.test" | "private.test" | "upstream.test" => vec![Ipv4Addr::LOCALHOST.into()],
        _ => Vec::new(),
    });
    let allowed = ["site.test", "upstream.test"];
    let allowed = allowed.iter().filter_map(|name| Allowed::parse(name));
    let guard = Guard::new(false, allowed.collect());
    let fetch = HttpFetch::resolving(&rules, 4, guard, |_| true, look_up).unwrap();
    EgressProxy::start(Arc::new(fetch).egress()).unwrap()
}

pub(super) fn proxy() -> EgressProxy {
    proxy_through(&[])
}

/// One connection to the proxy.
pub(super) struct Browser {
    pub(super) stream: TcpStream,
}

impl Browser {
    pub(super) async fn connect(proxy: &EgressProxy) -> Self {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, proxy.port())).await;
        Self {
            stream: stream.unwrap(),
        }
    }

    pub(super) async fn say(&mut self, words: &str) {
        self.stream.write_all(words.as_bytes()).await.unwrap();
    }

    /// A GET in absolute form; the answer's head and body.
    pub(super) async fn get(&mut self, url: &str) -> (String, String) {
        let host = url.split('/').nth(2).unwrap();
        self.say(&format!(
            "GET {url} HTTP/1.1\r\nHost: {host}\r\nProxy-Connection: keep-alive\r\n\r\n"
        ))
        .await;
        let head = self.head().await;
        let length = header(&head, "content-length").map_or(0, |text| text.parse().unwrap());
        (head, self.exactly(length).await)
    }

    /// Asks for a tunnel; the answer's head.
    pub(super) async fn tunnel(&mut self, to: &str) -> String {
        self.say(&format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\n"))
            .await;
        self.head().await
    }

    /// Up to the empty line; what came until the end if there is none.
    pub(super) async fn head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            match timeout(PATIENCE, self.stream.read_u8()).await.unwrap() {
                Ok(byte) => head.push(byte),
                Err(_) => break,
            }
        }
        String::from_utf8(head).unwrap()
    }

    pub(super) async fn exactly(&mut self, length: usize) -> String {
        let mut bytes = vec![0; length];
        let read = self.stream.read_exact(&mut bytes);
        timeout(PATIENCE, read).await.unwrap().unwrap();
        String::from_utf8(bytes).unwrap()
    }

    /// Waits until the other side closed the connection.
    pub(super) async fn gone(&mut self) {
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
