//! Small files that decompress to ten gigabytes, and tokens that never end, take little memory and
//! time. One test, alone in its process, since peak memory is measured per process.

use std::io::Write;
use std::time::{Duration, Instant};

use crawler_sitefiles::{SitemapError, SitemapLimits, read_sitemap};
use flate2::Compression;
use flate2::write::GzEncoder;

const MEGABYTE: usize = 1024 * 1024;

/// `first`, then `unit` repeated to 10 GiB, as many gzip members.
///
/// Built in small steps, so that building it does not raise the measured peak.
fn bomb(first: &str, unit: &str) -> Vec<u8> {
    let gzip = |chunk: &[u8], times: usize| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        for _ in 0..times {
            encoder
                .write_all(chunk)
                .expect("writing to memory cannot fail");
        }
        encoder.finish().expect("writing to memory cannot fail")
    };
    let chunk = unit.repeat((64 * 1024 / unit.len()).max(1));
    let times = 16 * MEGABYTE / chunk.len();
    let (start, part) = (gzip(first.as_bytes(), 1), gzip(chunk.as_bytes(), times));
    let members = 10 * 1024 * MEGABYTE / (chunk.len() * times);
    let mut body = Vec::with_capacity(start.len() + part.len() * members);
    body.extend(start);
    (0..members).for_each(|_| body.extend(&part));
    body
}

/// Peak memory of this process, in bytes.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    kilobytes
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
        * 1024
}

/// Reads without a limit on locations, so that the limit on bytes must end it.
fn items(body: &[u8]) -> Result<(usize, bool), SitemapError> {
    let limits = SitemapLimits {
        max_urls: usize::MAX,
        ..SitemapLimits::default()
    };
    read_sitemap(body, limits, |_| {}).map(|summary| (summary.locations, summary.cut))
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
    let before = peak_memory();
    for (name, body, expected) in &bombs {
        let started = Instant::now();
        assert_eq!(items(body), *expected, "{name}");
        let spent = started.elapsed();
        // A second in release; debug builds on a busy machine take longer.
        assert!(spent < Duration::from_mins(1), "{name}: {spent:?}");
        println!("{spent:>10.2?}  {name}");
    }
    let grown = peak_memory() - before;
    println!("memory grew by {grown} bytes");
    assert!(grown < 32 * MEGABYTE, "memory grew by {grown}");
}
