//! `cargo xtask egress`: the long form of the tests that try spellings of private addresses through every channel.
//!
//! `cargo xtask test` tries one of every few; this tries all, and reports how many there were and what was connected to.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result, bail};

use crate::requirements::CHROMIUM;
use crate::shell::{cargo, print, run, target_folder};

/// Spellings that are tried through each channel, at least.
const SPELLINGS: usize = 3_000;
/// The ways to have an address requested.
const CHANNELS: [&str; 7] = [
    "page of a scrape",
    "redirect of a scrape",
    "page of a job",
    "redirect of a job",
    "redirect of robots.txt",
    "sitemap",
    "page of the browser",
];

/// Runs the tests with all spellings, and prints a table of the channels.
pub(crate) fn start(args: &[&str]) -> Result<()> {
    if !args.is_empty() {
        bail!("cargo xtask egress takes no arguments");
    }
    CHROMIUM.ensure()?;
    let record = target_folder()?.join(format!("egress-{}.tsv", std::process::id()));
    let tested = run(cargo()
        .args(["test", "--locked", "--no-fail-fast"])
        .args(["--package", "crawler-service", "--test", "api"])
        .args(["--package", "crawler-render", "--test", "isolation"])
        .args(["--", "spelling"])
        .env("EGRESS_SPELLINGS", "all")
        .env("EGRESS_RECORD", &record));
    let text = std::fs::read_to_string(&record).unwrap_or_default();
    // A file that is left over does no harm.
    let _ = std::fs::remove_file(&record);
    let (table, missed) = table(&text)?;
    print(&table);
    tested?;
    if !missed.is_empty() {
        bail!("{}", missed.join("; "));
    }
    Ok(())
}

/// The channels with the number of spellings tried and of connections seen, and what is wrong with them.
fn table(record: &str) -> Result<(String, Vec<String>)> {
    let mut rows = BTreeMap::new();
    for line in record.lines() {
        let mut fields = line.split('\t');
        let channel = fields.next().context("a channel")?;
        let mut number = || -> Result<usize> { Ok(fields.next().context("a number")?.parse()?) };
        rows.insert(channel, (number()?, number()?));
    }
    let mut table = format!(
        "{:<24}{:>10}{:>13}\n",
        "channel", "spellings", "connections"
    );
    let mut missed = Vec::new();
    for channel in CHANNELS {
        let (tried, connections) = rows.get(channel).copied().unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(table, "{channel:<24}{tried:>10}{connections:>13}");
        if tried < SPELLINGS {
            missed.push(format!("{channel}: {tried} of {SPELLINGS} spellings tried"));
        }
        if connections > 0 {
            missed.push(format!("{channel}: connections to private addresses"));
        }
    }
    Ok((table, missed))
}

#[cfg(test)]
mod tests {
    use super::{CHANNELS, table};

    #[test]
    fn every_channel_must_be_tried_and_none_may_connect() {
        let all = |connections: usize| -> String {
            let line = |channel| format!("{channel}\t3012\t{connections}\n");
            CHANNELS.map(line).concat()
        };
        let missed = |record: &str| table(record).unwrap().1.len();
        assert_eq!(missed(&all(0)), 0);
        assert_eq!(missed(&all(1)), CHANNELS.len());
        assert_eq!(missed(&all(0).replacen("3012", "80", 1)), 1);
        assert_eq!(missed(""), CHANNELS.len());
        assert!(table("sitemap\tmany\t0").is_err());
    }
}
