//! Logs pages to stderr: failures always, everything else with `-v` and `-vv`.

use crawler_model::{
    Discovery, LinkFacts, Notice, Outcome, PageReport, RefuseReason, Sink, SinkError, Summary,
    counted,
};

use crate::advice::with_advice;
use crate::console::{Console, Level, Value};
use crate::numbers::size;
use crate::refusal_text::refusal_text;

#[derive(Debug)]
pub(crate) struct LogSink {
    console: Console,
    /// `--max-body-bytes`.
    max_body: u64,
}

impl LogSink {
    pub(crate) fn new(console: Console, max_body: u64) -> Self {
        Self { console, max_body }
    }

    fn page_line(&self, report: &PageReport) {
        let url = report.url.as_str();
        let status = u64::from(report.status.unwrap_or_default());
        let (level, event, text) = match &report.outcome {
            Outcome::Failed(failure) => {
                let text = format!(
                    "Failed to fetch {url}: {failure} [{}]{}",
                    failure.kind.label(),
                    self.origin(report)
                );
                (Level::Warning, "page_failed", text)
            }
            Outcome::Skipped(reason) => (
                Level::Detail,
                "page_skipped",
                format!("Skipped {url}: {reason}"),
            ),
            _ if !self.console.prints(Level::Detail) => return,
            Outcome::Redirected { to } => (
                Level::Detail,
                "page_redirected",
                format!("Redirected {url} to {to} ({status})"),
            ),
            Outcome::Fetched { html } => {
                let what = if *html {
                    counted(report.links.web_len(), "link")
                } else {
                    "not html".into()
                };
                let cut = if report.truncated { ", truncated" } else { "" };
                let rendered = match report.rendering {
                    Some(rendering) if rendering.timed_out => ", rendered, timed out",
                    Some(rendering) if rendering.rendered => ", rendered",
                    _ => "",
                };
                let millis = report.took().as_millis();
                let text = format!(
                    "Fetched {url} ({status}, {what}{cut}{rendered}, depth {}, {millis} ms)",
                    report.depth
                );
                (Level::Detail, "page_fetched", text)
            }
        };
        if !self.console.prints(level) {
            return;
        }
        let kind = report
            .outcome
            .failure()
            .map(|failure| failure.kind.as_str());
        let mut fields = vec![
            ("url", Value::Text(url)),
            ("depth", Value::Number(u64::from(report.depth))),
            ("attempts", Value::Number(u64::from(report.attempt))),
            ("seconds", Value::Seconds(report.took().as_secs_f64())),
        ];
        fields.extend(
            report
                .status
                .map(|status| ("status", Value::Number(u64::from(status)))),
        );
        let kinds = kind.map(|kind| ["error_kind", "kind"].map(|name| (name, Value::Text(kind))));
        fields.extend(kinds.into_iter().flatten());
        if let Some(rendering) = report.rendering {
            fields.push(("rendered", Value::Flag(rendering.rendered)));
            fields.push(("render_reason", Value::Text(rendering.reason.as_str())));
            if rendering.timed_out {
                fields.push(("render_timed_out", Value::Flag(true)));
            }
        }
        fields.extend(report.via.as_deref().map(|via| ("via", Value::Text(via))));
        self.console.print(level, &text, event, &fields);
    }

    /// Where a failed page was found, for `-v`.
    fn origin(&self, report: &PageReport) -> String {
        match (report.via.as_deref(), report.found) {
            (Some(via), found) if self.console.prints(Level::Detail) => match found {
                Discovery::Redirect => format!(", redirected from {via}"),
                Discovery::Sitemap => format!(", listed in {via}"),
                Discovery::Seed | Discovery::Link => format!(", linked from {via}"),
            },
            _ => String::new(),
        }
    }

    /// Warns about a page that was not read to its end: links after that point are not followed.
    fn truncated_line(&self, report: &PageReport) {
        let url = report.url.as_str();
        let text = if report.body_bytes >= self.max_body {
            let limit = size(self.max_body);
            format!(
                "{url} is larger than --max-body-bytes ({limit}): links after that point are not found"
            )
        } else {
            format!("{url} could not be read to its end: links may be missing")
        };
        let fields = [
            ("url", Value::Text(url)),
            ("bytes", Value::Number(report.body_bytes)),
        ];
        self.console
            .print(Level::Warning, &text, "page_truncated", &fields);
    }
}

/// Why a link is not followed; `None` if it is followed, or already was. `refused`: the frontier's reason.
fn refusal(facts: LinkFacts, refused: Option<RefuseReason>) -> Option<RefuseReason> {
    let by_facts = match (facts.web, facts.in_scope) {
        (false, _) => Some(RefuseReason::Scheme),
        (true, false) => Some(RefuseReason::OutOfScope),
        (true, true) => None,
    };
    let refused = refused.filter(|reason| *reason != RefuseReason::Seen);
    refused.or(by_facts)
}

/// The line of a link.
fn link_text(url: &str, refusal: Option<RefuseReason>) -> String {
    let Some(reason) = refusal else {
        return format!("  link {url}");
    };
    let trap = if reason.is_trap() {
        "crawler trap, "
    } else {
        ""
    };
    format!(
        "  link {url} (not followed: {trap}{})",
        refusal_text(reason)
    )
}

impl Sink for LogSink {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        self.page_line(report);
        if report.truncated && matches!(report.outcome, Outcome::Fetched { .. }) {
            self.truncated_line(report);
        }
        if self.console.prints(Level::Debug) {
            let mut refused = report.links.refused().iter().peekable();
            for (index, link) in (0..).zip(report.links.iter()) {
                let refused = refused.next_if(|(at, _)| *at == index);
                let reason = refusal(link.facts, refused.map(|(_, reason)| *reason));
                let mut fields = vec![
                    ("url", Value::Text(link.full)),
                    ("via", Value::Text(report.url.as_str())),
                ];
                fields.extend(reason.map(|reason| ("not_followed", Value::Text(reason.as_str()))));
                let text = link_text(link.full, reason);
                self.console.print(Level::Debug, &text, "link", &fields);
            }
        }
        Ok(())
    }

    fn notice(&mut self, notice: &Notice) -> Result<(), SinkError> {
        let level = match notice {
            Notice::CrawlDelay { .. } => Level::Info,
            _ => Level::Warning,
        };
        let message = with_advice(notice, notice.remedy());
        self.console.print(level, &message, notice.as_str(), &[]);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
        Ok(())
    }
}
