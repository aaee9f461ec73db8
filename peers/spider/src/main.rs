//! Crawls a site with the crate spider: default settings, except for the concurrency limit and accepting a test
//! certificate.

use std::process::ExitCode;

use spider::tokio;
use spider::website::Website;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, concurrency] = arguments.as_slice() else {
        eprintln!("usage: spider-peer URL CONCURRENCY");
        return ExitCode::from(2);
    };
    let Ok(concurrency) = concurrency.parse() else {
        eprintln!("spider-peer: '{concurrency}' is not a number");
        return ExitCode::from(2);
    };
    let mut website = Website::new(url);
    website
        .with_concurrency_limit(Some(concurrency))
        .with_danger_accept_invalid_certs(true);
    website.crawl().await;
    println!("{}", website.size());
    ExitCode::SUCCESS
}
