//! A crawl with the crate spider: its defaults, so many requests at once, and a test's certificate accepted.

use std::process::ExitCode;

use spider::tokio;
use spider::website::Website;

#[tokio::main]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [url, at_once] = words.as_slice() else {
        eprintln!("usage: spider-peer URL REQUESTS_AT_ONCE");
        return ExitCode::from(2);
    };
    let Ok(at_once) = at_once.parse() else {
        eprintln!("spider-peer: '{at_once}' is no number");
        return ExitCode::from(2);
    };
    let mut website = Website::new(url);
    website
        .with_concurrency_limit(Some(at_once))
        .with_danger_accept_invalid_certs(true);
    website.crawl().await;
    println!("{}", website.size());
    ExitCode::SUCCESS
}
