//! A chunk of the report: pages and their texts, as one call of the viewer's `chunk`.
//!
//! `s`: URLs first mentioned in this chunk; numbering continues from the previous chunk. `t`: content types, notes and
//! reasons of this chunk. `p`: the rows, flattened. `e`: the edges; a negative number is the source page of the edges after
//! it (its number plus one, negated), any other number is a target.

use super::page_row::PageRow;
use crate::json_text::{push_in_script, push_number};

/// Maximum number of pages in a chunk.
const MAX_PAGES: usize = 200;
/// Approximate maximum size of a chunk in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// A chunk in progress.
#[derive(Debug)]
pub(super) struct Chunk {
    origin: String,
    urls: Vec<u8>,
    texts: Vec<String>,
    texts_len: usize,
    rows: Vec<u8>,
    edges: Vec<u8>,
    pages: usize,
    from: Option<u32>,
}

impl Chunk {
    /// Creates an empty chunk. URLs on `origin` are written without it.
    pub(super) fn new(origin: &str) -> Self {
        Self {
            origin: origin.to_owned(),
            urls: Vec::new(),
            texts: Vec::new(),
            texts_len: 0,
            rows: Vec::new(),
            edges: Vec::new(),
            pages: 0,
            from: None,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        let bytes = self.urls.len() + self.texts_len + self.rows.len() + self.edges.len();
        self.pages >= MAX_PAGES || bytes >= MAX_BYTES
    }

    pub(super) fn push_url(&mut self, url: &str) {
        separate(&mut self.urls);
        let path = url.strip_prefix(self.origin.as_str());
        let short = path.filter(|path| path.starts_with('/'));
        push_in_script(&mut self.urls, short.unwrap_or(url));
    }

    pub(super) fn push_row(&mut self, row: &PageRow<'_>) {
        let kind = self.text(row.content_type());
        let note = row.note().map_or(0, |note| self.text(note));
        let reason = row.render_reason().map_or(0, |reason| self.text(reason));
        for number in row.numbers(kind, note, reason) {
            separate(&mut self.rows);
            push_number(&mut self.rows, number);
        }
        self.pages += 1;
    }

    pub(super) fn push_edge(&mut self, from: u32, to: u32) {
        if self.from.replace(from) != Some(from) {
            separate(&mut self.edges);
            self.edges.push(b'-');
            push_number(&mut self.edges, u64::from(from) + 1);
        }
        separate(&mut self.edges);
        push_number(&mut self.edges, u64::from(to));
    }

    /// One more than the index of the text in `t`; 0 for an empty text.
    fn text(&mut self, text: String) -> u64 {
        if text.is_empty() {
            return 0;
        }
        // A chunk has few distinct texts, so a linear search is faster than a hash table.
        let known = self.texts.iter().position(|known| *known == text);
        let index = known.unwrap_or_else(|| {
            self.texts_len += text.len();
            self.texts.push(text);
            self.texts.len() - 1
        });
        index as u64 + 1
    }

    /// Writes the chunk unless it is empty, and starts the next.
    pub(super) fn write_to(&mut self, out: &mut Vec<u8>) {
        if self.urls.is_empty() && self.rows.is_empty() && self.edges.is_empty() {
            return;
        }
        out.extend_from_slice(b"<script>chunk({\"s\":[");
        out.append(&mut self.urls);
        out.extend_from_slice(b"],\"t\":[");
        for (index, text) in self.texts.drain(..).enumerate() {
            if index > 0 {
                out.push(b',');
            }
            push_in_script(out, &text);
        }
        out.extend_from_slice(b"],\"p\":[");
        out.append(&mut self.rows);
        out.extend_from_slice(b"],\"e\":[");
        out.append(&mut self.edges);
        out.extend_from_slice(b"]})</script>\n");
        self.texts_len = 0;
        self.pages = 0;
        self.from = None;
    }
}

fn separate(out: &mut Vec<u8>) {
    if !out.is_empty() {
        out.push(b',');
    }
}
