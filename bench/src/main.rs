//! `hot`: does one step of the hot path so many times, on an input that never changes.
//!
//! `cargo xtask micro` runs it under valgrind with a number of times and with twice that number: the difference is
//! what the step costs, start and preparation left out. Nothing here measures time, and nothing here is random but
//! the seeds of the standard library's tables, which some steps use.
//!
//! Every step says what it found, and a wrong answer ends the program: a step that does nothing would be cheap. (Of a sink
//! only that it wrote; what, is tested where sinks are.)

mod case;
mod cases;
mod pages;

use std::io::{self, Write};
use std::process::ExitCode;

use case::Case;

const HELP: &str = "hot              the cases, a line each: name, times
hot CASE TIMES   does that case so many times";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.as_slice() {
        [] => list(),
        [name, times] => run(name, times),
        _ => Err(HELP.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(words) => {
            // Who is not there to read it sees the exit code.
            let _ = writeln!(io::stderr(), "{words}");
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
        .map_err(|_| format!("{times:?} is not a number of times"))?;
    let case: Option<Case> = cases::all().into_iter().find(|case| case.name == name);
    case.ok_or_else(|| format!("there is no case {name:?}; without a word all are listed"))?
        .run(times)
}
