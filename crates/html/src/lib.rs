//! HTML bytes to links, metadata, main content, Markdown, inert HTML and plain text.
//!
//! There are two ways to read a page:
//!
//! * [`scan_links`] streams the links of a page without building a tree. A crawl that needs nothing but links
//!   uses it. The scanner jumps from `<` to `<`, follows the tokenizer of the HTML standard exactly, and
//!   tracks only what changes how bytes are read (raw text, templates, SVG and MathML). Where that does not
//!   suffice it consults the tree.
//! * [`Tree::parse`] builds a flat, read-only tree, capped in depth. [`metadata()`], [`main_content`] and the
//!   writers ([`to_markdown`], [`to_inert_html`], [`to_text`]) work on it.
//!
//! [`charset()`] decides the encoding of a page, [`looks_like_html`] checks bytes of undeclared type, and
//! [`render_need()`] says whether a page needs a browser to show its content.
//!
//! # Links of a page
//!
//! ```
//! use crawler_html::{ScanEvent, charset, scan_links};
//!
//! let page = br#"<p>Read <a href="/docs">the docs</a> or <a href="/ad" rel="nofollow">this</a>.</p>"#;
//! let encoding = charset(page, None, None).encoding;
//! let mut links = Vec::new();
//! scan_links(page, encoding, |event| {
//!     if let ScanEvent::Link(link) = event {
//!         links.push((link.href.to_owned(), link.nofollow));
//!     }
//! });
//! assert_eq!(links, [("/docs".to_owned(), false), ("/ad".to_owned(), true)]);
//! ```
//!
//! # A page as Markdown
//!
//! ```
//! use crawler_html::{Selection, Tree, to_markdown};
//!
//! let tree = Tree::parse("<h1>Tea</h1><p>Steep <b>three</b> minutes. <a href='/more'>More</a></p>");
//! let resolve = |href: &str| Some(format!("https://example.com{href}"));
//! let markdown = to_markdown(&tree, &Selection::whole(tree.root()), &resolve);
//! assert_eq!(
//!     markdown,
//!     "# Tea\n\nSteep **three** minutes. [More](https://example.com/more)\n"
//! );
//! ```
//!
//! For the main content only, pass `&main_content(&tree).selection()` instead of the whole page.
//!
//! # Metadata of a page
//!
//! ```
//! use crawler_html::{Tree, metadata};
//!
//! let tree = Tree::parse(
//!     "<html lang=en><title>Tea</title>\
//!      <meta name=author content='Ada Lovelace'>\
//!      <meta property=article:published_time content='2024-05-01T10:00:00Z'>",
//! );
//! let found = metadata(&tree, &|href| Some(href.to_owned()));
//! assert_eq!(found.title.as_deref(), Some("Tea"));
//! assert_eq!(found.language.as_deref(), Some("en"));
//! assert_eq!(found.author, ["Ada Lovelace"]);
//! assert_eq!(found.published.as_deref(), Some("2024-05-01T10:00:00Z"));
//! ```
//!
//! # Guarantees
//!
//! Time is linear in the page, memory is constant on pages that need no tree, nothing recurses, and every
//! string returned is valid UTF-8. A page is read as by a browser with scripting disabled, so links inside
//! `noscript` count.
//!
//! This crate does not resolve URLs: [`scan_links`] returns an `href` as written, neither trimmed nor
//! resolved, and every other function takes a `resolve` callback.

mod attributes;
mod bytes;
mod charset;
#[cfg(feature = "content")]
mod content;
mod content_type;
mod element;
mod entities;
mod foreign_content;
#[cfg(feature = "content")]
mod inert_html;
#[cfg(feature = "content")]
mod markdown;
mod markup;
#[cfg(feature = "content")]
mod metadata;
#[cfg(feature = "content")]
mod plain_text;
mod prescan;
mod raw_text;
mod reference;
mod render_need;
mod scan;
mod scanner;
mod scanner_tag;
mod sniff;
mod start_tag;
mod templates;
mod text_sketch;
mod tree;
mod value;
#[cfg(feature = "content")]
mod writing;

pub use charset::{Charset, CharsetSource, charset};
#[cfg(feature = "content")]
pub use content::{
    ContentModel, InspectedBlock, Inspection, MainContent, PageKind, Vocabulary, inspect,
    main_content, main_content_with, whole_body,
};
pub use content_type::charset_label;
#[cfg(feature = "content")]
pub use inert_html::to_inert_html;
#[cfg(feature = "content")]
pub use markdown::to_markdown;
#[cfg(feature = "content")]
pub use metadata::{Metadata, metadata};
#[cfg(feature = "content")]
pub use plain_text::to_text;
pub use render_need::{PageWeight, render_need, rendering_helped};
pub use scan::{Link, ScanEvent, scan_links};
pub use sniff::looks_like_html;
pub use text_sketch::text_sketch;
pub use tree::{Node, NodeId, Tag, Tree, TreeWalk, WalkEvent};
#[cfg(feature = "content")]
pub use writing::selection::Selection;
