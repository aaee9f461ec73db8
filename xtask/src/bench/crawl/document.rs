//! Writes `docs/benchmarks.md`: the machine, the method, the figures and the bars.

use std::fmt::Write;

use anyhow::Result;

use super::bars::{Bar, Figures};
use super::peers::Peers;
use super::rounds;
use super::runner::{CrawlBench, Runner};
use super::sample::{Sample, median_of, ratio};
use super::scenario::{Scenario, Size};
use crate::shell::root;

/// Writes the document with all runs.
pub(crate) fn write(
    machine: &str,
    peers: &Peers,
    bench: &CrawlBench<'_>,
    runs: &[Figures],
) -> Result<()> {
    let mut text = "# Crawl benchmarks\n\nWritten by `cargo xtask bench`. The figures depend on the machine and its load at the time; the ratios, \
                    computed within one round, are more reliable.\n\n"
        .to_owned();
    writeln!(text, "{machine}.\n")?;
    for peer in peers.describe() {
        writeln!(text, "- {peer}")?;
    }
    text.push('\n');
    text.push_str(METHOD);
    commands(&mut text, bench)?;
    text.push_str("\n## Bars\n\n");
    text.push_str(&table(&runs.iter().map(Figures::bars).collect::<Vec<_>>()));
    for (number, figures) in runs.iter().enumerate() {
        writeln!(text, "\n## Run {}\n", number + 1)?;
        sites(&mut text, figures)?;
        two_cores(&mut text, figures)?;
        growth(&mut text, figures)?;
        rounds_of(&mut text, figures)?;
    }
    std::fs::write(root().join("docs/benchmarks.md"), text)?;
    Ok(())
}

const METHOD: &str = "\
The sites are served by `testsite`, single-threaded, on core 0. The programs run on core 1, one after the other, in three rounds; in each round every
program runs once, or repeatedly until it has run for a second and a half. The server keeps all pages in memory; an unmeasured crawl before the first round
generates them. After each run the server reports how often it sent which page: our run fails unless each page was fetched and printed exactly once; for the
other programs the table shows what they fetched, and only those pages count. CPU time is user and system time of the process from `getrusage`, memory its
`ru_maxrss` (the maximum of a round; 1 MB is a million bytes). Time is from start to exit of the process; for wrk it is the time it sent requests. wrk
requests all pages of a site as well: a single page would stay in the processor's cache.

- S: 10,000 pages of 3 KB with 20 links (`testsite graph`); also over TLS with HTTP/1.1, over HTTP/2, and 50 ms away (every response is delayed by 50 ms).
- R: 5,000 pages of 63 KB with 120 links in many spellings (`testsite realistic`), plain and gzipped.
- growth: 20,000, 200,000 and 1,000,000 pages of 300 bytes with 5 links.
- two cores: 4,000 pages of 300 KB like those of R, gzipped; our crawl runs on core 1 and on both. The server stays on core 0 and shares it. On R
  the server would need a seventh of the crawl's CPU time, and no crawl could be more than 1.75 times as fast on two cores.

Our crawl is the release binary with robots.txt, limits, deadlines, size limits and retries enabled; it writes every page and its links as ndjson to a file in
memory. wget2 also requests page assets, which do not exist, and saves nothing. spider saves and prints nothing.
";

/// Command lines of all programs on the first site.
fn commands(text: &mut String, bench: &CrawlBench<'_>) -> Result<()> {
    text.push_str("\n```\n");
    for runner in Scenario::Small.runners() {
        let command = runner.command(Scenario::Small, "URL", bench);
        let name = command.get_program().to_string_lossy();
        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
        let args = command.get_args().map(|arg| {
            let arg = arg.to_string_lossy();
            match arg.rsplit_once('/') {
                Some((_, file)) if arg.starts_with('/') => file.to_owned(),
                _ => arg.into_owned(),
            }
        });
        let args: Vec<String> = args.collect();
        writeln!(text, "{name} {}", args.join(" "))?;
    }
    text.push_str("```\n");
    Ok(())
}

/// The bars, one column per run.
pub(crate) fn table(runs: &[Vec<Bar>]) -> String {
    let columns = (1..=runs.len()).map(|number| format!(" run {number} |"));
    let mut text = format!(
        "| | bar | goal |{} bar holds | goal reached |\n|---|---|---|{}\n",
        columns.collect::<String>(),
        "---|".repeat(runs.len() + 2)
    );
    for (index, bar) in runs.first().into_iter().flatten().enumerate() {
        let all: Vec<&Bar> = runs.iter().filter_map(|run| run.get(index)).collect();
        let seen: Vec<&str> = all.iter().map(|bar| bar.seen.as_str()).collect();
        let holds = all.iter().all(|bar| bar.holds);
        let reached = all.iter().all(|bar| bar.reaches_goal);
        let cells = [
            bar.what.as_str(),
            &bar.limit,
            &bar.goal,
            &seen.join(" | "),
            if holds { "yes" } else { "**no**" },
            if reached { "yes" } else { "no" },
        ];
        text.push_str("| ");
        text.push_str(&cells.join(" | "));
        text.push_str(" |\n");
    }
    text
}

