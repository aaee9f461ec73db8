//! The project's own commands: `cargo xtask check`, `test` and the rest of [`HELP`].

mod api_fuzz;
mod bench;
mod busy;
mod chaos;
mod docs;
mod egress;
mod eval;
mod fairness;
mod features;
mod fuzz;
mod layers;
mod micro;
mod owner_tests;
mod postgres;
mod requirements;
mod shell;
mod soak;
mod sqlx;
mod test;
mod tidy;
mod traps;

use std::path::Path;
use std::process::ExitCode;

use shell::print;

const HELP: &str = "\
Usage: cargo xtask <COMMAND>

Every day:
  check         Check formatting, lints and names, and run the unit tests; installs nothing
  test [--no-install]
                Run everything CI runs: check, all tests, doc tests, generated files, instruction counts.
                Lists what it needs, then installs what is missing with apt-get and cargo install; with --no-install,
                or where something cannot be installed, leaves out the tests that need it and names them at the end
  docs [--check]
                Write the generated documents, or fail if one is out of date
  tidy          Check crate dependencies, file sizes, names and wording (part of check)
  sqlx          Write the metadata that the stores' SQL is checked against (crates/store-*/.sqlx)

Speed:
  bench [--runs N] [--quick]
                Crawl beside wrk, wget2 and spider, check the results, write docs/benchmarks.md; installs wrk and wget2
  bench service|queue|export|render
                Measure the service, check the results, write docs/benchmarks-service.md
  micro         Count the instructions of each step of the hot path and compare them with bench/baseline.tsv; installs valgrind
  micro --keep  Write the baseline
  micro --where CASE
                Show where a case spends its instructions, by file and function

Long runs (results are recorded in docs/promises.md):
  chaos [--rounds N] [--seed S] [--jobs N] [--only postgres|sqlite|full-disk|render]
                Kill, stop and cut off the service's processes under load, and fill their disks; look for lost or
                duplicated pages. N rounds of each kind, divided among the jobs, which run side by side
  busy [--runs N]
                Run all tests three times while every core is kept busy: none may fail
  soak [--pages N]
                Render many pages while browser processes are killed; look for lost pages, leaks and leftovers
  traps [--seeds N] [--kind K]
                Crawl generated sites with traps, six of each kind; print how many wanted pages were fetched and how many
                requests were spent in traps
  fuzz [agree|markdown|links|resolver|url_key] [--seconds N]
                Look for pages and URLs on which our parsers differ from the reference parsers; installs cargo-fuzz
  fuzz agree [--inputs N] [--seed S]
                The same with a fixed number of generated inputs
  api-fuzz [--cases N] [--examples N]
                Send hostile requests to the API on both stores from 16 threads, then run schemathesis against it (not with
                --examples 0), which is installed with pip; /healthz and another caller's requests must stay fast
  fairness [--seconds N] [--store sqlite|postgres]
                Run 20 jobs of three owners on one host; each owner must get its share in every 30 seconds
  tenants       Send every request of the API description with ids, cursors and names of another owner, on both stores
  egress        Try 3,000 spellings of private addresses through every channel; nothing may connect
  eval <DATA>   Measure main-content extraction on the labeled pages in a folder
  eval          Run the evaluation tool's own tests and lints
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["check"] => test::check(),
        ["test"] => test::run_all(true),
        ["test", "--no-install"] => test::run_all(false),
        ["tidy"] => tidy::run(),
        ["docs"] => docs::write(),
        ["docs", "--check"] => docs::check(),
        ["fuzz", args @ ..] => fuzz::start(args),
        ["api-fuzz", args @ ..] => api_fuzz::start(args),
        ["chaos", args @ ..] => chaos::start(args),
        ["busy", args @ ..] => busy::start(args),
        ["soak", args @ ..] => soak::start(args),
        ["traps", args @ ..] => traps::start(args),
        ["fairness", args @ ..] => fairness::start(args),
        ["tenants", args @ ..] => owner_tests::tenants(args),
        ["egress", args @ ..] => egress::start(args),
        ["eval"] => eval::check(),
        ["eval", folder] => eval::run(Path::new(folder)),
        ["sqlx"] => sqlx::write(),
        ["bench", args @ ..] => bench::run(args),
        ["micro", args @ ..] => micro::start(args),
        // Internal: the parent of a process that is being measured.
        ["stopwatch", args @ ..] => bench::stopwatch::run_parent(args),
        [] | ["help" | "-h" | "--help"] => {
            print(HELP);
            return ExitCode::SUCCESS;
        }
        _ => {
            print(&format!("unknown command: {}\n\n{HELP}", args.join(" ")));
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
