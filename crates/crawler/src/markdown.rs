//! Converts HTML to Markdown, without fetching anything.

use crawler_weburl::CrawlUrl;

use crate::Error;

/// Returns the title and the main content of an HTML page as GitHub-flavored Markdown. Menus, footers and other
/// boilerplate are removed; links stay as written.
///
/// ```
/// let html = "<html><body><nav><a href='/'>Home</a></nav><main><h1>Tea</h1><p>Hot water first.</p></main></body></html>";
/// assert_eq!(crawler::markdown(html), "# Tea\n\nHot water first.\n");
/// ```
pub fn markdown(html: &str) -> String {
    crawler_engine::markdown(html, None)
}

/// Like [`markdown`], with links made absolute; `url` is the URL of the page.
///
/// ```
/// let html = "<main><h1>Tea</h1><p>Also <a href='/coffee'>coffee</a>.</p></main>";
/// let markdown = crawler::markdown_at(html, "https://example.org/tea")?;
/// assert_eq!(markdown, "# Tea\n\nAlso [coffee](https://example.org/coffee).\n");
/// # Ok::<(), crawler::Error>(())
/// ```
pub fn markdown_at(html: &str, url: &str) -> Result<String, Error> {
    let base = CrawlUrl::parse(url).map_err(|error| Error::invalid_url(&error))?;
    Ok(crawler_engine::markdown(html, Some(&base)))
}
