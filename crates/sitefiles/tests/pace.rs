//! How long a verdict takes with a large, ordinary file. For a meaningful number, run in release:
//! `cargo test --release -p crawler-sitefiles --test pace -- --nocapture`.

#[path = "../../html/tests/hostile/stopwatch.rs"]
mod stopwatch;

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use crawler_sitefiles::Robots;

use stopwatch::Stopwatch;

#[test]
fn a_verdict_over_four_hundred_rules_takes_microseconds() {
    let mut body = String::from("User-agent: *\n");
    for n in 0..380 {
        writeln!(body, "Disallow: /section-{}/folder-{n}/", n % 40).unwrap();
    }
    for n in 0..20 {
        writeln!(body, "Disallow: /*?sort{n}=").unwrap();
    }
    let robots = Robots::parse(body.as_bytes(), "crawler");
    let paths = [
        "/",
        "/section-7/folder-9999/page.html",
        "/products/shoes/red-running-shoes-42.html?colour=red&size=42&page=3",
        "/blog/2026/11/%C3%BCber-uns/",
    ];
    let rounds = 20_000;
    for path in paths {
        let started = Stopwatch::start();
        for _ in 0..rounds {
            assert!(black_box(&robots).allows(black_box(path)));
        }
        let each = started.elapsed() / rounds;
        println!("{each:>10.2?}  {path}");
        // Debug builds on a busy machine are fifty times slower than release builds.
        assert!(each < Duration::from_micros(200), "{path}: {each:?}");
    }
}
