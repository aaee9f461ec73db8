//! Documents as they are printed.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use engine::Document;
use model::SinkError;
use serde::Serialize;

use super::outcome::{Outcome, Rendered, error_of};
use crate::args::ContentFormatWord;

/// How pages are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) format: ContentFormatWord,
    /// There may be several, so each says which it is.
    pub(super) several: bool,
}

/// Writes one document after the other.
pub(super) struct PageWriter {
    layout: Layout,
    /// What reaches a terminal must not drive it.
    harmless: bool,
    begun: bool,
    name: String,
    out: Out,
}

/// Where the bytes go.
enum Out {
    Stdout,
    /// Emptied with the first page, so that a page that cannot be had does not cost the one before.
    File(File),
}

/// A page that could not be had, as JSON.
#[derive(Serialize)]
struct Missing<'a> {
    url: &'a str,
    error: &'a str,
    kind: &'a str,
}

impl Layout {
    /// A page as it will be printed. An error page is printed as JSON only, where its status stands beside it.
    pub(super) fn rendered(self, document: Document) -> Rendered {
        let error = error_of(&document);
        let text = match self.format {
            ContentFormatWord::Json => {
                let error = error.as_ref().map(|(words, kind)| (words.as_str(), *kind));
                document.json(!self.several, error) + "\n"
            }
            _ if error.is_some() => String::new(),
            ContentFormatWord::Markdown => document.markdown(),
            ContentFormatWord::Html => document.html(),
            ContentFormatWord::Text => document.text(),
        };
        Rendered { document, text }
    }

    fn missing(self, url: &str, error: &str, kind: &str) -> String {
        let missing = Missing { url, error, kind };
        let written = if self.several {
            serde_json::to_string(&missing)
        } else {
            serde_json::to_string_pretty(&missing)
        };
        written.unwrap_or_default() + "\n"
    }
}

impl PageWriter {
    /// Into a file, which is there at once, or to stdout, which `-` names too.
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
            harmless: file.is_none() && io::stdout().is_terminal(),
            begun: false,
            name,
            out,
        })
    }

    /// Prints what became of a URL.
    pub(super) fn write(&mut self, outcome: &Outcome) -> Result<(), SinkError> {
        let is_json = self.layout.format == ContentFormatWord::Json;
        let gap = if self.begun { "\n" } else { "" };
        let text = match (&outcome.page, outcome.trouble()) {
            (Ok(page), _) if is_json => page.text.clone(),
            (Err(_), Some((words, kind))) if is_json => {
                self.layout.missing(&outcome.url, &words, kind)
            }
            (Ok(page), None) if self.layout.several => {
                format!("{gap}{}\n\n{}", outcome.url, page.text)
            }
            (Ok(page), None) => page.text.clone(),
            _ => return Ok(()),
        };
        let text = if self.harmless { harmless(&text) } else { text };
        self.put(text.as_bytes()).map_err(|error| {
            let target = self.name.clone();
            SinkError { target, error }
        })
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let first = !std::mem::replace(&mut self.begun, true);
        match &mut self.out {
            Out::Stdout => {
                let mut stdout = io::stdout();
                stdout.write_all(bytes)?;
                stdout.flush()
            }
            Out::File(file) => {
                // A device has no length to be cut.
                if first && file.metadata()?.is_file() {
                    file.set_len(0)?;
                }
                file.write_all(bytes)
            }
        }
    }
}

/// Control characters are shown as a box instead of obeyed.
fn harmless(text: &str) -> String {
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
    fn what_the_web_says_cannot_drive_the_terminal() {
        assert_eq!(
            harmless("a\x1b[2J\r\n\tb\u{9b}"),
            "a\u{fffd}[2J\u{fffd}\n\tb\u{fffd}"
        );
    }
}
