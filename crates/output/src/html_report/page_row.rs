//! A page as a row of numbers, in the order the viewer's `store.js` reads them.

use crawler_model::{Discovery, Outcome, PageReport, SkipReason};

/// One page, with its URLs as numbers.
pub(super) struct PageRow<'a> {
    pub(super) id: u32,
    pub(super) via: Option<u32>,
    pub(super) redirect: Option<u32>,
    pub(super) report: &'a PageReport,
}

impl PageRow<'_> {
    /// The numbers of the row. `kind`, `note` and `reason` are indexes into the chunk's texts. An optional number is written
    /// plus one; 0 means none.
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
                Outcome::Skipped(SkipReason::Trap(_)) => 5,
                Outcome::Skipped(_) => 3,
                Outcome::Failed(_) => 4,
            },
            match report.found {
                Discovery::Seed => 0,
                Discovery::Link => 1,
                Discovery::Redirect => 2,
                Discovery::Sitemap => 3,
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

    /// The content type in lower case, without parameters, truncated if long.
    pub(super) fn content_type(&self) -> String {
        let sent = self.report.content_type.as_deref().unwrap_or_default();
        let essence = sent.split(';').next().unwrap_or_default().trim();
        essence.chars().take(80).collect::<String>().to_lowercase()
    }

    /// Why the page was or was not rendered, if that was decided.
    pub(super) fn render_reason(&self) -> Option<String> {
        let rendering = self.report.rendering?;
        let reason = rendering.reason.as_str();
        Some(if rendering.timed_out {
            format!("{reason}, timed out")
        } else {
            reason.to_owned()
        })
    }

    /// Why the page failed or was skipped.
    pub(super) fn note(&self) -> Option<String> {
        match &self.report.outcome {
            Outcome::Skipped(reason) => Some(reason.to_string()),
            Outcome::Failed(failure) => Some(failure.to_string()),
            _ => None,
        }
    }
}
