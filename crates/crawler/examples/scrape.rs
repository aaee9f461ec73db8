//! Prints a page's main content as Markdown: `cargo run -p crawler --example scrape -- https://example.org/`
#![expect(clippy::print_stdout, reason = "the example prints its result")]

#[tokio::main]
async fn main() -> Result<(), crawler::Error> {
    let url = std::env::args().nth(1).unwrap_or_default();
    let document = crawler::scrape(&url).await?;
    println!("title: {}", document.title().unwrap_or("none"));
    println!("{}", document.markdown());
    Ok(())
}
