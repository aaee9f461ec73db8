//! `hot`: repeats one step of the hot path on a fixed input.
//!
//! `cargo xtask micro` runs it under valgrind with a number of repetitions and with twice that number: the difference is
//! the cost of the step, without start-up and preparation. Nothing here measures time, and nothing is random except
//! the seeds of the standard library's hash tables, which some steps use.
//!
//! Every step returns a result that is checked, because a step that does nothing would be cheap. For a sink, only success
//! is checked; its output is tested in its own crate.

mod case;
mod cases;
mod pages;

use std::io::{self, Write};
use std::process::ExitCode;

use case::Case;

const HELP: &str = "hot              list the cases, one per line: name, times
hot CASE TIMES   repeat a case that many times";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [] => list(),
        [name, times] => run(name, times),
        _ => Err(HELP.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // If stderr is closed, the exit code still reports the failure.
            let _ = writeln!(io::stderr(), "{message}");
            ExitCode::from(2)
        }
    }
}

fn list() -> Result<(), String> {
    let mut out = io::stdout().lock();
    for case in cases::all() {
        writeln!(out, "{}\t{}", case.name, case.times).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn run(name: &str, times: &str) -> Result<(), String> {
    let times = times
        .parse()
        .map_err(|_| format!("{times:?} is not a number of repetitions"))?;
    let case: Option<Case> = cases::all().into_iter().find(|case| case.name == name);
    case.ok_or_else(|| format!("no case is named {name:?}; run without arguments to list all"))?
        .run(times)
}
