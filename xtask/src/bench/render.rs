//! Rendered pages per second, compared with Playwright on the same pages in the same browser.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::bench_setup::BenchSetup;
use super::http::request;
use super::playwright::Playwright;
use super::site::Site;
use super::tree::{Cost, measure};
use super::{machine, service_document};
use crate::shell::print;

/// Runs of each kind, in turns, so that other load on the machine affects all of them.
const ROUNDS: usize = 3;
const DEFAULT_PAGES: u64 = 200;
const TABS: usize = 4;
/// Loaded by Playwright's browser with each page, outside its routes, but not by ours. As an image of the page it is
/// blocked in both.
const ICON: &str = "/assets/logo.png";

/// The program that renders, and the lifetime of a browser context.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Crawl,
    PlaywrightKept,
    Scrape,
    PlaywrightFresh,
}

impl Kind {
    const ALL: [Self; 4] = [
        Self::Crawl,
        Self::PlaywrightKept,
        Self::Scrape,
        Self::PlaywrightFresh,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Crawl => "`crawler crawl`, one context per tab",
            Self::PlaywrightKept => "Playwright, one context per tab",
            Self::Scrape => "`crawler scrape`, one context per page",
            Self::PlaywrightFresh => "Playwright, one context per page",
        }
    }

    /// Pages rendered at once. `scrape` requests no more than this from one host.
    fn tabs(self) -> usize {
        match self {
            Self::Crawl | Self::PlaywrightKept => TABS,
            Self::Scrape | Self::PlaywrightFresh => 2,
        }
    }

    /// Number of pages; the slower kinds render fewer.
    fn pages(self, all: u64) -> u64 {
        match self {
            Self::Crawl | Self::PlaywrightKept => all,
            Self::Scrape | Self::PlaywrightFresh => all.div_ceil(4),
        }
    }

    /// The kind it must not be slower than.
    fn rival(self) -> Option<Self> {
        match self {
            Self::Crawl => Some(Self::PlaywrightKept),
            Self::Scrape => Some(Self::PlaywrightFresh),
            _ => None,
        }
    }
}

/// Expected content of the rendered pages, by path.
type ExpectedPages = BTreeMap<String, Page>;

struct Page {
    phrase: String,
    links: Vec<String>,
}

pub(crate) fn run(pages: u64) -> Result<()> {
    let setup = BenchSetup::build()?;
    let playwright = Playwright::installed(&setup)?;
    let expected = expected(&setup, pages)?;
    let description = machine::description();
    let mut costs: BTreeMap<Kind, Vec<Cost>> = BTreeMap::new();
    let mut requested: BTreeMap<u64, BTreeMap<String, u64>> = BTreeMap::new();
    for _ in 0..ROUNDS {
        for kind in Kind::ALL {
            let mut site = Site::routed(&setup.testsite, pages)?;
            let cost = rendered(kind, &setup, &playwright, &site, &expected)?;
            let mut counts = site.counts()?;
            let icons = counts.remove(ICON).unwrap_or_default();
            // Each run must request exactly what the first one did.
            let own = kind.pages(pages);
            let before = requested.entry(own).or_insert_with(|| counts.clone());
            if let Some(difference) = difference(before, &counts) {
                bail!("{}: {difference}", kind.name());
            }
            print(&format!(
                "{}: {:.2} pages/s, {cost:?}, {icons} icons",
                kind.name(),
                rate(cost, own)
            ));
            costs.entry(kind).or_default().push(cost);
        }
    }
    let requests = |kind: Kind| requested[&kind.pages(pages)].values().sum::<u64>();
    let rows: String = costs
        .iter()
        .map(|(kind, costs)| row(*kind, costs, kind.pages(pages), requests(*kind)))
        .collect();
    let text = format!(
        "{description}, {load} at the end; {versions}.\n\n\
         `cargo xtask bench render`: pages of `testsite routed`, a client-routed site of {pages} pages that a script builds from data that takes \
         10 ms to load, served on the same cores; images, media and fonts are blocked, each page is loaded until its network has been idle for 500 ms; start and exit of the browser \
         are included, the sandbox is on. `crawler crawl --js always --workers {TABS}` finds the pages by their links and has one context per tab, cleared between \
         pages; `crawler scrape --js always` gets a quarter of the pages and uses a new context for each, at most two at once per host; Playwright gets the same \
         pages and calls `goto` with `waitUntil: 'networkidle'` and `content()`. In every run each page had its phrase and its links (a crawl prints no text: only the links \
         are checked), and the site counted the same requests from both, \
         except for its icon, which Playwright's browser loads with every page. CPU time and memory are of all processes of a run, including the browser's \
         (memory: the peak of the sum of their PSS). Medians of {ROUNDS} runs in turns. Bar: not slower than Playwright.\n\n\
         | | tabs | pages | requests | pages/s of each run | median | CPU time per page, ms | memory, MB |\n|---|---|---|---|---|---|---|---|\n{rows}",
        load = machine::load(),
        versions = playwright.description()?,
    );
    if pages == DEFAULT_PAGES {
        service_document::write("Rendering", &text)?;
    } else {
        print(&text);
    }
    for (kind, own) in &costs {
        let Some(rival) = kind.rival() else { continue };
        let own_pages = kind.pages(pages);
        let rates = (median(own, own_pages), median(&costs[&rival], own_pages));
        if rates.0 < rates.1 {
            bail!(
                "{}: {:.2} pages/s, and {}: {:.2}",
                kind.name(),
                rates.0,
                rival.name(),
                rates.1
            );
        }
    }
    Ok(())
}

