//! Cost of a state file: the same crawl with and without `--state`. Small in the test suite; to measure it:
//! `RESUME_COST=20000 cargo test --release -p crawler-cli --test cli -- --nocapture cost_of_a_state_file`.

use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use testsite::{Graph, LogDetail, Server, ServerSetup};

fn site(pages: u32) -> Server {
    let graph = Graph {
        links_per_page: 60,
        ..Graph::new(pages)
    };
    let setup = ServerSetup {
        log_detail: LogDetail::Totals,
        ..ServerSetup::default()
    };
    Server::start_with(graph.site(), setup)
}

#[test]
fn cost_of_a_state_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (out, state) = (path("out"), path("state"));
    let pages_variable = std::env::var("RESUME_COST").ok();
    let pages = pages_variable
        .as_ref()
        .map_or(500, |pages_variable| pages_variable.parse().unwrap());
    let runs = if pages_variable.is_some() { 5 } else { 1 };
    let server = site(pages);
    let url = server.url("/");
    let base_args = [
        &url,
        "--max-pages",
        "0",
        "--max-depth",
        "0",
        "--format",
        "ndjson",
        "-q",
        "-o",
        &out,
    ];
    let print_line = |args: String| writeln!(std::io::stderr(), "{args}").unwrap();
    let (mut without, mut with) = (Cost::MAX, Cost::MAX);
    for _ in 0..runs {
        without = without.min(Cost::of(&base_args));
        std::fs::remove_file(&state).ok();
        with = with.min(Cost::of(&[&base_args[..], &["--state", &state]].concat()));
    }
    let length = |name: &str| std::fs::metadata(name).unwrap().len();
    print_line(format!(
        "{pages} pages, best of {runs}: {without:?} without, {with:?} with"
    ));
    print_line(format!(
        "CPU ratio {:.2}, time ratio {:.2}; state {} bytes, output {} bytes",
        with.processor / without.processor,
        with.clock.as_secs_f64() / without.clock.as_secs_f64(),
        length(&state),
        length(&out),
    ));
    assert!(
        length(&state) < length(&out) / 2,
        "the state file is compact"
    );
    std::fs::remove_file(&out).unwrap();
    let replay = Cost::of(&[&base_args[..], &["--state", &state]].concat());
    print_line(format!("replayed and written again: {replay:?}"));
}

/// Cost of a run.
#[derive(Clone, Copy, Debug)]
struct Cost {
    clock: Duration,
    /// CPU seconds of all threads, which depend less on other load.
    processor: f64,
}

impl Cost {
    const MAX: Self = Self {
        clock: Duration::MAX,
        processor: f64::MAX,
    };

    fn of(args: &[&str]) -> Self {
        let started = Instant::now();
        let run = Command::new("sh")
            .args(["-c", "\"$@\" && times", "sh", env!("CARGO_BIN_EXE_crawler")])
            .args(args)
            .output()
            .unwrap();
        let clock = started.elapsed();
        let stdout = String::from_utf8(run.stdout).unwrap();
        // The second line is that of the shell's children: `0m1.250000s 0m0.320000s`.
        let spans = stdout
            .lines()
            .nth(1)
            .expect("the run succeeded")
            .split_whitespace();
        let seconds = spans.map(|span| {
            let (minutes, seconds) = span.trim_end_matches('s').split_once('m').unwrap();
            minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
        });
        Self {
            clock,
            processor: seconds.sum(),
        }
    }

    fn min(self, other: Self) -> Self {
        Self {
            clock: self.clock.min(other.clock),
            processor: self.processor.min(other.processor),
        }
    }
}
