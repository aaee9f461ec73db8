//! Scores main-content extraction against labelled pages, and dumps what a model is trained on.
//!
//! `eval <data folder>` scores; `eval <data folder> dump <out folder>` writes features and labels;
//! `eval <data folder> scores <file>` scores likelihoods given per block (out-of-fold, from
//! training). `--chosen` scores the chosen parts as they stand in the tree instead of the text
//! writer's output. See the README beside this file's package.

mod alignment;
mod chosen;
mod clock;
mod dataset;
mod dump;
#[cfg(feature = "peers")]
mod peers;
mod report;
mod run;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use run::By;

fn main() -> ExitCode {
    let (flags, arguments): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    let by = if flags.iter().any(|flag| flag == "--chosen") {
        By::Choice
    } else {
        By::Writer
    };
    let Some(folder) = arguments.first().map(PathBuf::from) else {
        eprintln!(
            "usage: eval <data folder> [dump <out folder> | scores <file> | oracle | peers] [--chosen]"
        );
        return ExitCode::from(2);
    };
    let pages = match dataset::read(&folder) {
        Ok(pages) => pages,
        Err(error) => {
            eprintln!("cannot read {}: {error}", folder.display());
            return ExitCode::FAILURE;
        }
    };
    let mode = arguments.get(1).map_or("score", String::as_str);
    let target = arguments.get(2).map(PathBuf::from);
    let result = arguments.get(3).map(PathBuf::from);
    let done = match (mode, target) {
        ("score", _) => run::score_product(&pages, by),
        ("oracle", _) => run::oracle(&pages),
        ("dump", Some(out)) => dump::dump(&pages, &out, result.as_deref()),
        ("scores", Some(file)) => run::given(&pages, &file, by),
        #[cfg(feature = "peers")]
        ("peers", _) => peers::compare(&pages),
        _ => {
            eprintln!("unknown mode: {}", arguments[1..].join(" "));
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
