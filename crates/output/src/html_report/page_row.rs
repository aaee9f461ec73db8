//! A page as a row of numbers, in the order the viewer's `store.js` reads them.

use model::{Found, Outcome, PageReport};

/// One page, its URLs already numbers.
pub(super) struct PageRow<'a> {
    pub(super) id: u32,
    pub(super) via: Option<u32>,
    pub(super) redirect: Option<u32>,
    pub(super) report: &'a PageReport,
}

impl PageRow<'_> {
    /// The row but for its content type, its note and why it was rendered or not, which are numbers of the chunk's own texts.
    /// Where a number may be missing, zero is "none" and the others are one more.
    pub(super) fn numbers(&self, kind: u64, note: u64, reason: u64) -> [u64; 17] {
        let report = self.report;
        let outside = report
            .links
            .iter()
            .filter(|link| link.facts.web && !link.facts.in_scope);
        [
            u64::from(self.id),
            self.via.map_or(0, |id| u64::from(id) + 1),
            u64::from(report.status.unwrap_or_default()),
            u64::from(report.depth),
            match report.outcome {
                Outcome::Fetched { html: true } => 0,
                Outcome::Fetched { html: false } => 1,
                Outcome::Redirected { .. } => 2,
                Outcome::Skipped(_) => 3,
                Outcome::Failed(_) => 4,
            },
            match report.found {
                Found::Seed => 0,
                Found::Link => 1,
                Found::Redirect => 2,
                Found::Sitemap => 3,
            },
            kind,
            report.wire_bytes,
            u64::try_from(report.took().as_millis()).unwrap_or(u64::MAX),
            u64::from(report.attempt),
            report.links.web_len(),
            outside.count() as u64,
            note,
            self.redirect.map_or(0, |id| u64::from(id) + 1),
            u64::from(report.truncated),
            u64::from(report.rendering.is_some_and(|rendering| rendering.rendered)),
            reason,
        ]
    }

    /// The content type without its parameters, short and lower-case: what is counted.
    pub(super) fn content_type(&self) -> String {
        let sent = self.report.content_type.as_deref().unwrap_or_default();
        let essence = sent.split(';').next().unwrap_or_default().trim();
        essence.chars().take(80).collect::<String>().to_lowercase()
    }

    /// Why it was rendered or not, where that was a question.
    pub(super) fn render_reason(&self) -> Option<String> {
        let rendering = self.report.rendering?;
        Some(rendering.reason.as_str().to_owned())
    }

    /// Why it failed or was skipped.
    pub(super) fn note(&self) -> Option<String> {
        match &self.report.outcome {
            Outcome::Skipped(reason) => Some(reason.to_string()),
            Outcome::Failed(failure) => Some(failure.to_string()),
            _ => None,
        }
    }
}
