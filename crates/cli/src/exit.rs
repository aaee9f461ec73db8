//! Exit codes: 0 the crawl ended, 1 the seed could not be fetched or we failed, 2 bad usage, 130 a signal.

use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;
use clap::error::ErrorKind;
use model::{StopReason, Summary};

use crate::args::Cli;
use crate::talk;

pub(crate) const FAILED: u8 = 1;
pub(crate) const BAD_USAGE: u8 = 2;
pub(crate) const SIGNALLED: u8 = 130;

/// The code of a crawl that came to its end.
pub(crate) fn of_summary(summary: &Summary) -> ExitCode {
    ExitCode::from(number_of(summary))
}

/// The same as a number.
pub(crate) fn number_of(summary: &Summary) -> u8 {
    match summary.stop {
        StopReason::Signal => SIGNALLED,
        StopReason::OutputClosed => 0,
        _ if summary.seed_problem.is_some() => FAILED,
        _ => 0,
    }
}

/// Nothing was typed: show what can be.
pub(crate) fn bad_usage_with_help() -> ExitCode {
    let help = Cli::command().render_help();
    // A terminal that went away has nobody to tell.
    let _ = write!(std::io::stderr(), "{help}");
    ExitCode::from(BAD_USAGE)
}

/// What clap refused, or help and version, which it also reports this way. A typo gets one clear line
/// and where to look, not a page; `json` says that a machine is told.
pub(crate) fn from_clap(error: &clap::Error, command: &str, json: bool) -> ExitCode {
    if !error.use_stderr() {
        // A closed pipe (`--help | head`) is a clean exit.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
        return ExitCode::from(BAD_USAGE);
    }
    let told = one_line(&error.render().to_string(), command);
    let words = if error.kind() == ErrorKind::MissingRequiredArgument && told.contains("<URL>") {
        if command == "scrape" {
            "<URL>: none was given; give one like https://example.org/, or - to read them from stdin"
        } else {
            "<URL>: none was given; give one like https://example.org/"
        }
    } else {
        &told
    };
    talk::refuse(words, json);
    ExitCode::from(BAD_USAGE)
}

/// clap's message without its blank lines and usage: what was wrong, then the tip.
fn one_line(told: &str, command: &str) -> String {
    let mut lines = told
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        // How to pass a flag as a value is not what anybody wanted who mistyped one.
        .filter(|line| !line.is_empty() && !line.starts_with("tip: to pass "));
    let first = lines.next().unwrap_or("bad usage");
    let mut text = first.strip_prefix("error: ").unwrap_or(first).to_owned();
    for line in lines {
        text.push_str(if text.ends_with(':') { " " } else { "; " });
        text.push_str(line);
    }
    text.push_str("; see crawler ");
    text.push_str(command);
    text.push_str(" --help");
    text
}
