//! Crawls a site and prints each page: `cargo run -p crawler --example crawl -- https://example.org/`
#![expect(clippy::print_stdout, reason = "the example prints its result")]

use crawler::{Crawl, Error};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let url = std::env::args().nth(1).unwrap_or_default();
    let mut pages = Crawl::new(url).max_pages(100).stream()?;
    while let Some(page) = pages.next().await {
        let page = page?;
        match page.error() {
            None => println!("{} links on {}", page.links().len(), page.url()),
            Some(error) => println!("failed {}: {error}", page.url()),
        }
    }
    let summary = pages.finish().await?;
    println!("{} pages", summary.pages());
    Ok(())
}