/// Expected content, as the site itself describes it.
fn expected(setup: &BenchSetup, pages: u64) -> Result<ExpectedPages> {
    let site = Site::routed(&setup.testsite, pages)?;
    let addr = site.addr()?;
    let mut expected = ExpectedPages::new();
    for number in 0..pages {
        let mut text = String::new();
        request(addr, "GET", &format!("/api/page/{number}.json"), "")?.read_to_string(&mut text)?;
        let response: Value = serde_json::from_str(&text)?;
        let links = response["links"]
            .as_array()
            .context("a page's links")?
            .iter();
        let page = Page {
            phrase: response["text"]
                .as_str()
                .context("a page's text")?
                .to_owned(),
            links: links
                .filter_map(|link| Some(link["to"].as_str()?.to_owned()))
                .collect(),
        };
        expected.insert(path(number), page);
    }
    Ok(expected)
}

fn path(page: u64) -> String {
    match page {
        0 => "/".to_owned(),
        page => format!("/p/{page}"),
    }
}

/// Runs once and checks the result.
fn rendered(
    kind: Kind,
    setup: &BenchSetup,
    playwright: &Playwright,
    site: &Site,
    expected: &ExpectedPages,
) -> Result<Cost> {
    let out = setup.folder.join("rendered.ndjson");
    let pages = kind.pages(expected.len() as u64);
    let paths: Vec<String> = (0..pages).map(path).collect();
    let mut crawler = Command::new(&setup.crawler);
    let home = setup.folder.join("home");
    let origin = site.url.trim_end_matches('/');
    let mut command = match kind {
        Kind::Crawl => {
            crawler.args(["crawl", &site.url, "--workers", &TABS.to_string()]);
            crawler.args(["--max-pages", "0", "--max-depth", "0", "--format", "ndjson"]);
            crawler.args(["--js", "always", "--quiet"]);
            crawler
        }
        Kind::Scrape => {
            crawler.args(["scrape", "--format", "json", "--js", "always", "--quiet"]);
            crawler.args(paths.iter().map(|path| format!("{origin}{path}")));
            crawler
        }
        Kind::PlaywrightKept => {
            playwright.command(&site.url, pages, kind.tabs(), "reused", &home)?
        }
        Kind::PlaywrightFresh => {
            playwright.command(&site.url, pages, kind.tabs(), "fresh", &home)?
        }
    };
    let cost = measure(command.stdin(Stdio::null()).stdout(File::create(&out)?))?;
    check(kind, &out, origin, (expected, paths)).with_context(|| kind.name())?;
    std::fs::remove_file(out)?;
    Ok(cost)
}

