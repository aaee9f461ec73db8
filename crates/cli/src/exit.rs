//! Exit codes: 0 the crawl ended, 1 the seed could not be fetched or the program failed, 2 bad usage, 130 a signal.

use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;
use clap::error::ErrorKind;
use crawler_model::{StopReason, Summary};

use crate::args::Cli;
use crate::console;

pub(crate) const FAILED: u8 = 1;
pub(crate) const BAD_USAGE: u8 = 2;
pub(crate) const SIGNALED: u8 = 130;

/// Exit code of a crawl that ended.
pub(crate) fn of_summary(summary: &Summary) -> ExitCode {
    ExitCode::from(number_of(summary))
}

/// The same code as a number.
pub(crate) fn number_of(summary: &Summary) -> u8 {
    match summary.stop {
        StopReason::Signal => SIGNALED,
        StopReason::OutputClosed => 0,
        _ if summary.seed_problem.is_some() => FAILED,
        _ => 0,
    }
}

/// Prints the help to stderr: no arguments were given.
pub(crate) fn bad_usage_with_help() -> ExitCode {
    let help = Cli::command().render_help();
    // Nothing can be done if stderr is closed.
    let _ = write!(std::io::stderr(), "{help}");
    ExitCode::from(BAD_USAGE)
}

/// Exit code for what clap reports: help, version, or a usage error. An error is printed on one line, with the command that
/// shows the help; `json` prints it as JSON.
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
    let error_line = one_line(&error.render().to_string(), command);
    let message =
        if error.kind() == ErrorKind::MissingRequiredArgument && error_line.contains("<URL>") {
            if command == "scrape" {
                "<URL>: missing; give a URL like https://example.org/, or - to read URLs from stdin"
            } else {
                "<URL>: missing; give a URL like https://example.org/"
            }
        } else {
            &error_line
        };
    console::print_error(message, json);
    ExitCode::from(BAD_USAGE)
}

/// clap's message without blank lines and usage: the error, then the tip.
fn one_line(message: &str, command: &str) -> String {
    let mut lines = message
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        // The tip on passing a flag as a value does not help with a typo.
        .filter(|line| !line.is_empty() && !line.starts_with("tip: to pass "));
    let first = lines.next().unwrap_or("bad usage");
    let mut text = first.strip_prefix("error: ").unwrap_or(first).to_owned();
    for line in lines {
        text.push_str(if text.ends_with(':') { " " } else { "; " });
        text.push_str(line);
    }
    text.push_str("; see `crawler ");
    text.push_str(command);
    text.push_str(" --help`");
    text
}
