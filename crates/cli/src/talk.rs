//! Everything that is said on stderr, by one speaker.
//!
//! Lines and the progress line share the terminal, so they share this: a line erases the progress first.
//! Text that came from the web is made harmless before it reaches a terminal.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::args::{LogWord, TalkArgs, When};

/// How important a line is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    /// `-vv`
    Debug,
    /// `-v`
    Detail,
    /// The start line and the summary.
    Info,
    /// A page failed, a host was slowed.
    Warning,
    /// What stops us; said even when quiet.
    Error,
}

/// A value in a machine's line.
pub(crate) enum Value<'a> {
    Text(&'a str),
    Number(u64),
    Seconds(f64),
    Flag(bool),
}

/// The speaker. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Talk {
    least: Level,
    json: bool,
    colour: bool,
    terminal: bool,
    progress: bool,
    shown: Arc<Mutex<Shown>>,
}

#[derive(Debug, Default)]
struct Shown {
    progress: bool,
    /// Data on the same terminal stopped in the middle of a line: no progress until it goes on.
    mid_line: bool,
}

impl Talk {
    /// A speaker as loud as was asked; `progress` says whether there is a progress line.
    pub(crate) fn new(args: &TalkArgs, progress: When) -> Self {
        // A dumb terminal cannot redraw a line, so it is not one that we draw on.
        let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let terminal = std::io::stderr().is_terminal() && !dumb;
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let json = args.log_format == LogWord::Json;
        Self {
            least: match (args.quiet, args.verbose) {
                (true, _) => Level::Error,
                (false, 0) => Level::Info,
                (false, 1) => Level::Detail,
                (false, _) => Level::Debug,
            },
            json,
            colour: !json
                && match args.color {
                    When::Always => true,
                    When::Never => false,
                    When::Auto => terminal && !plain,
                },
            terminal,
            progress: !args.quiet
                && match progress {
                    When::Always => true,
                    When::Never => false,
                    When::Auto => terminal && !json,
                },
            shown: Arc::default(),
        }
    }

    /// Whether lines of that level are said at all.
    pub(crate) fn says(&self, level: Level) -> bool {
        level >= self.least
    }

    /// Whether a progress line is wanted.
    pub(crate) fn shows_progress(&self) -> bool {
        self.progress
    }

    /// Whether the progress line can be redrawn in place.
    pub(crate) fn redraws(&self) -> bool {
        self.terminal && !self.json
    }

    /// How many characters of a progress line can be shown: one less than the terminal is wide.
    pub(crate) fn room(&self) -> usize {
        if !self.redraws() {
            return usize::MAX;
        }
        let width = terminal_size::terminal_size_of(std::io::stderr())
            .map(|(terminal_size::Width(width), _)| usize::from(width));
        width.unwrap_or_else(untold_width).saturating_sub(1)
    }

