//! The test sites as a program, for benchmarks and for looking at them in a browser.

use std::fmt::Write as _;
use std::io::{BufRead, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use testsite::hostile::Hostile;
use testsite::spa::wild::Wild;
use testsite::spa::{Applications, Routed};
use testsite::{Folder, Graph, Keep, Kept, Realistic, Server, Setup, Site, Tls};

const USAGE: &str = "usage:
  testsite graph [--pages N] [--links L] [--body BYTES] [--seed S] [--gzip] [--latency-ms MS] [--kept]
  testsite realistic [--pages N] [--body BYTES] [--seed S] [--kept [--gzip]]
  testsite hostile [--only NAME]
  testsite routed [--pages N] [--latency-ms MS]
  testsite applications
  testsite wild
  testsite dir PATH
every site also takes [--port P] [--threads T]; its URL is printed on stdout
with [--tls] (HTTP/1.1) or [--http2] it is served over TLS; [--authority FILE] is where to write whom to trust
with [--kept] pages are written once and kept in memory
with [--counts] every line on stdin is answered by lines and an empty one: `reset` forgets the requests so far,
`pages` lists the targets of a graph's or a realistic site's pages, and anything else has for an answer
`<requests> <target>` for each target";

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program speaks on its streams"
)]
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match start(&words) {
        Ok((server, pages)) => {
            println!("{}", server.url("/"));
            if words.iter().any(|word| word == "--counts") {
                answer_lines(&server, &pages);
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

/// The targets of a site's pages.
type PageList = Box<dyn Fn() -> Vec<String>>;

/// Answers what is asked about the site, until nobody asks any more.
fn answer_lines(server: &Server, pages: &PageList) {
    for line in std::io::stdin().lock().lines() {
        let mut told = String::new();
        // Writing to a string cannot fail.
        match line.as_deref() {
            Ok("reset") => server.forget(),
            Ok("pages") => pages()
                .iter()
                .for_each(|target| writeln!(told, "{target}").unwrap_or_default()),
            _ => server.counts().iter().for_each(|(target, requests)| {
                writeln!(told, "{requests} {target}").unwrap_or_default();
            }),
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

fn start(words: &[String]) -> Result<(Server, PageList), String> {
    let (name, rest) = words.split_first().ok_or("which site?")?;
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
    let mut pages: PageList = Box::new(Vec::new);
    let mut site: Arc<dyn Site> = match name.as_str() {
        "graph" => {
            let graph = graph(&flags)?;
            pages = Box::new(move || graph.urls(""));
            Arc::new(graph.site())
        }
        "realistic" => {
            let realistic = realistic(&flags)?;
            pages = Box::new(move || realistic.urls(""));
            Arc::new(realistic)
        }
        "hostile" => Arc::new(hostile(&flags)?),
        "routed" => {
            let latency = Duration::from_millis(flags.number("--latency-ms", 10)?);
            Arc::new(Routed::new(flags.number("--pages", 100)?).after(latency))
        }
        "applications" => Arc::new(Applications),
        "wild" => Arc::new(Wild),
        "dir" => Arc::new(Folder::new(rest.first().ok_or("dir needs a path")?)),
        other => return Err(format!("no site is called '{other}'")),
    };
    if flags.has("--kept") {
        let kept = Kept::new(site);
        site = if flags.has("--gzip") {
            Arc::new(kept.gzipped())
        } else {
            Arc::new(kept)
        };
    }
    let server = match tls(&flags)? {
        Some(tls) => Server::start_tls_with(site, &tls, setup),
        None => Server::start_with(site, setup),
    };
    Ok((server, pages))
}

fn tls(flags: &Flags<'_>) -> Result<Option<Tls>, String> {
    let tls = match (flags.has("--tls"), flags.has("--http2")) {
        (false, false) => return Ok(None),
        (_, true) => Tls::generate().http2_only(),
        (true, false) => Tls::generate().http1_only(),
    };
    if let Some(file) = flags.word("--authority") {
        std::fs::write(Path::new(file), tls.authority_pem())
            .map_err(|error| format!("cannot write '{file}': {error}"))?;
    }
    Ok(Some(tls))
}

fn graph(flags: &Flags<'_>) -> Result<Graph, String> {
    let usual = Graph::default();
    Ok(Graph {
        pages: flags.number("--pages", usual.pages)?,
        links_per_page: flags.number("--links", usual.links_per_page)?,
        body_bytes: flags.number("--body", usual.body_bytes)?,
        seed: flags.number("--seed", usual.seed)?,
        // Kept pages are gzipped where they are kept.
        gzip: flags.has("--gzip") && !flags.has("--kept"),
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
