//! HTML bytes to links, and to a tree with its metadata and its forms as markdown, html and text.
//!
//! Two paths over the same bytes. [`Tree`] is the second: parsed once, flat, capped in depth, from which
//! [`metadata`], [`main_content`] and the writers ([`to_markdown`], [`to_inert_html`], [`to_text`]) read. The first
//! is the links-only path of a crawl. A page comes in as bytes and leaves as a run of [`Found`]
//! values, in document order, without a tree: the scanner jumps from `<` to `<`, follows the
//! tokeniser of the HTML standard exactly, and keeps only the few facts about the tree that change
//! how bytes are read (raw text, templates, svg and math). Where those do not suffice it asks the tree.
//!
//! Invariants: time is linear in the page, memory is flat on pages that need no tree, nothing
//! recurses, and every string handed out is valid UTF-8. A page is read as a browser with scripting switched off reads it, so
//! the links inside `noscript` count.
//!
//! This room knows nothing of URLs: an `href` leaves it as written, not trimmed and not resolved.

mod attributes;
mod bytes;
mod charset;
mod content;
mod content_type;
mod element;
mod entities;
mod foreign;
mod inert_html;
mod markdown;
mod markup;
mod metadata;
mod plain_text;
mod prescan;
mod raw_text;
mod reference;
mod render_need;
mod scan;
mod scanner;
mod sniff;
mod start_tag;
mod tag;
mod templates;
mod tree;
mod value;
mod writing;

pub use charset::{Charset, CharsetSource, charset};
pub use content::{
    ContentModel, InspectedBlock, Inspection, MainContent, PageKind, Vocabulary, inspect,
    main_content, main_content_by, whole_body,
};
pub use content_type::charset_label;
pub use inert_html::to_inert_html;
pub use markdown::to_markdown;
pub use metadata::{Metadata, metadata};
pub use plain_text::to_text;
pub use render_need::{PageWeight, render_need, rendering_helped};
pub use scan::{Found, Link, scan_links};
pub use sniff::looks_like_html;
pub use tree::{Event, Node, NodeId, Tag, Tree, Walk};
pub use writing::selection::Selection;
