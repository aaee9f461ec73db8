//! Small files that unpack to ten gigabytes, and files that never end a token: little memory, little
//! time. One test, alone in its process, since the peak of memory belongs to the process.

use std::io::Write;
use std::time::{Duration, Instant};

use crawler_sitefiles::{SitemapError, SitemapLimits, read_sitemap};
use flate2::Compression;
use flate2::write::GzEncoder;

const MEGABYTE: usize = 1024 * 1024;

/// `first`, then `unit` over and over for 10 GiB, as many gzip members.
///
/// Made in small steps, so that making it does not raise the peak that reading it is held against.
fn bomb(first: &str, unit: &str) -> Vec<u8> {
    let gzip = |piece: &[u8], times: usize| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        for _ in 0..times {
            encoder.write_all(piece).expect("memory takes every write");
        }
        encoder.finish().expect("memory takes every write")
    };
    let piece = unit.repeat((64 * 1024 / unit.len()).max(1));
    let times = 16 * MEGABYTE / piece.len();
    let (start, part) = (gzip(first.as_bytes(), 1), gzip(piece.as_bytes(), times));
    let members = 10 * 1024 * MEGABYTE / (piece.len() * times);
    let mut body = Vec::with_capacity(start.len() + part.len() * members);
    body.extend(start);
    (0..members).for_each(|_| body.extend(&part));
    body
}

/// The most memory this process ever held, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    kilobytes
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
        * 1024
}

/// Reads with no cap on locations, so that the cap on bytes must end it.
fn items(body: &[u8]) -> Result<(usize, bool), SitemapError> {
    let limits = SitemapLimits {
        max_urls: usize::MAX,
        ..SitemapLimits::default()
    };
    read_sitemap(body, limits, |_| {}).map(|summary| (summary.items, summary.cut))
}

#[test]
fn bombs_cost_neither_memory_nor_time() {
    let bombs = [
        ("nothing", bomb("", "\0"), Err(SitemapError::TooLarge)),
        ("white space", bomb("", "\n"), Err(SitemapError::TooLarge)),
        (
            "one endless name",
            bomb("<", "a"),
            Err(SitemapError::TooLarge),
        ),
        (
            "one endless dtd",
            bomb("<!DOCTYPE urlset [", " "),
            Err(SitemapError::TooLarge),
        ),
        (
            "one endless comment",
            bomb("<urlset><!--", "-"),
            Ok((0, true)),
        ),
        ("one endless text", bomb("<urlset>", " "), Ok((0, true))),
        (
            "one endless location",
            bomb("<urlset><url><loc>", "a"),
            Ok((0, true)),
        ),
        (
            "endless references",
            bomb("<urlset><url><loc>", "&lt;"),
            Ok((0, true)),
        ),
        (
            "endless elements",
            bomb("<urlset>", "<url>"),
            Ok((0, false)),
        ),
        (
            "endless attributes",
            bomb("<feed><entry><link ", "a=\"\" "),
            Ok((0, true)),
        ),
        (
            "links full of bare ampersands",
            bomb(
                "<feed><entry>",
                &format!("<link href='{}'/>", "&".repeat(8_000)),
            ),
            Ok((6_541, true)),
        ),
        (
            "endless lines",
            bomb("", "http://a/123456\n"),
            Ok((3_276_800, true)),
        ),
    ];
    let before = peak();
    for (name, body, expected) in &bombs {
        let begun = Instant::now();
        assert_eq!(items(body), *expected, "{name}");
        let spent = begun.elapsed();
        // A second in release; debug builds on a busy machine are given time.
        assert!(spent < Duration::from_mins(1), "{name}: {spent:?}");
        println!("{spent:>10.2?}  {name}");
    }
    let grown = peak() - before;
    println!("memory grew by {grown} bytes");
    assert!(grown < 32 * MEGABYTE, "memory grew by {grown}");
}
