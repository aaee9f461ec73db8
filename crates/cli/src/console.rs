//! All messages on stderr.
//!
//! Messages and the progress line share the terminal: printing a message erases the progress line first.
//! Control characters in text from the web are escaped.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex};

use crawler_model::lock;

use crate::args::{LogChoice, MessageArgs, When};

/// Importance of a message.
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
    /// The crawl ended early, so the output is incomplete; printed even with `-q`.
    Incomplete,
    /// A fatal error; printed even with `-q`.
    Error,
}

/// Value of a field in a JSON message.
pub(crate) enum Value<'a> {
    Text(&'a str),
    Number(u64),
    Seconds(f64),
    Flag(bool),
}

/// Writer of messages to stderr. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Console {
    min_level: Level,
    json: bool,
    color: bool,
    terminal: bool,
    progress: bool,
    line: Arc<Mutex<LineState>>,
}

/// State of the terminal's current line.
#[derive(Debug, Default)]
struct LineState {
    progress: bool,
    /// Data on the same terminal ended in the middle of a line: no progress line until that line is complete.
    mid_line: bool,
}

impl Console {
    /// A console with the verbosity of `args`; `progress` is when to show a progress line.
    pub(crate) fn new(args: &MessageArgs, progress: When) -> Self {
        // A dumb terminal cannot redraw a line.
        let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let terminal = std::io::stderr().is_terminal() && !dumb;
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let json = args.log_format == LogChoice::Json;
        Self {
            min_level: match (args.quiet, args.verbose) {
                (true, _) => Level::Incomplete,
                (false, 0) => Level::Info,
                (false, 1) => Level::Detail,
                (false, _) => Level::Debug,
            },
            json,
            color: !json
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
            line: Arc::default(),
        }
    }

    /// Whether messages of this level are printed.
    pub(crate) fn prints(&self, level: Level) -> bool {
        level >= self.min_level
    }

    /// Whether to show a progress line.
    pub(crate) fn shows_progress(&self) -> bool {
        self.progress
    }

    /// Whether the progress line can be redrawn in place.
    pub(crate) fn redraws(&self) -> bool {
        self.terminal && !self.json
    }

    /// Maximum length of a progress line: one less than the terminal's width.
    pub(crate) fn width(&self) -> usize {
        if !self.redraws() {
            return usize::MAX;
        }
        let width = terminal_size::terminal_size_of(std::io::stderr())
            .map(|(terminal_size::Width(width), _)| usize::from(width));
        width.unwrap_or_else(fallback_width).saturating_sub(1)
    }

