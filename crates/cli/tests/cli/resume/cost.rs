//! What keeping costs: the same site with and without `--state`. Small in the suite; as a measurement:
//! `RESUME_COST=20000 cargo test -p crawler --test resume -- --nocapture cost`.

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
fn cost_of_keeping() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (out, state) = (place("out"), place("state"));
    let asked = std::env::var("RESUME_COST").ok();
    let pages = asked.as_ref().map_or(500, |asked| asked.parse().unwrap());
    let runs = if asked.is_some() { 5 } else { 1 };
    let server = site(pages);
    let url = server.url("/");
    let usual = [
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
    let say = |words: String| writeln!(std::io::stderr(), "{words}").unwrap();
    let (mut without, mut with) = (Cost::MOST, Cost::MOST);
    for _ in 0..runs {
        without = without.least(Cost::of(&usual));
        std::fs::remove_file(&state).ok();
        with = with.least(Cost::of(&[&usual[..], &["--state", &state]].concat()));
    }
    let length = |name: &str| std::fs::metadata(name).unwrap().len();
    say(format!(
        "{pages} pages, best of {runs}: {without:?} without, {with:?} with"
    ));
    say(format!(
        "CPU ratio {:.2}, time ratio {:.2}; state {} bytes, output {} bytes",
        with.processor / without.processor,
        with.clock.as_secs_f64() / without.clock.as_secs_f64(),
        length(&state),
        length(&out),
    ));
    assert!(length(&state) < length(&out) / 2, "it is compact");
    std::fs::remove_file(&out).unwrap();
    let replay = Cost::of(&[&usual[..], &["--state", &state]].concat());
    say(format!("replayed and written again: {replay:?}"));
}

/// What a run took.
#[derive(Clone, Copy, Debug)]
struct Cost {
    clock: Duration,
    /// Seconds of all its threads, which a busy machine changes less.
    processor: f64,
}

impl Cost {
    const MOST: Self = Self {
        clock: Duration::MAX,
        processor: f64::MAX,
    };

    fn of(words: &[&str]) -> Self {
        let begun = Instant::now();
        let run = Command::new("sh")
            .args(["-c", "\"$@\" && times", "sh", env!("CARGO_BIN_EXE_crawler")])
            .args(words)
            .output()
            .unwrap();
        let clock = begun.elapsed();
        let told = String::from_utf8(run.stdout).unwrap();
        // The second line is of the shell's children: `0m1.250000s 0m0.320000s`.
        let spans = told
            .lines()
            .nth(1)
            .expect("it ended well")
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

    fn least(self, other: Self) -> Self {
        Self {
            clock: self.clock.min(other.clock),
            processor: self.processor.min(other.processor),
        }
    }
}
