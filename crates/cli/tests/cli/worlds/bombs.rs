//! Decompression bombs: small responses that unpack to ten gigabytes.

use std::time::Duration;

use testsite::Server;
use testsite::hostile::{Expect, Hostile};

use crate::worlds::crawl::{Crawl, Crawled};
use crate::worlds::machine_lock;

const MAX_GROWTH_MB: f64 = 32.0;
/// Time limit for one page; longer in a build without optimization, which may run on a busy machine.
const MAX_TIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 4 } else { 2 });
/// What a server can write into socket buffers before it notices that the reader stopped.
const MAX_BUFFERED: u64 = 12 << 20;

#[test]
fn bombs_of_ten_gigabytes_cost_little_memory_and_time() {
    let _lock = machine_lock::exclusive();
    let server = Server::start(Hostile::new());
    let crawl = |path: &str| -> Crawled {
        let ended = Crawl::of(&server.url(path))
            .flags("--format ndjson --max-pages 1 --max-attempts 1")
            .run();
        ended.assert_sound();
        ended
    };
    // The lowest of three, because the memory of such a short run may be sampled at a bad moment.
    let ordinary = (0..3).map(|_| crawl("/healthy/99").peak_mb);
    let ordinary = ordinary.fold(f64::MAX, f64::min);
    assert!(ordinary > 1.0, "{ordinary} MB is implausible");
    for name in [
        "bomb-gzip",
        "bomb-deflate",
        "bomb-br",
        "bomb-zstd",
        "bomb-nested",
    ] {
        let path = format!("/{name}/in");
        let ended = crawl(&path);
        let growth = ended.peak_mb - ordinary;
        let took = ended.took();
        eprintln!("{name}: +{growth:.1} MB over {ordinary:.1} MB, {took:.2?}");
        let pages = ended.pages();
        assert_eq!(pages.len(), 1);
        assert_eq!(pages[0].outcome(), Expect::Truncated, "{name}");
        assert!(growth <= MAX_GROWTH_MB, "{name}: {growth} MB");
        assert!(took <= MAX_TIME, "{name}: {took:?}");
        let sent = server.bytes_sent(&path);
        assert!(sent <= MAX_BUFFERED, "{name}: {sent} bytes were sent");
    }
}