    /// Prints a message: `text`, or with `--log-format json` an object with `event` and `fields` too.
    pub(crate) fn print(
        &self,
        level: Level,
        text: &str,
        event: &str,
        fields: &[(&str, Value<'_>)],
    ) {
        if !self.prints(level) {
            return;
        }
        let line = if self.json {
            json_line(level, text, event, fields)
        } else {
            self.text_line(level, text)
        };
        let mut state = lock(&self.line);
        self.erase(&mut state);
        // If stderr is closed, the crawl continues without messages.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    /// Redraws the progress line, or prints another one where it cannot be redrawn.
    pub(crate) fn progress(&self, text: &str, fields: &[(&str, Value<'_>)]) {
        if self.json {
            self.print(Level::Info, text, "progress", fields);
            return;
        }
        let mut state = lock(&self.line);
        if state.mid_line {
            return;
        }
        let mut line = String::new();
        if self.redraws() {
            if state.progress {
                line.push_str(ERASE);
            }
            line.push_str(text);
            state.progress = true;
        } else {
            line.push_str(text);
            line.push('\n');
        }
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    /// Writes data to a stdout that is the same terminal, after erasing the progress line.
    pub(crate) fn write_stdout(&self, data: &[u8]) -> std::io::Result<()> {
        let mut state = lock(&self.line);
        self.erase(&mut state);
        state.mid_line = data.last().is_some_and(|last| *last != b'\n');
        std::io::stdout().write_all(data)?;
        std::io::stdout().flush()
    }

    /// Erases the progress line.
    pub(crate) fn end_progress(&self) {
        let mut state = lock(&self.line);
        self.erase(&mut state);
    }

    fn erase(&self, state: &mut LineState) {
        if std::mem::take(&mut state.progress) && self.redraws() {
            let _ = std::io::stderr().write_all(ERASE.as_bytes());
        }
    }

    fn text_line(&self, level: Level, text: &str) -> String {
        let mut line = String::with_capacity(text.len() + 16);
        let color = match level {
            Level::Error => "\x1b[1;31m",
            Level::Warning | Level::Incomplete => "\x1b[33m",
            Level::Info => "\x1b[1m",
            Level::Detail | Level::Debug => "\x1b[2m",
        };
        if self.color {
            line.push_str(color);
        }
        if level == Level::Error {
            line.push_str("error: ");
        }
        push_escaped(&mut line, &without_error_codes(text));
        if self.color {
            line.push_str("\x1b[0m");
        }
        line.push('\n');
        line
    }
}

/// Width of a terminal that does not report it, such as a serial line: `COLUMNS`, else 80.
fn fallback_width() -> usize {
    let columns = std::env::var("COLUMNS").ok();
    let width = columns.and_then(|columns| columns.trim().parse().ok());
    width.filter(|width| *width > 0).unwrap_or(80)
}

/// Whether a command line, which may be invalid otherwise, contains `--log-format json`.
pub(crate) fn wants_json(typed: &[OsString]) -> bool {
    typed.iter().any(|word| word == "--log-format=json")
        || typed
            .windows(2)
            .any(|pair| pair[0] == "--log-format" && pair[1] == "json")
}

/// Prints an error where there is no [`Console`].
pub(crate) fn print_error(message: &str, json: bool) {
    let line = if json {
        json_line(Level::Error, message, "bad_usage", &[])
    } else {
        let mut line = String::from("error: ");
        push_escaped(&mut line, &without_error_codes(message));
        line.push('\n');
        line
    };
    // Nothing can be done if stderr is closed.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Prints a warning where there is no [`Console`].
#[cfg(feature = "service")]
pub(crate) fn print_warning(message: &str) {
    print_labeled("warning", message);
}

/// Prints a note where there is no [`Console`].
#[cfg(feature = "service")]
pub(crate) fn print_note(message: &str) {
    print_labeled("note", message);
}

/// Prints a text of several lines as it is.
#[cfg(feature = "service")]
pub(crate) fn print_block(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

#[cfg(feature = "service")]
fn print_labeled(label: &str, message: &str) {
    let mut line = format!("{label}: ");
    push_escaped(&mut line, message);
    line.push('\n');
    let _ = std::io::stderr().write_all(line.as_bytes());
}

const ERASE: &str = "\r\x1b[K";

/// Removes the system's error codes: "No such file or directory (os error 2)" says enough without the number.
fn without_error_codes(text: &str) -> Cow<'_, str> {
    const CODE: &str = " (os error ";
    let mut text = Cow::Borrowed(text);
    while let Some(start) = text.find(CODE) {
        let digits = start + CODE.len();
        let Some(end) = text[digits..].find(')').map(|end| digits + end) else {
            break;
        };
        text.to_mut().replace_range(start..=end, "");
    }
    text
}

/// Appends text with control characters and bidirectional overrides escaped.
fn push_escaped(line: &mut String, text: &str) {
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
        Level::Warning | Level::Incomplete => "warning",
        Level::Error => "error",
    };
    let mut line = format!("{{\"level\":\"{level}\",\"event\":\"{event}\",\"message\":");
    push_json(&mut line, &without_error_codes(text));
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
    fn control_characters_are_escaped() {
        let mut line = String::new();
        push_escaped(&mut line, "a\x1b[2Jb\r\nc\u{202e}d");
        assert_eq!(line, "a\\u{1b}[2Jb\\u{d}\\u{a}c\\u{202e}d");
    }

    #[test]
    fn error_codes_of_the_system_are_left_out() {
        for (text, expected) in [
            ("a: Broken pipe (os error 32)", "a: Broken pipe"),
            ("a (os error 2), b (os error 3)", "a, b"),
            ("a (os error", "a (os error"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(without_error_codes(text), expected);
        }
    }

    #[test]
    fn json_messages_are_valid_json() {
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
