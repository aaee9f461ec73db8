//! The server itself: framing, keep-alive, scripts and the log.

use crate::raw_client;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use testsite::{Pages, Request, Server, SiteResponse, SocketStep};

#[test]
fn many_requests_are_served_on_one_connection() {
    let server = Server::start(Pages::new().html("/", "home"));
    let mut stream = TcpStream::connect(server.addr()).unwrap();
    let pipelined = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3)
        + "GET /none?x=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(pipelined.as_bytes()).unwrap();
    let mut all = String::new();
    stream.read_to_string(&mut all).unwrap();
    assert_eq!(all.matches("HTTP/1.1 200 OK\r\n").count(), 3);
    assert_eq!(all.matches("HTTP/1.1 404 Not Found\r\n").count(), 1);
    assert_eq!(server.count("/"), 3);
    assert_eq!(server.count("/none?x=1"), 1);
    assert_eq!(server.count_below("/"), 4);
    assert_eq!(server.total(), 4);
    assert_eq!(server.connections(), 1);
    assert_eq!(server.hits()[3].path_and_query, "/none?x=1");
    assert_eq!(
        server.hits()[0].headers,
        [("Host".to_owned(), "x".to_owned())]
    );
    server.forget();
    assert!(server.counts().is_empty() && server.hits().is_empty());
    assert_eq!((server.total(), server.connections()), (0, 1));
    raw_client::text(server.addr(), "/");
    assert_eq!(server.counts(), [("/".to_owned(), 1)]);
}

#[test]
fn a_closure_is_a_site_and_sees_the_request() {
    let server = Server::start(|request: &Request| {
        SiteResponse::text(format!(
            "{} {} {} {}",
            request.method(),
            request.path(),
            request.query(),
            request.origin()
        ))
    });
    let got = raw_client::text(server.addr(), "/a?b=c");
    assert!(
        got.ends_with(&format!("GET /a b=c {}", server.origin())),
        "{got}"
    );
    let six = Server::start_ipv6(|_: &Request| SiteResponse::redirect(301, "/x"));
    assert!(raw_client::text(six.addr(), "/").contains("\r\nLocation: /x\r\n"));
    assert!(six.origin().starts_with("http://[::1]:"));
}

#[test]
fn scripts_control_the_socket() {
    let script = vec![
        SocketStep::send("abc"),
        SocketStep::Pause(Duration::from_millis(20)),
        SocketStep::SendTimes("xy".into(), 3),
        SocketStep::Drip("123".into(), Duration::from_millis(1)),
        SocketStep::Close,
    ];
    let site = Pages::new()
        .page("/script", SiteResponse::script(script))
        .page("/reset", SiteResponse::script(vec![SocketStep::Reset]))
        .page(
            "/forever",
            SiteResponse::script(vec![SocketStep::SendForever(
                vec![b"x"[0]; 4096].into(),
                Duration::ZERO,
            )]),
        );
    let server = Server::start(site);
    assert_eq!(raw_client::text(server.addr(), "/script"), "abcxyxyxy123");
    assert_eq!(server.bytes_sent("/script"), 12);
    assert_eq!(raw_client::text(server.addr(), "/reset"), "");
    assert!(raw_client::get(server.addr(), "/forever", 1 << 20).len() >= 1 << 20);
}

#[test]
fn the_server_notices_disconnects_and_stops_with_open_connections() {
    let server = Server::start(|_: &Request| SiteResponse::script(vec![SocketStep::Hang]));
    let mut first = TcpStream::connect(server.addr()).unwrap();
    first.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    until(|| server.in_flight() == 1);
    drop(first);
    until(|| server.in_flight() == 0);
    assert_eq!(server.most_in_flight(), 1);
    server.forget();
    assert_eq!(server.most_in_flight(), 0);
    let mut second = TcpStream::connect(server.addr()).unwrap();
    second.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    until(|| server.in_flight() == 1);
    assert_eq!(server.most_in_flight(), 1);
    drop(server);
}

fn until(done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(10), "waited too long");
        std::thread::yield_now();
    }
}
