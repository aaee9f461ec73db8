//! The `crawler` command: the only place that wires the rooms together.
//!
//! Arguments become a spec, the spec a plan, the plan a crawl; its end becomes an exit code. stdout
//! carries data only, everything else goes through [`talk::Talk`] to stderr.

mod args;
mod crawl;
mod dialect;
mod exit;
mod log_sink;
mod numbers;
mod plan_line;
mod progress_line;
mod reference;
mod signals;
mod spec;
mod summary_lines;
mod talk;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    let typed: Vec<OsString> = std::env::args_os().collect();
    if typed.len() < 2 {
        return exit::bad_usage_with_help();
    }
    let cli = match Cli::try_parse_from(dialect::rewrite(typed, &Cli::command())) {
        Ok(cli) => cli,
        Err(error) => return exit::from_clap(&error),
    };
    match cli.command {
        Command::Crawl(args) => crawl::crawl(&args),
        Command::Map(args) => crawl::map(&args),
        Command::Completions { shell } => reference::completions(shell),
        Command::Man { markdown } => reference::man(markdown),
    }
}
