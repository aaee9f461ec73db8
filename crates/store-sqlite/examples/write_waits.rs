//! Measures how long a small write waits while a batch of 95,000 URLs is stored, and while the 50,000 URLs of a sitemap, or 10,000
//! very long ones, are settled.
//!
//! ```sh
//! cargo run --release -p crawler-store-sqlite --example write_waits -- FILE
//! ```
//!
//! The argument is a file that does not exist.

use std::io::Write;
use std::path::Path;

use crawler_store::testing::fast;
use crawler_store::testing::write_waits::{long_urls_wait, write_waits};
use crawler_store_sqlite::{SqliteOptions, SqliteStore};

/// Largest batch that the tests of the API send.
const SEEDS: usize = 95_000;
/// Maximum number of URLs in a sitemap.
const LISTED: usize = 50_000;
/// URLs of nearly the maximum length.
const LONG: usize = 10_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("the argument is FILE")?;
    let options = SqliteOptions {
        limits: fast().into(),
        ..SqliteOptions::default()
    };
    let store = SqliteStore::open(Path::new(&path), options).await?;
    let waits = write_waits(&store, SEEDS, LISTED).await?;
    let long_urls = long_urls_wait(&store, LONG).await?;
    store.close().await;
    let mut out = std::io::stdout();
    for (what, rows, wait) in [
        ("a batch", SEEDS, waits.batch),
        ("a sitemap", LISTED, waits.sitemap),
        ("a page", LONG, long_urls),
    ] {
        let millis = wait.as_secs_f64() * 1_000.0;
        writeln!(out, "{what} of {rows} URLs: longest wait {millis:.1} ms")?;
    }
    Ok(())
}