    /// Says a line: `text` to people, `event` and `fields` to machines.
    pub(crate) fn say(&self, level: Level, text: &str, event: &str, fields: &[(&str, Value<'_>)]) {
        if !self.says(level) {
            return;
        }
        let line = if self.json {
            json_line(level, text, event, fields)
        } else {
            self.text_line(level, text)
        };
        let mut shown = self.lock();
        self.erase(&mut shown);
        // Nobody to tell when stderr is gone; the crawl itself goes on.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    /// Redraws the progress line; machines get one more line.
    pub(crate) fn progress(&self, text: &str, fields: &[(&str, Value<'_>)]) {
        if self.json {
            self.say(Level::Info, text, "progress", fields);
            return;
        }
        let mut shown = self.lock();
        if shown.mid_line {
            return;
        }
        let mut line = String::new();
        if self.redraws() {
            if shown.progress {
                line.push_str(ERASE);
            }
            line.push_str(text);
            shown.progress = true;
        } else {
            line.push_str(text);
            line.push('\n');
        }
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    /// Writes data to stdout where that is the same terminal: the progress line makes way.
    pub(crate) fn let_through(&self, data: &[u8]) -> std::io::Result<()> {
        let mut shown = self.lock();
        self.erase(&mut shown);
        shown.mid_line = data.last().is_some_and(|last| *last != b'\n');
        std::io::stdout().write_all(data)?;
        std::io::stdout().flush()
    }

    /// Takes the progress line away.
    pub(crate) fn end_progress(&self) {
        let mut shown = self.lock();
        self.erase(&mut shown);
    }

    fn erase(&self, shown: &mut Shown) {
        if std::mem::take(&mut shown.progress) && self.redraws() {
            let _ = std::io::stderr().write_all(ERASE.as_bytes());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn text_line(&self, level: Level, text: &str) -> String {
        let mut line = String::with_capacity(text.len() + 16);
        let colour = match level {
            Level::Error => "\x1b[1;31m",
            Level::Warning => "\x1b[33m",
            Level::Info => "\x1b[1m",
            Level::Detail | Level::Debug => "\x1b[2m",
        };
        if self.colour {
            line.push_str(colour);
        }
        if level == Level::Error {
            line.push_str("error: ");
        }
        push_harmless(&mut line, text);
        if self.colour {
            line.push_str("\x1b[0m");
        }
        line.push('\n');
        line
    }
}

/// How wide a terminal is that does not say so itself, as one over a serial line or in a container: as `COLUMNS` has it.
fn untold_width() -> usize {
    let told = std::env::var("COLUMNS").ok();
    let told = told.and_then(|told| told.trim().parse().ok());
    told.filter(|width| *width > 0).unwrap_or(80)
}

/// Whether the command line, which need not make sense otherwise, asks for JSON messages.
pub(crate) fn is_for_machines(typed: &[OsString]) -> bool {
    let asked = typed.windows(2);
    typed.iter().any(|word| word == "--log-format=json")
        || asked
            .into_iter()
            .any(|pair| pair[0] == "--log-format" && pair[1] == "json")
}

/// Says why a command line is refused, before there is a speaker.
pub(crate) fn refuse(words: &str, json: bool) {
    let line = if json {
        json_line(Level::Error, words, "bad_usage", &[])
    } else {
        let mut line = String::from("error: ");
        push_harmless(&mut line, words);
        line.push('\n');
        line
    };
    // A terminal that went away has nobody to tell.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Says what is allowed and most likely not meant, where there is no speaker.
pub(crate) fn warn(words: &str) {
    let mut line = String::from("warning: ");
    push_harmless(&mut line, words);
    line.push('\n');
    let _ = std::io::stderr().write_all(line.as_bytes());
}

const ERASE: &str = "\r\x1b[K";

/// Control characters, and those that reorder text, are shown instead of obeyed.
fn push_harmless(line: &mut String, text: &str) {
    for c in text.chars() {
        let reorders = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
        if c.is_control() || reorders {
            let _ = write!(line, "{}", c.escape_unicode());
        } else {
            line.push(c);
        }
    }
}

fn json_line(level: Level, text: &str, event: &str, fields: &[(&str, Value<'_>)]) -> String {
    let level = match level {
        Level::Debug | Level::Detail => "debug",
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    let mut line = format!("{{\"level\":\"{level}\",\"event\":\"{event}\",\"message\":");
    push_json(&mut line, text);
    for (name, value) in fields {
        let _ = write!(line, ",\"{name}\":");
        match value {
            Value::Text(text) => push_json(&mut line, text),
            Value::Number(number) => {
                let _ = write!(line, "{number}");
            }
            Value::Seconds(seconds) => {
                let _ = write!(line, "{seconds:.3}");
            }
            Value::Flag(flag) => {
                let _ = write!(line, "{flag}");
            }
        }
    }
    line.push_str("}\n");
    line
}

fn push_json(line: &mut String, text: &str) {
    line.push('"');
    for c in text.chars() {
        match c {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(line, "\\u{:04x}", u32::from(c));
            }
            c => line.push(c),
        }
    }
    line.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_web_says_cannot_drive_the_terminal() {
        let mut line = String::new();
        push_harmless(&mut line, "a\x1b[2Jb\r\nc\u{202e}d");
        assert_eq!(line, "a\\u{1b}[2Jb\\u{d}\\u{a}c\\u{202e}d");
    }

    #[test]
    fn machine_lines_are_json() {
        let fields = [
            ("url", Value::Text("http://a/\"\\\u{1}")),
            ("status", Value::Number(404)),
            ("rendered", Value::Flag(false)),
        ];
        let line = json_line(Level::Warning, "a\nb", "page_failed", &fields);
        let read: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(read["url"], "http://a/\"\\\u{1}");
        assert_eq!(read["status"], 404);
        assert_eq!(read["rendered"], false);
        assert_eq!(read["message"], "a\nb");
    }
}
