//! A web crawler as a library: crawl a site, scrape a page, turn HTML into Markdown.
//!
//! It is the engine behind the `crawler` command, with the same rules and defaults: robots.txt is obeyed, hosts are
//! contacted politely, temporary failures are retried, every URL is visited once, and endless URL spaces are avoided.
//!
//! # Crawl a site
//!
//! ```no_run
//! # async fn example() -> Result<(), crawler::Error> {
//! let summary = crawler::Crawl::new("https://example.org/")
//!     .max_pages(100)
//!     .run(|page| println!("{} {:?}", page.url(), page.status()))
//!     .await?;
//! println!("{} pages, {} failed", summary.pages(), summary.failed());
//! # Ok(())
//! # }
//! ```
//!
//! Or as a stream, which stops the crawl when it is dropped:
//!
//! ```no_run
//! # async fn example() -> Result<(), crawler::Error> {
//! let mut pages = crawler::Crawl::new("https://example.org/").max_depth(2).stream()?;
//! while let Some(page) = pages.next().await {
//!     let page = page?;
//!     println!("{}: {} links", page.url(), page.links().count());
//! }
//! let summary = pages.finish().await?;
//! println!("{} pages", summary.pages());
//! # Ok(())
//! # }
//! ```
//!
//! The crawl waits for its reader: a slow callback or an unread stream slows it down, and no page is lost.
//!
//! [`Crawl::documents`] adds the main content of each page:
//!
//! ```no_run
//! # #[cfg(feature = "content")]
//! # async fn example() -> Result<(), crawler::Error> {
//! let crawl = crawler::Crawl::new("https://example.org/").documents();
//! crawl
//!     .run(|page| {
//!         if let Some(document) = page.document() {
//!             println!("{}", document.markdown());
//!         }
//!     })
//!     .await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Scrape a page
//!
//! ```no_run
//! # #[cfg(feature = "content")]
//! # async fn example() -> Result<(), crawler::Error> {
//! let document = crawler::scrape("https://example.org/about").await?;
//! println!("{}", document.markdown());
//! # Ok(())
//! # }
//! ```
//!
//! # Turn HTML into Markdown
//!
//! ```
//! # #[cfg(feature = "content")] {
//! let html = "<title>Tea</title><article><p>Green, <b>black</b> or <a href='/white'>white</a>.</article>";
//! assert_eq!(crawler::markdown(html), "# Tea\n\nGreen, **black** or [white](/white).\n");
//! # }
//! ```
//!
//! # Errors
//!
//! A page of a crawl that cannot be fetched is not an [`Error`]: it is a [`Page`] whose [`error`](Page::error) says why.
//! If the seed cannot be fetched, [`CrawlSummary::seed_problem`] says why. An [`Error`] means that the crawl itself could
//! not be carried out:
//!
//! ```no_run
//! # #[cfg(feature = "content")]
//! # async fn example() {
//! use crawler::{Error, FailKind, ScrapeError};
//!
//! match crawler::scrape("https://example.org/about").await {
//!     Ok(document) if document.status() == 200 => println!("{}", document.markdown()),
//!     Ok(document) => println!("an error page: {}", document.status()),
//!     Err(Error::InvalidOption { option, message }) => println!("bad {option}: {message}"),
//!     Err(Error::Scrape(ScrapeError::Failed { failure, .. })) if failure.kind == FailKind::Dns => {
//!         println!("there is no such host");
//!     }
//!     Err(error) => println!("{error}"),
//! }
//! # }
//! ```
//!
//! # Running it
//!
//! [`Crawl::run`], [`Crawl::stream`] and [`scrape`](fn@scrape) need a tokio runtime; their futures are `Send`. A program
//! without a runtime calls [`Crawl::run_blocking`] and [`Scrape::run_blocking`].
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `content` | yes | [`scrape`](fn@scrape), [`markdown`](fn@markdown), [`Crawl::documents`] |
//! | `render` | no | pages rendered in headless Chromium: `Crawl::js`, `Scrape::js` |
//!
//! # Rules
//!
//! The defaults are those of the command line's `balanced` profile; each method of [`Crawl`] names the flag it
//! corresponds to. Which URLs are the same page, which are in scope, and how politeness works is described in the
//! project's `docs/` folder.

mod crawl;
mod crawl_summary;
mod error;
#[cfg(feature = "content")]
mod markdown;
mod page;
mod page_outcome;
mod page_stream;
mod request_options;
#[cfg(feature = "content")]
mod scrape;
#[cfg(feature = "content")]
mod scrape_error;
#[doc(hidden)]
pub mod wiring;

pub use crawl::Crawl;
pub use crawl_summary::CrawlSummary;
pub use error::Error;
#[cfg(feature = "content")]
pub use markdown::{markdown, markdown_at};
pub use page::Page;
pub use page_outcome::PageOutcome;
pub use page_stream::PageStream;
#[cfg(feature = "content")]
pub use scrape::{Scrape, scrape};
#[cfg(feature = "content")]
pub use scrape_error::ScrapeError;

#[cfg(feature = "content")]
pub use crawler_engine::Document;
#[cfg(feature = "render")]
pub use crawler_model::JsPolicy;
pub use crawler_model::{
    DocumentMeta, FailGroup, FailKind, Failure, HtmlMeta, PageDocument, Profile, RefuseReason,
    RobotsPolicy, SeedProblem, SitemapPolicy, StopReason,
};
pub use crawler_weburl::{ScopeKind, SlashPolicy};
