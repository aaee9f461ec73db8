//! Prints a page's main content as markdown: `cargo run -p crawler --example scrape -- https://example.org/`
#![expect(clippy::print_stdout, reason = "its output is what the example is for")]

#[tokio::main]
async fn main() -> Result<(), crawler::Error> {
    let url = std::env::args().nth(1).unwrap_or_default();
    let document = crawler::scrape(&url).await?;
    println!("title: {}", document.title().unwrap_or("none"));
    println!("{}", document.markdown());
    Ok(())
}
