//! Cached pages are generated once, and compressed for clients that accept gzip.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use testsite::{CachedSite, Realistic, Request, Server, Site, SiteResponse};

use crate::raw_client;

fn counted() -> (impl Site, Arc<AtomicU32>) {
    let written = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&written);
    let site = move |request: &Request| match request.path() {
        "/none" => SiteResponse::status(404),
        path => SiteResponse::html(format!("{path} {}", count.fetch_add(1, Relaxed))),
    };
    (site, written)
}

/// Requests a page with gzip. Returns its head and its raw body.
fn gzipped(address: SocketAddr, target: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET {target} HTTP/1.1\r\nHost: {address}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes
        .windows(4)
        .position(|bytes| bytes == b"\r\n\r\n")
        .unwrap();
    let body = bytes.split_off(end + 4);
    (String::from_utf8(bytes).unwrap(), body)
}

#[test]
fn a_page_is_generated_once_and_errors_are_not_cached() {
    let (site, written) = counted();
    let server = Server::start(CachedSite::new(site));
    for _ in 0..3 {
        assert!(raw_client::text(server.addr(), "/a").ends_with("\r\n\r\n/a 0"));
        assert!(raw_client::text(server.addr(), "/b?c").ends_with("\r\n\r\n/b 1"));
        assert!(raw_client::text(server.addr(), "/none").starts_with("HTTP/1.1 404 "));
    }
    assert_eq!(written.load(Relaxed), 2);
    assert_eq!(server.count("/a"), 3);
}

#[test]
fn only_clients_that_accept_gzip_get_it() {
    let site = Realistic::default();
    let server = Server::start(CachedSite::new(site).gzipped());
    let path = site.path(20);
    let body = site.body(&path, &server.origin()).unwrap();
    for _ in 0..2 {
        assert!(raw_client::text(server.addr(), &path).ends_with(&body));
        let (head, sent) = gzipped(server.addr(), &path);
        assert!(head.contains("Content-Encoding: gzip\r\n"), "{head}");
        assert!(sent.len() < body.len() / 3, "{}", sent.len());
        let mut text = String::new();
        flate2::read::GzDecoder::new(&sent[..])
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, body);
    }
}
