//! Tells about pages on stderr: failures always, the rest as loudly as was asked.

use model::{LinkFacts, Notice, Outcome, PageReport, Sink, SinkError, Summary};

use crate::talk::{Level, Talk, Value};

#[derive(Debug)]
pub(crate) struct LogSink {
    talk: Talk,
}

impl LogSink {
    pub(crate) fn new(talk: Talk) -> Self {
        Self { talk }
    }

    fn page_line(&self, report: &PageReport) {
        let url = report.url.as_str();
        let status = u64::from(report.status.unwrap_or_default());
        let (level, event, text) = match &report.outcome {
            Outcome::Failed(failure) => {
                let text = format!(
                    "Failed to fetch {url}: {failure} [{}]",
                    failure.kind.label()
                );
                (Level::Warning, "page_failed", text)
            }
            Outcome::Skipped(reason) => (
                Level::Detail,
                "page_skipped",
                format!("Skipped {url}: {reason}"),
            ),
            _ if !self.talk.says(Level::Detail) => return,
            Outcome::Redirected { to } => (
                Level::Detail,
                "page_redirected",
                format!("Redirected {url} to {to} ({status})"),
            ),
            Outcome::Fetched { html } => {
                let what = if *html {
                    format!("{} links", report.links.web_len())
                } else {
                    "not html".into()
                };
                let cut = if report.truncated { ", truncated" } else { "" };
                let rendered = match report.rendering {
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
        if !self.talk.says(level) {
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
        fields.extend(kind.map(|kind| ("kind", Value::Text(kind))));
        if let Some(rendering) = report.rendering {
            fields.push(("rendered", Value::Flag(rendering.rendered)));
            fields.push(("render_reason", Value::Text(rendering.reason.as_str())));
        }
        fields.extend(report.via.as_deref().map(|via| ("via", Value::Text(via))));
        self.talk.say(level, &text, event, &fields);
    }
}

/// Why a link is certainly not followed; new or known is only decided later.
fn fate(facts: LinkFacts) -> &'static str {
    match (facts.web, facts.in_scope) {
        (false, _) => " (not followed: not http)",
        (true, false) => " (not followed: out of scope)",
        (true, true) => "",
    }
}

impl Sink for LogSink {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        self.page_line(report);
        if self.talk.says(Level::Debug) {
            for link in report.links.iter() {
                let fields = [
                    ("url", Value::Text(link.full)),
                    ("via", Value::Text(report.url.as_str())),
                ];
                self.talk.say(
                    Level::Debug,
                    &format!("  link {}{}", link.full, fate(link.facts)),
                    "link",
                    &fields,
                );
            }
        }
        Ok(())
    }

    fn notice(&mut self, notice: &Notice) -> Result<(), SinkError> {
        let level = match notice {
            Notice::CrawlDelay { .. } => Level::Info,
            _ => Level::Warning,
        };
        self.talk
            .say(level, &notice.to_string(), notice.as_str(), &[]);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
        Ok(())
    }
}
