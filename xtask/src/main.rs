//! The project's own chores: `cargo xtask test`, `tidy`, `docs`, `eval`, `fuzz`, `api-fuzz`, `sqlx`, `bench`, `micro`, `chaos`, `soak`.

mod api_fuzz;
mod bench;
mod chaos;
mod docs;
mod eval;
mod fuzz;
mod layers;
mod micro;
mod postgres;
mod setup;
mod shell;
mod soak;
mod sqlx;
mod test;
mod tidy;

use std::path::Path;
use std::process::ExitCode;

use shell::tell;

const HELP: &str = "\
cargo xtask <CHORE>

  test          set up what the tests need, then format, lints, tests, doc tests, tidy, generated files
  tidy          the dependency table, file sizes, names
  docs          write the generated documents
  docs --check  fail if one of them is stale
  fuzz [agree|markdown|links|resolver|url_key] [--seconds N]
                look for pages and addresses on which ours and the real parsers differ; installs cargo-fuzz
  fuzz agree [--inputs N] [--seed S]
                the same, of made-up inputs alone and by their number
  api-fuzz [--examples N]
                the API against schemathesis with every check, over both stores; installs it with pip
  chaos [--rounds N] [--seed S]
                kill, stop and cut off the service's processes under load, and look for what is lost or doubled
  soak [--pages N]
                render many pages while the browser's processes are killed, and look for what is lost, grows or stays
  eval <DATA>   how good and how fast main-content extraction is, on the labelled pages in that folder
  eval          the evaluation tool's own tests and lints, which need no pages
  sqlx          write what the stores' queries are checked against (`crates/store-*/.sqlx`)
  bench [--runs N] [--quick]
                our crawl beside other crawlers, checked and written to `docs/benchmarks.md`; installs wrk and wget2
  bench service|queue|export|render
                how fast the service is here, checked and written to `docs/benchmarks-service.md`
  micro         what the steps of the hot path cost in instructions, beside `bench/baseline.tsv`; fails where one costs
                more than a tenth more; installs valgrind
  micro --keep  writes the baseline
  micro --where CASE
                where a case spends, by file and function
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test"] => test::run(),
        ["tidy"] => tidy::run(),
        ["docs"] => docs::write(),
        ["docs", "--check"] => docs::check(),
        ["fuzz", words @ ..] => fuzz::start(words),
        ["api-fuzz", words @ ..] => api_fuzz::start(words),
        ["chaos", words @ ..] => chaos::start(words),
        ["soak", words @ ..] => soak::start(words),
        ["eval"] => eval::check(),
        ["eval", folder] => eval::run(Path::new(folder)),
        ["sqlx"] => sqlx::write(),
        ["bench", words @ ..] => bench::run(words),
        ["micro", words @ ..] => micro::start(words),
        // Not for people: the parent of a process that is measured.
        ["stopwatch", words @ ..] => bench::stopwatch::hold(words),
        _ => {
            tell(HELP);
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