/// Fails unless every page is there exactly once with its content.
fn check(
    kind: Kind,
    out: &Path,
    origin: &str,
    (expected, mut left): (&ExpectedPages, Vec<String>),
) -> Result<()> {
    for line in BufReader::new(File::open(out)?).lines() {
        let record: Value = serde_json::from_str(&line?)?;
        let text = |name: &str| record[name].as_str().unwrap_or_default();
        let path = match kind {
            Kind::Crawl | Kind::Scrape => text("url"),
            Kind::PlaywrightKept | Kind::PlaywrightFresh => text("path"),
        };
        let path = path.strip_prefix(origin).unwrap_or(path);
        let page = expected
            .get(path)
            .with_context(|| format!("{path:?} is not a page"))?;
        let index = left.iter().position(|known| known == path);
        left.swap_remove(index.with_context(|| format!("{path} was rendered twice"))?);
        let found = record["links"].as_array();
        let links = |link: &String| match kind {
            Kind::Crawl | Kind::Scrape => {
                found.is_some_and(|found| found.contains(&Value::from(format!("{origin}{link}"))))
            }
            Kind::PlaywrightKept | Kind::PlaywrightFresh => {
                text("html").contains(&format!("\"{link}\""))
            }
        };
        ensure!(page.links.iter().all(links), "{path} lacks links: {record}");
        let has_phrase = match kind {
            // Its output has no text.
            Kind::Crawl => true,
            Kind::Scrape => text("content").contains(&page.phrase),
            Kind::PlaywrightKept | Kind::PlaywrightFresh => text("html").contains(&page.phrase),
        };
        ensure!(has_phrase, "{path} lacks {:?}: {record}", page.phrase);
    }
    ensure!(
        left.is_empty(),
        "{} pages are missing: {left:?}",
        left.len()
    );
    Ok(())
}

/// The first difference in what was requested.
fn difference(one: &BTreeMap<String, u64>, other: &BTreeMap<String, u64>) -> Option<String> {
    let target = one
        .keys()
        .chain(other.keys())
        .find(|target| one.get(*target) != other.get(*target))?;
    let times = |counts: &BTreeMap<String, u64>| counts.get(target).copied().unwrap_or_default();
    Some(format!(
        "{target} was requested {} times, not {}",
        times(other),
        times(one)
    ))
}

fn rate(cost: Cost, pages: u64) -> f64 {
    pages as f64 / cost.time.as_secs_f64()
}

fn median(costs: &[Cost], pages: u64) -> f64 {
    median_of(costs.iter().map(|cost| rate(*cost, pages)))
}

fn median_of(values: impl Iterator<Item = f64>) -> f64 {
    super::median::median(values).unwrap_or_default()
}

fn row(kind: Kind, costs: &[Cost], pages: u64, requests: u64) -> String {
    let rates: Vec<String> = costs
        .iter()
        .map(|cost| format!("{:.2}", rate(*cost, pages)))
        .collect();
    format!(
        "| {} | {} | {pages} | {requests} | {} | {:.2} | {:.0} | {:.0} |\n",
        kind.name(),
        kind.tabs(),
        rates.join(", "),
        median(costs, pages),
        median_of(
            costs
                .iter()
                .map(|cost| cost.processor.as_secs_f64() * 1_000.0 / pages as f64)
        ),
        median_of(
            costs
                .iter()
                .map(|cost| cost.memory as f64 / f64::from(1 << 20))
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_in_requests_is_found() {
        let counts = |requests| BTreeMap::from([("/app.js".to_owned(), requests)]);
        assert_eq!(difference(&counts(4), &counts(4)), None);
        let message = difference(&counts(4), &counts(5)).unwrap();
        assert_eq!(message, "/app.js was requested 5 times, not 4");
        assert!(difference(&counts(4), &BTreeMap::new()).is_some());
    }
}
