//! The test sites as a program, for benchmarks and for looking at them in a browser.

use std::fmt::Write as _;
use std::io::{BufRead, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use testsite::hostile::Hostile;
use testsite::spa::wild::Wild;
use testsite::spa::{Applications, Routed};
use testsite::{Folder, Graph, Keep, Realistic, Server, Setup};

const USAGE: &str = "usage:
  testsite graph [--pages N] [--links L] [--body BYTES] [--seed S] [--gzip] [--latency-ms MS]
  testsite realistic [--pages N] [--body BYTES] [--seed S]
  testsite hostile [--only NAME]
  testsite routed [--pages N] [--latency-ms MS]
  testsite applications
  testsite wild
  testsite dir PATH
every site also takes [--port P] [--threads T]; its URL is printed on stdout
with [--counts] every line on stdin is answered with `<requests> <target>` for each target, and an empty line";

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program speaks on its streams"
)]
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match start(&words) {
        Ok(server) => {
            println!("{}", server.url("/"));
            if words.iter().any(|word| word == "--counts") {
                tell_counts(&server);
            } else {
                server.run_forever();
            }
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("testsite: {problem}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Answers what was asked for so far, until nobody asks any more.
fn tell_counts(server: &Server) {
    for _ in std::io::stdin().lock().lines() {
        let mut told = String::new();
        for (target, requests) in server.counts() {
            // Writing to a string cannot fail.
            let _ = writeln!(told, "{requests} {target}");
        }
        told.push('\n');
        let mut out = std::io::stdout().lock();
        if out
            .write_all(told.as_bytes())
            .and_then(|()| out.flush())
            .is_err()
        {
            return;
        }
    }
}

fn start(words: &[String]) -> Result<Server, String> {
    let (site, rest) = words.split_first().ok_or("which site?")?;
    let flags = Flags(rest);
    let keep = if flags.has("--counts") {
        Keep::Counts
    } else {
        Keep::Totals
    };
    let mut setup = Setup {
        keep,
        threads: flags.number("--threads", 1)?,
        ..Setup::default()
    };
    setup.address.set_port(flags.number("--port", 0)?);
    match site.as_str() {
        "graph" => Ok(Server::start_with(graph(&flags)?.site(), setup)),
        "realistic" => Ok(Server::start_with(realistic(&flags)?, setup)),
        "hostile" => Ok(Server::start_with(hostile(&flags)?, setup)),
        "routed" => {
            let latency = Duration::from_millis(flags.number("--latency-ms", 10)?);
            let site = Routed::new(flags.number("--pages", 100)?).after(latency);
            Ok(Server::start_with(site, setup))
        }
        "applications" => Ok(Server::start_with(Applications, setup)),
        "wild" => Ok(Server::start_with(Wild, setup)),
        "dir" => {
            let path = rest.first().ok_or("dir needs a path")?;
            Ok(Server::start_with(Folder::new(path), setup))
        }
        other => Err(format!("no site is called '{other}'")),
    }
}

fn graph(flags: &Flags<'_>) -> Result<Graph, String> {
    let usual = Graph::default();
    Ok(Graph {
        pages: flags.number("--pages", usual.pages)?,
        links_per_page: flags.number("--links", usual.links_per_page)?,
        body_bytes: flags.number("--body", usual.body_bytes)?,
        seed: flags.number("--seed", usual.seed)?,
        gzip: flags.has("--gzip"),
        latency: Duration::from_millis(flags.number("--latency-ms", 0)?),
    })
}

fn realistic(flags: &Flags<'_>) -> Result<Realistic, String> {
    let usual = Realistic::default();
    Ok(Realistic {
        pages: flags.number("--pages", usual.pages)?,
        seed: flags.number("--seed", usual.seed)?,
        body_bytes: flags.number("--body", usual.body_bytes)?,
    })
}

fn hostile(flags: &Flags<'_>) -> Result<Hostile, String> {
    match flags.word("--only") {
        None => Ok(Hostile::new()),
        Some(name) => Hostile::only(name).ok_or(format!("no behaviour is called '{name}'")),
    }
}

/// The words after the site's name.
struct Flags<'a>(&'a [String]);

impl Flags<'_> {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|word| word == name)
    }

    fn word(&self, name: &str) -> Option<&str> {
        let place = self.0.iter().position(|word| word == name)?;
        Some(self.0.get(place + 1).map_or("", String::as_str))
    }

    fn number<N: std::str::FromStr>(&self, name: &str, usual: N) -> Result<N, String> {
        match self.word(name) {
            None => Ok(usual),
            Some(word) => word
                .parse()
                .map_err(|_| format!("{name} needs a number, not '{word}'")),
        }
    }
}
