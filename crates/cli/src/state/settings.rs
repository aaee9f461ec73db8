//! The settings of a crawl as recorded in its state file, to be compared on resume.
//!
//! They include everything that changes what is crawled or printed, after resolution: a profile equals the flags it stands for.
//! They leave out what may change between runs: `--workers`, `--proxy`, the values of `--header` (secrets, and a session may have
//! to be renewed) and the flags for messages.

use std::path::Path;

use crawler_journal::RecordedSetting;
use crawler_model::{CrawlPlan, RobotsPolicy, SitemapPolicy};
use crawler_weburl::{QueryPolicy, ScopeKind, SlashPolicy};

use crate::crawl::CommandSettings;

pub(crate) fn settings(plan: &CrawlPlan, command: CommandSettings<'_>) -> Vec<RecordedSetting> {
    let limit = |limit: Option<u64>| limit.unwrap_or(0).to_string();
    let limits = &plan.limits;
    let delays = plan.path_delays.iter();
    let delays = delays.map(|gate| format!("{}={:?}", gate.prefix, gate.delay));
    let headers = plan.fetch.headers.iter().map(|(name, _)| name.clone());
    let lines = [
        ("the command", command.command.to_owned()),
        ("<URL>", plan.seed().to_string()),
        ("--max-pages", limit(limits.pages)),
        ("--max-depth", limit(limits.depth.map(u64::from))),
        ("--max-duration", or_none(limits.duration)),
        ("--max-bytes", limit(limits.bytes)),
        ("--max-body-bytes", plan.fetch.max_body.to_string()),
        ("--max-redirects", plan.max_redirects.to_string()),
        ("--rate-ms", plan.min_interval.as_millis().to_string()),
        ("--max-attempts", plan.max_attempts.to_string()),
        ("--path-delay", list(delays)),
        ("--sitemaps", sitemaps(plan.sitemaps).to_owned()),
        ("--scope", scope(plan.scope_kind).to_owned()),
        ("--include", list(plan.include.iter().cloned())),
        ("--exclude", list(plan.exclude.iter().cloned())),
        ("--trailing-slash", slash(plan.keys.slash).to_owned()),
        ("--strip-query", strips(plan.keys.query).to_string()),
        ("--traps", on_or_off(plan.traps).to_owned()),
        ("--timeout", format!("{:?}", plan.fetch.deadlines.total)),
        ("--robots", robots(plan.robots).to_owned()),
        ("--user-agent", plan.fetch.user_agent.clone()),
        ("--js", plan.js.as_str().to_owned()),
        ("the names of --header", list(headers)),
        ("--links in-scope", plan.links.in_scope_only.to_string()),
        ("--schemes all", plan.links.all_schemes.to_string()),
        (
            "--strip-fragments",
            (!plan.links.keep_fragments).to_string(),
        ),
        ("--format", command.format.to_owned()),
        ("--output-file", absolute_path(command.file, "stdout")),
        (
            "--unique-links",
            absolute_path(command.unique_links, "none"),
        ),
    ];
    lines
        .into_iter()
        .map(|(name, value)| RecordedSetting::new(name, value))
        .collect()
}

/// The absolute path of a file: the same name in another folder is another file.
fn absolute_path(file: Option<&Path>, otherwise: &str) -> String {
    match file.filter(|file| *file != Path::new("-")) {
        Some(file) => std::path::absolute(file)
            .unwrap_or_else(|_| file.to_owned())
            .display()
            .to_string(),
        None => otherwise.to_owned(),
    }
}

fn or_none(value: Option<impl std::fmt::Debug>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| format!("{value:?}"))
}

fn list(values: impl Iterator<Item = String>) -> String {
    let values: Vec<String> = values.collect();
    if values.is_empty() {
        return "none".to_owned();
    }
    values.join(" ")
}

fn sitemaps(policy: SitemapPolicy) -> &'static str {
    match policy {
        SitemapPolicy::Skip => "skip",
        SitemapPolicy::Include => "include",
        SitemapPolicy::Only => "only",
    }
}

fn scope(kind: ScopeKind) -> &'static str {
    match kind {
        ScopeKind::Host => "host",
        ScopeKind::Domain => "domain",
        ScopeKind::Prefix => "prefix",
        ScopeKind::Any => "any",
    }
}

fn slash(policy: SlashPolicy) -> &'static str {
    match policy {
        SlashPolicy::Merge => "merge",
        SlashPolicy::Keep => "keep",
    }
}

fn strips(policy: QueryPolicy) -> bool {
    policy == QueryPolicy::Strip
}

fn on_or_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

fn robots(policy: RobotsPolicy) -> &'static str {
    match policy {
        RobotsPolicy::Respect => "respect",
        RobotsPolicy::Ignore => "ignore",
    }
}
