//! The `crawler` command: the only place that wires the rooms together.
//!
//! Arguments become a spec, the spec a plan, the plan a crawl; its end becomes an exit code. stdout
//! carries data only, everything else goes through [`talk::Talk`] to stderr.

mod args;
mod browser;
mod config;
mod crawl;
mod dialect;
mod exit;
mod keys;
mod log_sink;
mod numbers;
mod one_line;
mod open_files;
mod plan_line;
mod progress_line;
mod reference;
mod scrape;
mod serve;
mod serve_args;
mod signals;
mod spec;
mod state;
mod summary_lines;
mod talk;
mod terminal_stdout;
mod typed_hosts;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::args::{Cli, Command};

/// How we introduce ourselves.
const AGENT: &str = concat!("crawler/", env!("CARGO_PKG_VERSION"));

fn main() -> ExitCode {
    let typed: Vec<OsString> = std::env::args_os().collect();
    if typed.len() < 2 {
        return exit::bad_usage_with_help();
    }
    if let Some(words) = dialect::unknown_command(&typed, &Cli::command()) {
        talk::refuse(&words, talk::is_for_machines(&typed));
        return ExitCode::from(exit::BAD_USAGE);
    }
    let words = dialect::rewrite(typed, &Cli::command());
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => {
            let command = words.get(1).and_then(|word| word.to_str());
            let json = talk::is_for_machines(&words);
            return exit::from_clap(&error, command.unwrap_or("crawl"), json);
        }
    };
    match cli.command {
        Command::Crawl(args) => crawl::crawl(&args),
        Command::Map(args) => crawl::map(&args),
        Command::Scrape(args) => scrape::scrape(&args),
        Command::Serve(args) => serve::serve(&args),
        Command::Config(args) => config::config(&args),
        Command::Keys(args) => keys::keys(&args),
        Command::Completions { shell } => reference::completions(shell),
        Command::Man { markdown } => reference::man(markdown),
    }
}
