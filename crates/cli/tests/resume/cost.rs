//! What keeping costs: the same site with and without `--state`. A measurement, so run by hand:
//! `cargo test -p crawler --test resume -- --ignored --nocapture cost`.

use std::io::Write;
use std::time::{Duration, Instant};

use testsite::{Graph, Keep, Server, Setup};

use crate::run::plain;

const PAGES: u32 = 20_000;

fn site() -> Server {
    let graph = Graph {
        links_per_page: 60,
        ..Graph::new(PAGES)
    };
    let setup = Setup {
        keep: Keep::Totals,
        ..Setup::default()
    };
    Server::start_with(graph.site(), setup)
}

#[test]
#[ignore = "a measurement"]
fn cost_of_keeping() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (out, state) = (place("out"), place("state"));
    let server = site();
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
    let timed = |words: &[&str]| {
        let begun = Instant::now();
        plain(words).with_code(0);
        begun.elapsed()
    };
    let say = |words: String| writeln!(std::io::stderr(), "{words}").unwrap();
    let (mut without, mut with) = (Duration::MAX, Duration::MAX);
    for _ in 0..3 {
        without = without.min(timed(&usual));
        std::fs::remove_file(&state).ok();
        with = with.min(timed(&[&usual[..], &["--state", &state]].concat()));
    }
    let length = |name: &str| std::fs::metadata(name).unwrap().len();
    say(format!(
        "{PAGES} pages: {without:?} without, {with:?} with, ratio {:.2}; state {} bytes, output {} bytes",
        with.as_secs_f64() / without.as_secs_f64(),
        length(&state),
        length(&out),
    ));
    std::fs::remove_file(&out).unwrap();
    let replay = timed(&[&usual[..], &["--state", &state]].concat());
    say(format!("replayed and written again in {replay:?}"));
}
