//! The graph site: deterministic, and every page can be reached.

use crate::raw_client;

use testsite::{Graph, Server};

#[test]
fn every_page_is_reachable_with_any_parameters() {
    for (pages, links_per_page) in [
        (1, 1),
        (2, 1),
        (50, 1),
        (1_000, 2),
        (1_000, 7),
        (10_000, 20),
    ] {
        let graph = Graph {
            pages,
            links_per_page,
            ..Graph::default()
        };
        let depths = graph.depths();
        assert_eq!(depths.len(), pages as usize);
        assert!(depths.iter().all(|depth| *depth != u32::MAX), "{graph:?}");
    }
}

#[test]
fn pages_are_deterministic_and_match_links_of() {
    let graph = Graph::new(500);
    let server = Server::start(graph.site());
    for page in [0, 1, 499] {
        let got = raw_client::text(server.addr(), &graph.path(page));
        let (head, body) = got.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"));
        assert_eq!(body, graph.body(page));
        assert!(body.len() >= graph.body_bytes);
        let links: Vec<u32> = body
            .split("href=\"")
            .skip(1)
            .map(|rest| graph.page(rest.split('"').next().unwrap()).unwrap())
            .collect();
        assert_eq!(links, graph.links_of(page));
        assert_eq!(links.len(), 10);
    }
    let other = Graph { seed: 2, ..graph };
    assert_ne!(other.links_of(400), graph.links_of(400));
    for absent in ["/p/500", "/p/0", "/p/01", "/p/x", "/robots.txt"] {
        assert!(
            raw_client::text(server.addr(), absent).starts_with("HTTP/1.1 404 "),
            "{absent}"
        );
    }
    assert_eq!(graph.urls(&server.origin())[499], server.url("/p/499"));
}

#[test]
fn a_client_that_accepts_gzip_gets_gzip() {
    use std::io::{Read, Write};
    let graph = Graph {
        gzip: true,
        ..Graph::default()
    };
    let server = Server::start(graph.site());
    assert!(raw_client::text(server.addr(), "/p/5").ends_with(&graph.body(5)));
    let mut stream = std::net::TcpStream::connect(server.addr()).unwrap();
    stream
        .write_all(b"GET /p/5 HTTP/1.1\r\nAccept-Encoding: br, gzip\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let start = bytes
        .windows(4)
        .position(|bytes| bytes == b"\r\n\r\n")
        .unwrap()
        + 4;
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[start..])
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, graph.body(5));
    assert!(bytes.len() < 1_500);
}
