//! Documents as they are printed.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use engine::Document;
use model::SinkError;
use serde::Serialize;

use super::outcome::Outcome;
use crate::args::ContentFormatWord;

/// Writes one document after the other.
pub(super) struct PageWriter {
    format: ContentFormatWord,
    /// There may be several, so each says which it is.
    several: bool,
    /// What reaches a terminal must not drive it.
    harmless: bool,
    begun: bool,
    name: String,
    out: Box<dyn Write>,
}

/// A page that could not be had, as JSON.
#[derive(Serialize)]
struct Missing<'a> {
    url: &'a str,
    error: String,
    kind: &'a str,
}

impl PageWriter {
    /// Into a file, which appears at once, or to stdout, which `-` names too.
    pub(super) fn open(
        format: ContentFormatWord,
        file: Option<&Path>,
        several: bool,
    ) -> Result<Self, SinkError> {
        let file = file.filter(|file| *file != Path::new("-"));
        let name = file.map_or("stdout".into(), |file| file.display().to_string());
        let out: Box<dyn Write> = match file {
            None => Box::new(io::stdout()),
            Some(file) => match File::create(file) {
                Ok(file) => Box::new(file),
                Err(error) => {
                    let target = name;
                    return Err(SinkError { target, error });
                }
            },
        };
        Ok(Self {
            format,
            several,
            harmless: file.is_none() && io::stdout().is_terminal(),
            begun: false,
            name,
            out,
        })
    }

    /// Prints what became of a URL. An error page is printed as JSON only, where its status stands beside it.
    pub(super) fn write(&mut self, outcome: &Outcome) -> Result<(), SinkError> {
        let text = match (&outcome.document, outcome.trouble()) {
            (Ok(document), None) => self.shown(&outcome.url, document),
            (Ok(document), Some(_)) if self.format == ContentFormatWord::Json => {
                self.shown(&outcome.url, document)
            }
            (_, Some((words, kind))) if self.format == ContentFormatWord::Json => {
                let missing = Missing {
                    url: &outcome.url,
                    error: words,
                    kind,
                };
                let written = if self.several {
                    serde_json::to_string(&missing)
                } else {
                    serde_json::to_string_pretty(&missing)
                };
                with_end(written.unwrap_or_default())
            }
            _ => return Ok(()),
        };
        let text = if self.harmless { harmless(&text) } else { text };
        self.begun = true;
        let written = self.out.write_all(text.as_bytes());
        written.and_then(|()| self.out.flush()).map_err(|error| {
            let target = self.name.clone();
            SinkError { target, error }
        })
    }

    fn shown(&self, url: &str, document: &Document) -> String {
        let content = match self.format {
            ContentFormatWord::Json => return with_end(document.json(!self.several)),
            ContentFormatWord::Markdown => document.markdown(),
            ContentFormatWord::Html => document.html(),
            ContentFormatWord::Text => document.text(),
        };
        if !self.several {
            return content;
        }
        let gap = if self.begun { "\n" } else { "" };
        format!("{gap}{url}\n\n{content}")
    }
}

fn with_end(mut line: String) -> String {
    line.push('\n');
    line
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
