//! Measures how fast one job is served, without fetching anything; run by hand.
//!
//! ```sh
//! TEST_DATABASE_URL=postgres://… cargo run --release -p crawler-store-postgres --example one_job -- 20000 128
//! ```
//!
//! The arguments are the number of pages and the largest batch. The database should be new.

use std::io::Write;

use crawler_store::testing::fast;
use crawler_store::testing::one_job::one_job;
use crawler_store_postgres::{PostgresOptions, PostgresStore};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::var("TEST_DATABASE_URL").map_err(|_| "set TEST_DATABASE_URL")?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pages, batch] = &arguments[..] else {
        return Err("the arguments are PAGES and BATCH".into());
    };
    let options = PostgresOptions {
        limits: fast().into(),
        ..PostgresOptions::default()
    };
    let store = PostgresStore::open(&url, options).await?;
    let rate = one_job(&store, pages.parse()?, batch.parse()?).await;
    writeln!(std::io::stdout(), "{rate:.0} pages/s")?;
    store.close().await;
    Ok(())
}
