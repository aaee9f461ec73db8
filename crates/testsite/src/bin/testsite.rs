//! Serves a test site from the command line, for benchmarks and for viewing in a browser.

use std::fmt::Write as _;
use std::io::{BufRead, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use testsite::hostile::Hostile;
use testsite::spa::runaway::RunawaySite;
use testsite::spa::{Applications, ClientRoutedSite};
use testsite::{CachedSite, Folder, Graph, LogDetail, Realistic, Server, ServerSetup, Site, Tls};

const USAGE: &str = "usage:
  testsite graph [--pages N] [--links L] [--body BYTES] [--seed S] [--gzip] [--latency-ms MS] [--kept]
  testsite realistic [--pages N] [--body BYTES] [--seed S] [--kept [--gzip]]
  testsite hostile [--only NAME]
  testsite routed [--pages N] [--latency-ms MS]
  testsite applications
  testsite runaway
  testsite dir PATH
every site also accepts [--port P] [--threads T]; the URL is printed on stdout
[--tls] (HTTP/1.1) or [--http2] serves it over TLS; [--authority FILE] writes the CA certificate to FILE
[--kept] generates each page once and caches it in memory
[--counts] reads commands from stdin and ends the output of each with an empty line: `reset` clears the counts,
`pages` lists the targets of all pages of a graph or realistic site, anything else prints
`<requests> <target>` for each target";

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a command-line program"
)]
fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|word| word == "--help" || word == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match start(&args) {
        Ok((server, pages)) => {
            println!("{}", server.url("/"));
            if args.iter().any(|word| word == "--counts") {
                run_commands(&server, &pages);
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

/// Returns the targets of all pages of a site.
type PageList = Box<dyn Fn() -> Vec<String>>;

/// Runs commands from stdin until it is closed.
fn run_commands(server: &Server, pages: &PageList) {
    for line in std::io::stdin().lock().lines() {
        let mut output = String::new();
        // Writing to a string cannot fail.
        match line.as_deref() {
            Ok("reset") => server.forget(),
            Ok("pages") => pages()
                .iter()
                .for_each(|target| writeln!(output, "{target}").unwrap_or_default()),
            _ => server.counts().iter().for_each(|(target, requests)| {
                writeln!(output, "{requests} {target}").unwrap_or_default();
            }),
        }
        output.push('\n');
        let mut out = std::io::stdout().lock();
        if out
            .write_all(output.as_bytes())
            .and_then(|()| out.flush())
            .is_err()
        {
            return;
        }
    }
}

fn start(args: &[String]) -> Result<(Server, PageList), String> {
    let (name, rest) = args.split_first().ok_or("missing site name")?;
    let flags = Flags(rest);
    let log_detail = if flags.has("--counts") {
        LogDetail::Counts
    } else {
        LogDetail::Totals
    };
    let mut setup = ServerSetup {
        log_detail,
        threads: flags.number("--threads", 1)?,
        ..ServerSetup::default()
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
            Arc::new(ClientRoutedSite::new(flags.number("--pages", 100)?).after(latency))
        }
        "applications" => Arc::new(Applications),
        "runaway" => Arc::new(RunawaySite),
        "dir" => Arc::new(Folder::new(rest.first().ok_or("dir needs a path")?)),
        other => return Err(format!("unknown site '{other}'")),
    };
    if flags.has("--kept") {
        let cached = CachedSite::new(site);
        site = if flags.has("--gzip") {
            Arc::new(cached.gzipped())
        } else {
            Arc::new(cached)
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
    if let Some(file) = flags.value("--authority") {
        std::fs::write(Path::new(file), tls.authority_pem())
            .map_err(|error| format!("cannot write '{file}': {error}"))?;
    }
    Ok(Some(tls))
}

fn graph(flags: &Flags<'_>) -> Result<Graph, String> {
    let default = Graph::default();
    Ok(Graph {
        pages: flags.number("--pages", default.pages)?,
        links_per_page: flags.number("--links", default.links_per_page)?,
        body_bytes: flags.number("--body", default.body_bytes)?,
        seed: flags.number("--seed", default.seed)?,
        // Cached pages are compressed in the cache.
        gzip: flags.has("--gzip") && !flags.has("--kept"),
        latency: Duration::from_millis(flags.number("--latency-ms", 0)?),
    })
}

fn realistic(flags: &Flags<'_>) -> Result<Realistic, String> {
    let default = Realistic::default();
    Ok(Realistic {
        pages: flags.number("--pages", default.pages)?,
        seed: flags.number("--seed", default.seed)?,
        body_bytes: flags.number("--body", default.body_bytes)?,
    })
}

fn hostile(flags: &Flags<'_>) -> Result<Hostile, String> {
    match flags.value("--only") {
        None => Ok(Hostile::new()),
        Some(name) => Hostile::only(name).ok_or(format!("unknown behavior '{name}'")),
    }
}

/// The arguments after the site name.
struct Flags<'a>(&'a [String]);

impl Flags<'_> {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|word| word == name)
    }

    fn value(&self, name: &str) -> Option<&str> {
        let index = self.0.iter().position(|word| word == name)?;
        Some(self.0.get(index + 1).map_or("", String::as_str))
    }

    fn number<N: std::str::FromStr>(&self, name: &str, default: N) -> Result<N, String> {
        match self.value(name) {
            None => Ok(default),
            Some(word) => word
                .parse()
                .map_err(|_| format!("{name} needs a number, not '{word}'")),
        }
    }
}
