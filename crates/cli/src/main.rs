//! The `crawler` command.
//!
//! Arguments become a spec, the spec a plan, the plan a crawl, and its summary an exit code. stdout carries data only;
//! everything else goes to stderr through [`console::Console`].

mod advice;
mod args;
mod browser;
#[cfg(feature = "service")]
mod config;
mod console;
mod crawl;
mod dialect;
mod exit;
#[cfg(feature = "service")]
mod keys;
#[cfg(feature = "service")]
mod listener;
mod log_sink;
#[cfg(not(all(feature = "content", feature = "service")))]
mod not_built;
mod numbers;
#[cfg(feature = "service")]
mod one_line;
#[cfg(feature = "service")]
mod open_files;
mod plan_line;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(all(feature = "service", not(feature = "postgres")))]
#[path = "no_postgres.rs"]
mod postgres;
#[cfg(any(feature = "service", feature = "state"))]
mod private_file;
mod progress_line;
mod reference;
mod refusal_text;
#[cfg(feature = "service")]
mod render_role;
#[cfg(feature = "content")]
mod scrape;
#[cfg(feature = "service")]
mod serve;
#[cfg_attr(
    not(feature = "service"),
    expect(
        dead_code,
        reason = "the commands of the service are parsed in every build"
    )
)]
mod serve_args;
mod signals;
mod spec;
#[cfg_attr(not(feature = "state"), path = "no_state.rs")]
mod state;
mod summary_lines;
mod terminal_stdout;
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
    if let Some(message) = dialect::unknown_command(&typed, &Cli::command()) {
        console::print_error(&message, console::wants_json(&typed));
        return ExitCode::from(exit::BAD_USAGE);
    }
    let words = dialect::rewrite(typed, &Cli::command());
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => {
            let command = words.get(1).and_then(|word| word.to_str());
            let json = console::wants_json(&words);
            return exit::from_clap(&error, command.unwrap_or("crawl"), json);
        }
    };
    match cli.command {
        Command::Crawl(args) => crawl::crawl(&args),
        Command::Map(args) => crawl::map(&args),
        #[cfg(feature = "content")]
        Command::Scrape(args) => scrape::scrape(&args),
        #[cfg(not(feature = "content"))]
        Command::Scrape(_) => not_built::refuse(&words, "content"),
        #[cfg(feature = "service")]
        Command::Serve(args) => serve::serve(&args),
        #[cfg(feature = "service")]
        Command::Config(args) => config::config(&args),
        #[cfg(feature = "service")]
        Command::Keys(args) => keys::keys(&args),
        #[cfg(not(feature = "service"))]
        Command::Serve(_) | Command::Config(_) | Command::Keys(_) => {
            not_built::refuse(&words, "service")
        }
        Command::Completions { shell } => reference::completions(shell),
        Command::Man { markdown } => reference::man(markdown),
    }
}
