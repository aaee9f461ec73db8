//! Content codings, valid and invalid.

use std::time::{Duration, Instant};

use async_compression::Level;
use async_compression::tokio::write::{BrotliEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder};
use crawler_model::FailKind;
use tokio::io::AsyncWriteExt;

use crate::fetchers::{fetcher, html, page, rules};
use crate::server::{HTML, Server, response};

const CODINGS: [&str; 4] = ["gzip", "deflate", "br", "zstd"];

/// Encodes `copies` repetitions of the same bytes.
async fn coded(coding: &str, bytes: &[u8], copies: usize) -> Vec<u8> {
    macro_rules! through {
        ($encoder:ident) => {{
            let mut encoder = $encoder::with_quality(Vec::new(), Level::Fastest);
            for _ in 0..copies {
                encoder.write_all(bytes).await.unwrap();
            }
            encoder.shutdown().await.unwrap();
            encoder.into_inner()
        }};
    }
    match coding {
        "gzip" => through!(GzipEncoder),
        "deflate" => through!(ZlibEncoder),
        "br" => through!(BrotliEncoder),
        _ => through!(ZstdEncoder),
    }
}

fn encoding(name: &str) -> String {
    format!("{HTML}content-encoding: {name}\r\n")
}

#[tokio::test]
async fn all_codings_and_pairs_are_decoded() {
    let plain: Vec<u8> = (0..20_000_u32).flat_map(u32::to_be_bytes).collect();
    for coding in CODINGS {
        let once = coded(coding, &plain, 1).await;
        let server = Server::responding(response("200 OK", &encoding(coding), &once)).await;
        let got = page(&fetcher(&rules(&server.url("/"))), &server.url("/"))
            .await
            .unwrap();
        assert!(html(&got) == plain, "{coding}");
        assert_eq!(got.wire_bytes, once.len() as u64, "{coding}");
        assert!(!got.truncated, "{coding}");

        let twice = coded("gzip", &once, 1).await;
        let names = encoding(&format!("{coding}, identity, x-gzip"));
        let server = Server::responding(response("200 OK", &names, &twice)).await;
        let got = page(&fetcher(&rules(&server.url("/"))), &server.url("/"))
            .await
            .unwrap();
        assert!(html(&got) == plain, "{coding}, gzip");
    }
    let server = Server::responding(response("200 OK", &encoding("gzip"), "")).await;
    let got = page(&fetcher(&rules(&server.url("/"))), &server.url("/"))
        .await
        .unwrap();
    assert_eq!(html(&got), b"");
}

#[tokio::test]
async fn a_bomb_costs_no_more_than_the_cap() {
    let zeros = vec![0; 1 << 20];
    for coding in CODINGS {
        let bomb = coded(coding, &zeros, 64).await;
        let twice = coded("gzip", &bomb, 1).await;
        for (names, wire) in [
            (encoding(coding), &bomb),
            (encoding(&format!("{coding}, gzip")), &twice),
        ] {
            let server = Server::responding(response("200 OK", &names, wire)).await;
            let fetcher = fetcher(&rules(&server.url("/")));
            let start = Instant::now();
            let got = page(&fetcher, &server.url("/")).await.unwrap();
            assert_eq!((html(&got).len(), got.truncated), (1_000_000, true));
            assert!(start.elapsed() < Duration::from_secs(30), "{coding}");
        }
    }
}

#[tokio::test]
async fn undecodable_bodies_have_a_message() {
    for (names, message) in [
        ("gzip, gzip, gzip", "more than two content codings"),
        ("compress", "unknown content coding"),
        ("gzip", "the body does not match its content coding"),
        ("deflate", "the body does not match its content coding"),
        ("br", "the body does not match its content coding"),
        ("zstd", "the body does not match its content coding"),
    ] {
        let body = b"\xff\xfe<html>not compressed at all, however much it says so</html>";
        let server = Server::responding(response("200 OK", &encoding(names), body)).await;
        let failure = page(&fetcher(&rules(&server.url("/"))), &server.url("/")).await;
        let failure = failure.unwrap_err();
        assert_eq!(failure.kind, FailKind::Decode, "{names}");
        assert_eq!(failure.message, message, "{names}");
    }
}

#[tokio::test]
async fn a_truncated_coding_keeps_what_was_decoded() {
    let plain: Vec<u8> = (0..100_000_u32).flat_map(u32::to_be_bytes).collect();
    for coding in CODINGS {
        let mut wire = coded(coding, &plain, 1).await;
        wire.truncate(wire.len() * 3 / 4);
        let server = Server::responding(response("200 OK", &encoding(coding), &wire)).await;
        let got = page(&fetcher(&rules(&server.url("/"))), &server.url("/"))
            .await
            .unwrap();
        let decoded = html(&got);
        assert!(got.truncated, "{coding}");
        assert!(
            !decoded.is_empty() && plain.starts_with(decoded),
            "{coding}"
        );
        let head = &wire[..3];
        let server = Server::responding(response("200 OK", &encoding(coding), head)).await;
        let failure = page(&fetcher(&rules(&server.url("/"))), &server.url("/")).await;
        assert_eq!(
            failure.unwrap_err().message,
            "the body ended in the middle of its content coding",
            "{coding}"
        );
    }
}
