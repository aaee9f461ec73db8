//! Scores main-content extraction against labeled pages, and dumps training data.
//!
//! `eval <data folder>` reports quality and speed; the other modes are for training. See eval/README.md.

mod alignment;
mod chosen;
mod clock;
mod dataset;
mod dump;
mod figures;
mod folds;
mod page_result;
#[cfg(feature = "peers")]
mod peers;
mod pipeline;
mod report;
mod run;
mod words;

use std::io::{Result, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
eval <data folder> [--report=<file>]            all figures; the worst pages as an HTML report
eval <data folder> oracle                       upper bound of selecting whole blocks
eval <data folder> dump <out folder> [<tables>] features and labels, for training
eval <data folder> odds <file>                  score the given log-odds per block, to check training
";

fn main() -> ExitCode {
    let (flags, arguments): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    let mut report_file = PathBuf::from("eval-report.html");
    for flag in &flags {
        let Some(file) = flag.strip_prefix("--report=") else {
            eprintln!("unknown flag: {flag}\n{USAGE}");
            return ExitCode::from(2);
        };
        report_file = PathBuf::from(file);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some((folder, mode)) = arguments.split_first() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let result = match mode {
        [] | ["oracle"] | ["dump", _] | ["dump", _, _] | ["odds", _] => {
            run(Path::new(folder), mode, &report_file)
        }
        _ => {
            eprintln!("unknown mode: {}\n{USAGE}", mode.join(" "));
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &Path, mode: &[&str], report_file: &Path) -> Result<()> {
    let pages = dataset::read(folder)?;
    let text = match mode {
        ["dump", out, tables @ ..] => {
            return dump::dump(&pages, Path::new(out), tables.first().map(Path::new));
        }
        ["oracle", ..] => run::oracle(&pages).to_string(),
        ["odds", file, ..] => run::with_odds(&pages, Path::new(file))?.to_string(),
        _ => {
            let report = run::evaluate(&pages)?;
            std::fs::write(report_file, report.page())?;
            eprintln!("HTML report: {}", report_file.display());
            report.text()
        }
    };
    // A closed pipe is not an error.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}
