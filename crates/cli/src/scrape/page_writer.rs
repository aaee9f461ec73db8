//! Prints documents.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use crawler_engine::Document;
use crawler_model::SinkError;
use serde::Serialize;

use super::scrape_result::{PreparedPage, ScrapeResult, error_of};
use crate::args::ContentFormatChoice;

/// How pages are printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) format: ContentFormatChoice,
    /// There may be several pages, so each is printed with its URL.
    pub(super) several: bool,
}

/// Writes one document after the other.
pub(super) struct PageWriter {
    layout: Layout,
    /// Replace control characters, since the output is a terminal.
    escape: bool,
    started: bool,
    name: String,
    out: Out,
}

/// Destination of the output.
enum Out {
    Stdout,
    /// Truncated with the first page, so that a failed fetch does not erase the previous content.
    File(File),
}

/// A page that could not be fetched, as JSON.
#[derive(Serialize)]
struct FailedPage<'a> {
    url: &'a str,
    error: &'a str,
    error_kind: &'a str,
    /// The same as `error_kind`; the older name.
    kind: &'a str,
}

impl Layout {
    /// Formats a page for printing. An error page is printed only as JSON, which includes its status.
    pub(super) fn prepare(self, document: Document) -> PreparedPage {
        let error = error_of(&document);
        let text = match self.format {
            ContentFormatChoice::Json => {
                let error = error
                    .as_ref()
                    .map(|(message, kind)| (message.as_str(), *kind));
                document.json(!self.several, error) + "\n"
            }
            _ if error.is_some() => String::new(),
            ContentFormatChoice::Markdown => document.markdown(),
            ContentFormatChoice::Html => document.html(),
            ContentFormatChoice::Text => document.text(),
        };
        PreparedPage { document, text }
    }

    fn failed(self, url: &str, error: &str, kind: &str) -> String {
        let failed = FailedPage {
            url,
            error,
            error_kind: kind,
            kind,
        };
        let written = if self.several {
            serde_json::to_string(&failed)
        } else {
            serde_json::to_string_pretty(&failed)
        };
        written.unwrap_or_default() + "\n"
    }
}

impl PageWriter {
    /// Opens a file, which is created immediately, or stdout for `None` and `-`.
    pub(super) fn open(layout: Layout, file: Option<&Path>) -> Result<Self, SinkError> {
        let file = file.filter(|file| *file != Path::new("-"));
        let name = file.map_or("stdout".into(), |file| file.display().to_string());
        let out = match file {
            None => Out::Stdout,
            Some(file) => {
                let opened = OpenOptions::new()
                    .write(true)
                    .create(true)
                    .truncate(false)
                    .open(file);
                match opened {
                    Ok(file) => Out::File(file),
                    Err(error) => {
                        let target = name;
                        return Err(SinkError { target, error });
                    }
                }
            }
        };
        Ok(Self {
            layout,
            escape: file.is_none() && io::stdout().is_terminal(),
            started: false,
            name,
            out,
        })
    }

    /// Prints the result for one URL.
    pub(super) fn write(&mut self, result: &ScrapeResult) -> Result<(), SinkError> {
        let is_json = self.layout.format == ContentFormatChoice::Json;
        let separator = if self.started { "\n" } else { "" };
        let text = match (&result.page, result.failure()) {
            (Ok(page), _) if is_json => page.text.clone(),
            (Err(_), Some((message, kind))) if is_json => {
                self.layout.failed(&result.url, &message, kind)
            }
            (Ok(page), None) if self.layout.several => {
                format!("{separator}{}\n\n{}", result.url, page.text)
            }
            (Ok(page), None) => page.text.clone(),
            _ => return Ok(()),
        };
        let text = if self.escape {
            without_controls(&text)
        } else {
            text
        };
        self.write_bytes(text.as_bytes()).map_err(|error| {
            let target = self.name.clone();
            SinkError { target, error }
        })
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let first = !std::mem::replace(&mut self.started, true);
        match &mut self.out {
            Out::Stdout => {
                let mut stdout = io::stdout();
                stdout.write_all(bytes)?;
                stdout.flush()
            }
            Out::File(file) => {
                // A device cannot be truncated.
                if first && file.metadata()?.is_file() {
                    file.set_len(0)?;
                }
                file.write_all(bytes)
            }
        }
    }
}

/// Replaces control characters with U+FFFD.
fn without_controls(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(
            without_controls("a\x1b[2J\r\n\tb\u{9b}"),
            "a\u{fffd}[2J\u{fffd}\n\tb\u{fffd}"
        );
    }
}
