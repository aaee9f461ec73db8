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
eval <data folder> dump <out folder> [<words>]  features and labels, for training
eval <data folder> odds <file>                  score with_odds odds per block, to check training
";

fn main() -> ExitCode {
    let (flags, arguments): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    let mut page = PathBuf::from("eval-report.html");
    for flag in &flags {
        let Some(file) = flag.strip_prefix("--report=") else {
            eprintln!("unknown flag: {flag}\n{USAGE}");
            return ExitCode::from(2);
        };
        page = PathBuf::from(file);
    }
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some((folder, mode)) = words.split_first() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let done = match mode {
        [] | ["oracle"] | ["dump", _] | ["dump", _, _] | ["odds", _] => {
            run(Path::new(folder), mode, &page)
        }
        _ => {
            eprintln!("unknown mode: {}\n{USAGE}", mode.join(" "));
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &Path, mode: &[&str], page: &Path) -> Result<()> {
    let pages = dataset::read(folder)?;
    let text = match mode {
        ["dump", out, words @ ..] => {
            return dump::dump(&pages, Path::new(out), words.first().map(Path::new));
        }
        ["oracle", ..] => run::oracle(&pages).to_string(),
        ["odds", file, ..] => run::with_odds(&pages, Path::new(file))?.to_string(),
        _ => {
            let report = run::evaluate(&pages)?;
            std::fs::write(page, report.page())?;
            eprintln!("HTML report: {}", page.display());
            report.text()
        }
    };
    // A closed pipe means that the reader has seen enough.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}
