//! The summary at the end of a crawl.

use crawler_model::{CrawlPlan, FailGroup, RefuseReason, StopReason, Summary, counted, grouped};

use crate::console::{Console, Level, Value};
use crate::numbers::{size, span};
use crate::refusal_text::refusal_text;

/// Prints the summary.
pub(crate) fn print(console: &Console, summary: &Summary, plan: &CrawlPlan, has_state: bool) {
    let stop = summary.stop.as_str();
    let failures = summary.failures();
    let traps = summary.traps();
    let fields = [
        ("stop_reason", Value::Text(stop)),
        ("pages", Value::Number(summary.pages)),
        ("fetched", Value::Number(summary.fetched)),
        ("redirected", Value::Number(summary.redirected)),
        ("failed", Value::Number(failures)),
        ("skipped", Value::Number(summary.skipped)),
        ("not_html", Value::Number(summary.not_html)),
        ("truncated", Value::Number(summary.truncated)),
        ("links", Value::Number(summary.links)),
        ("left", Value::Number(summary.left)),
        ("traps", Value::Number(traps)),
        ("retries", Value::Number(summary.retries)),
        ("bytes", Value::Number(summary.bytes)),
        ("seconds", Value::Seconds(summary.elapsed.as_secs_f64())),
    ];
    let mut counts: Vec<(String, u64)> = Vec::new();
    for (reason, count) in &summary.refused {
        counts.push((format!("refused_{}", reason.as_str()), *count));
    }
    for (group, count) in &summary.failed {
        counts.push((
            format!("failed_{}", group.as_str().replace(' ', "_")),
            *count,
        ));
    }
    let fields: Vec<(&str, Value<'_>)> = fields
        .into_iter()
        .chain(
            counts
                .iter()
                .map(|(name, count)| (name.as_str(), Value::Number(*count))),
        )
        .collect();
    console.print(Level::Info, &totals(summary), "summary", &fields);
    if let Some(line) = ending(summary, plan, has_state) {
        let fields = [
            ("stop_reason", Value::Text(stop)),
            ("left", Value::Number(summary.left)),
        ];
        console.print(ending_level(summary), &line, "summary_note", &fields);
    }
    for line in notes(summary, plan) {
        console.print(Level::Info, &line, "summary_note", &[]);
    }
}

/// Without the line about a limit, the output of `-q` would look complete. A signal is known to whoever sent it, and has an exit
/// code of its own.
fn ending_level(summary: &Summary) -> Level {
    match summary.stop {
        StopReason::Signal => Level::Info,
        _ if summary.left > 0 => Level::Incomplete,
        _ => Level::Info,
    }
}

/// What was not followed or not read.
fn notes(summary: &Summary, plan: &CrawlPlan) -> Vec<String> {
    let mut lines = Vec::new();
    if summary.traps() > 0 {
        lines.push(traps(summary));
    }
    let too_deep = summary
        .refused
        .get(&RefuseReason::TooDeep)
        .copied()
        .unwrap_or(0);
    if let (true, Some(depth)) = (too_deep > 0, plan.limits.depth) {
        lines.push(format!(
            "{} beyond --max-depth {depth} not followed; use --max-depth 0 to follow all links",
            counted(too_deep, "link"),
        ));
    }
    if summary.truncated > 0 {
        lines.push(format!(
            "{} not read to the end, so links may be missing; use a higher --max-body-bytes (now {}) for larger pages",
            counted(summary.truncated, "page"),
            size(plan.fetch.max_body),
        ));
    }
    lines
}

fn totals(summary: &Summary) -> String {
    let seconds = summary.elapsed.as_secs_f64().max(0.001);
    let mut parts = vec![format!("{} fetched", grouped(summary.fetched))];
    if summary.redirected > 0 {
        parts.push(counted(summary.redirected, "redirect"));
    }
    if summary.failures() > 0 {
        let kinds: Vec<String> = summary
            .failed
            .iter()
            .map(|(group, count)| failures_of(*group, *count))
            .collect();
        parts.push(format!(
            "{} failed ({})",
            grouped(summary.failures()),
            kinds.join(", ")
        ));
    }
    if summary.skipped > 0 {
        parts.push(format!(
            "{} blocked by robots.txt",
            grouped(summary.skipped)
        ));
    }
    format!(
        "{} in {} ({:.0}/s): {}; {}, {}",
        counted(summary.pages, "page"),
        span(summary.elapsed),
        summary.pages as f64 / seconds,
        parts.join(", "),
        counted(summary.links, "link"),
        size(summary.bytes),
    )
}

/// "2 dead links", "1 timeout", "3 rate limited".
fn failures_of(group: FailGroup, count: u64) -> String {
    use FailGroup::{BadResponse, ClientError, DeadLink, ServerError, Timeout};
    match group {
        DeadLink | ClientError | ServerError | Timeout | BadResponse => {
            counted(count, group.as_str())
        }
        _ => format!("{} {}", grouped(count), group.as_str()),
    }
}

/// Why the crawl stopped early, how much is left, and how to continue; `None` if the site was crawled completely.
fn ending(summary: &Summary, plan: &CrawlPlan, has_state: bool) -> Option<String> {
    let rest = counted(summary.left, "known URL");
    let (flag, value) = match summary.stop {
        StopReason::Done | StopReason::OutputClosed => return None,
        StopReason::Signal if has_state => {
            return Some(format!(
                "Stopped by a signal with {rest} left; rerun the same command to resume"
            ));
        }
        StopReason::Signal => return Some(format!("Stopped by a signal with {rest} left")),
        StopReason::HostParked { .. } => {
            return Some(format!(
                "Stopped with {rest} left because {}; try again later",
                summary.stop
            ));
        }
        StopReason::MaxPages => ("--max-pages", plan.limits.pages.map(grouped)),
        StopReason::MaxDuration => ("--max-duration", plan.limits.duration.map(span)),
        StopReason::MaxBytes => ("--max-bytes", plan.limits.bytes.map(size)),
        _ => return Some(format!("Stopped with {rest} left: {}", summary.stop)),
    };
    let advice = match summary.stop {
        // A resumed crawl keeps its limits.
        _ if has_state => {
            format!("to crawl further, start again with a higher {flag} and a new --state file")
        }
        StopReason::MaxPages => "use --max-pages 0 for no limit".to_owned(),
        _ => format!("use a higher {flag} to crawl further"),
    };
    Some(format!(
        "Stopped at {flag} {} with {rest} left; {advice}",
        value.unwrap_or_default()
    ))
}

fn traps(summary: &Summary) -> String {
    let kinds: Vec<String> = summary
        .refused
        .iter()
        .filter(|(reason, _)| reason.is_trap())
        .map(|(reason, count)| format!("{} {}", grouped(*count), refusal_text(*reason)))
        .collect();
    format!(
        "{} not followed as crawler traps ({}), nor what is behind them; use --traps off to follow them",
        counted(summary.traps(), "link"),
        kinds.join(", "),
    )
}