/// Medians of each program on each site.
fn sites(text: &mut String, figures: &Figures) -> Result<()> {
    text.push_str(
        "Medians of the rounds. \"ours to it\" compares our pages per CPU second with those of the program in that row: the median of the rounds' ratios.\n\n\
         | site | | CPU s per 1,000 | pages/s | of wrk | memory, MB | its core | server's core | ours to it | pages |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (scenario, runs) in &figures.scenarios {
        for (runner, samples) in runs {
            let figure =
                |figure: fn(&Sample) -> f64| median_of(samples, figure).unwrap_or_default();
            let of_wrk = runs
                .get(&Runner::Wrk)
                .and_then(|wrk| ratio(samples, wrk, Sample::rate))
                .map_or_else(|| "–".to_owned(), |share| format!("{:.1}%", share * 100.0));
            let ours = runs
                .get(&Runner::Ours)
                .filter(|_| *runner != Runner::Ours)
                .and_then(|ours| ratio(ours, samples, Sample::pages_per_cpu_second))
                .map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}×"));
            let fetched = match runner {
                Runner::Wrk => "–".to_owned(),
                _ => samples
                    .last()
                    .map(|last| last.fetched.describe())
                    .unwrap_or_default(),
            };
            writeln!(
                text,
                "| {} | {} | {:.4} | {:.0} | {of_wrk} | {:.1} | {:.0}% | {:.0}% | {ours} | {fetched} |",
                scenario.name(),
                runner.name(),
                figure(Sample::cpu_seconds_per_thousand),
                figure(Sample::rate),
                figure(Sample::memory),
                figure(Sample::busy) * 100.0,
                figure(Sample::server_busy) * 100.0,
            )?;
        }
    }
    Ok(())
}

fn two_cores(text: &mut String, figures: &Figures) -> Result<()> {
    text.push_str("\nTwo cores, long pages gzipped, each round: ");
    let (one, two) = &figures.scaling;
    for (one, two) in one.iter().zip(two) {
        // Upper limit: both cores fully busy with the crawl's and the server's work.
        let cpu_time = one.cost.processor + one.server;
        let max_speedup = 2.0 * one.cost.processor.as_secs_f64() / cpu_time.as_secs_f64();
        write!(
            text,
            "{:.0} → {:.0} pages/s ({:.2}×; with the server's share of core 0 at most {max_speedup:.2}×); ",
            one.rate(),
            two.rate(),
            two.rate() / one.rate(),
        )?;
    }
    text.truncate(text.trim_end_matches("; ").len());
    text.push_str(".\n");
    Ok(())
}

fn growth(text: &mut String, figures: &Figures) -> Result<()> {
    text.push_str("\n| growth: pages | memory, MB | B per page | pages/s |\n|---|---|---|---|\n");
    for (pages, sample) in &figures.growth.0 {
        writeln!(
            text,
            "| {pages} | {:.1} | {:.0} | {:.0} |",
            sample.memory(),
            sample.cost.memory as f64 / *pages as f64,
            sample.rate()
        )?;
    }
    Ok(())
}

/// Every round.
fn rounds_of(text: &mut String, figures: &Figures) -> Result<()> {
    text.push_str("\nEach round: seconds, CPU seconds, MB; pages fetched.\n\n| site | |");
    for round in 1..=rounds::count(Size::Full) {
        write!(text, " round {round} |")?;
    }
    text.push_str("\n|---|---|");
    text.push_str(&"---|".repeat(rounds::count(Size::Full)));
    text.push('\n');
    let mut row = |scenario: &str, runner: &str, samples: &[Sample]| {
        let cells = samples.iter().map(|sample| {
            format!(
                " {:.3}, {:.3}, {:.1}; {} |",
                sample.cost.time.as_secs_f64(),
                sample.cost.processor.as_secs_f64(),
                sample.memory(),
                sample.fetched.requests
            )
        });
        let cells: String = cells.collect();
        writeln!(text, "| {scenario} | {runner} |{cells}")
    };
    for (scenario, runs) in &figures.scenarios {
        for (runner, samples) in runs {
            row(scenario.name(), runner.name(), samples)?;
        }
    }
    row("two cores", "crawler on one", &figures.scaling.0)?;
    row("two cores", "crawler on both", &figures.scaling.1)?;
    Ok(())
}
