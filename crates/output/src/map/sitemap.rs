//! A map as an XML sitemap, as defined by sitemaps.org.
//!
//! One file holds at most 50,000 URLs and 50 MiB. A larger map becomes an index with the given name and its parts beside it
//! (`site.xml`, `site-1.xml`, …); the index gives their URLs at the root of the site's origin. Stdout cannot be split, so a
//! larger map is an error there.

use std::io;
use std::path::{Path, PathBuf};

use crawler_model::{SinkError, counted, grouped};

use super::entry::Entry;
use super::writer::{MapWriter, Totals};
use crate::Target;

/// Maximum number of URLs in one file.
const MAX_URLS: u64 = 50_000;
/// Maximum size of one file.
const MAX_FILE_BYTES: u64 = 50 << 20;
/// Maximum size of the URLs in one file, leaving space for its head and foot.
const MAX_BYTES: u64 = MAX_FILE_BYTES - 1_024;
/// Maximum length of a URL in a sitemap.
const MAX_URL: usize = 2_048;

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const SPACE: &str = " xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";

/// Whether the URL is written to a sitemap.
pub(super) fn holds(entry: &Entry<'_>) -> bool {
    entry.listed && entry.url.len() <= MAX_URL
}

/// Length in bytes of the URL's line.
pub(super) fn length(url: &str) -> u64 {
    let mut line = Vec::new();
    push_url(&mut line, url);
    line.len() as u64
}

/// Writes a sitemap, or an index and its parts.
#[derive(Debug)]
pub(super) struct SitemapWriter {
    /// The given file.
    target: Target,
    parts: Option<Parts>,
}

/// The parts of a sitemap that is too large for one file.
#[derive(Debug)]
struct Parts {
    /// The index; the names of the parts are derived from its name.
    index: PathBuf,
    /// The origin that they are read from.
    origin: String,
    current: Option<Target>,
    count: usize,
    totals: Totals,
}

impl SitemapWriter {
    pub(super) fn new(target: Target) -> Self {
        Self {
            target,
            parts: None,
        }
    }
}

impl MapWriter for SitemapWriter {
    fn open(&mut self, totals: Totals, origin: &str) -> Result<(), SinkError> {
        if totals.urls <= MAX_URLS && totals.bytes <= MAX_BYTES {
            self.target.text(XML).text("<urlset").text(SPACE);
            return Ok(());
        }
        let Some(index) = self.target.path().map(Path::to_owned) else {
            return Err(self.target.error(io::Error::other(too_large(totals))));
        };
        self.parts = Some(Parts {
            index,
            origin: origin.to_owned(),
            current: None,
            count: 0,
            totals: Totals::default(),
        });
        self.target.text(XML).text("<sitemapindex").text(SPACE);
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        if !holds(entry) {
            return Ok(());
        }
        let target = match &mut self.parts {
            Some(parts) => parts.part_for(entry, &mut self.target)?,
            None => &mut self.target,
        };
        push_url(target.buffer(), entry.url);
        target.write_if_full()
    }

    fn close(&mut self) -> Result<(), SinkError> {
        match &mut self.parts {
            Some(parts) => {
                parts.close()?;
                self.target.text("</sitemapindex>\n");
            }
            None => {
                self.target.text("</urlset>\n");
            }
        }
        self.target.flush()
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.target.flush()
    }
}

impl Parts {
    /// The part with space for the entry; a new part is added to the index.
    fn part_for(
        &mut self,
        entry: &Entry<'_>,
        index: &mut Target,
    ) -> Result<&mut Target, SinkError> {
        let mut totals = self.totals;
        totals.count(entry);
        if totals.urls > MAX_URLS || totals.bytes > MAX_BYTES {
            self.close()?;
            totals = Totals::default();
            totals.count(entry);
        }
        self.totals = totals;
        if self.current.is_none() {
            self.count += 1;
            let path = part_path(&self.index, self.count);
            let mut part = Target::create(&path)?;
            part.text(XML).text("<urlset").text(SPACE);
            self.current = Some(part);
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            index.text("<sitemap><loc>");
            push_escaped(index.buffer(), &self.origin);
            index.text("/");
            push_escaped(index.buffer(), &percent_encoded(&name));
            index.text("</loc></sitemap>\n");
        }
        #[expect(clippy::expect_used, reason = "created above if it was missing")]
        Ok(self.current.as_mut().expect("there is a current part"))
    }

    fn close(&mut self) -> Result<(), SinkError> {
        match self.current.take() {
            Some(mut part) => part.text("</urlset>\n").flush(),
            None => Ok(()),
        }
    }
}

/// Error message for a map that does not fit into one sitemap.
fn too_large(totals: Totals) -> String {
    let limit = if totals.urls > MAX_URLS {
        format!(
            "a sitemap can hold at most {}, but there are {}",
            counted(MAX_URLS, "URL"),
            grouped(totals.urls)
        )
    } else {
        format!(
            "a sitemap can hold at most {} MiB, but these URLs need {}",
            MAX_FILE_BYTES >> 20,
            counted(totals.bytes, "byte")
        )
    };
    format!("{limit}; give a file with -o, which becomes an index of several sitemaps")
}

/// `dir/site.xml` and 2 give `dir/site-2.xml`.
fn part_path(index: &Path, number: usize) -> PathBuf {
    let mut name = index.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = index.extension() {
        name.push(".");
        name.push(extension);
    }
    index.with_file_name(name)
}

/// A file's name as a path segment of a URL.
fn percent_encoded(name: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn push_url(out: &mut Vec<u8>, url: &str) {
    out.extend_from_slice(b"<url><loc>");
    push_escaped(out, url);
    out.extend_from_slice(b"</loc></url>\n");
}

fn push_escaped(out: &mut Vec<u8>, text: &str) {
    for &byte in text.as_bytes() {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            b'\'' => out.extend_from_slice(b"&apos;"),
            _ => out.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_in_the_folder_of_the_index() {
        for (index, part) in [
            ("site.xml", "site-2.xml"),
            ("out/a.b.xml", "out/a.b-2.xml"),
            ("sitemap", "sitemap-2"),
        ] {
            assert_eq!(part_path(Path::new(index), 2), Path::new(part));
        }
    }

    #[test]
    fn the_message_names_the_limit_that_was_exceeded() {
        let totals = |urls, bytes| Totals { urls, bytes };
        for (totals, expected) in [
            (
                totals(50_001, 1 << 20),
                "at most 50,000 URLs, but there are 50,001;",
            ),
            (
                totals(40_000, 60_000_000),
                "at most 50 MiB, but these URLs need 60,000,000 bytes;",
            ),
            (
                totals(50_001, 60_000_000),
                "at most 50,000 URLs, but there are 50,001;",
            ),
        ] {
            let message = too_large(totals);
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn file_names_are_percent_encoded() {
        assert_eq!(percent_encoded("my site-1.xml"), "my%20site-1.xml");
    }
}
