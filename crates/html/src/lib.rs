//! HTML bytes to links: charset, scanner, character references.
//!
//! The links-only path of a crawl. A page comes in as bytes and leaves as a run of [`Found`]
//! values, in document order, without a tree: the scanner jumps from `<` to `<`, follows the
//! tokeniser of the HTML standard exactly, and keeps only the few facts about the tree that change
//! how bytes are read (raw text, templates, svg and math).
//!
//! Invariants: time is linear in the page, memory is flat, nothing recurses, and every string
//! handed out is valid UTF-8. A page is read as a browser with scripting switched off reads it, so
//! the links inside `noscript` count.
//!
//! This room knows nothing of URLs: an `href` leaves it as written, not trimmed and not resolved.

mod attributes;
mod charset;
mod content_type;
mod element;
mod entities;
mod foreign;
mod markup;
mod prescan;
mod raw_text;
mod reference;
mod scan;
mod scanner;
mod sniff;
mod start_tag;
mod tag;
mod value;

pub use charset::{Charset, CharsetSource, charset};
pub use content_type::charset_label;
pub use scan::{Found, Link, has_base, scan_links};
pub use sniff::looks_like_html;
