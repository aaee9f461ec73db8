//! Turns HTML on stdin into Markdown: `curl -s https://example.org/ | cargo run -p crawler --example markdown -- https://example.org/`
#![expect(clippy::print_stdout, reason = "the example prints its result")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let html = std::io::read_to_string(std::io::stdin())?;
    let markdown = match std::env::args().nth(1) {
        Some(url) => crawler::markdown_at(&html, &url)?,
        None => crawler::markdown(&html),
    };
    print!("{markdown}");
    Ok(())
}
