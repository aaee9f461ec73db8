//! The way back: taking in pages.

use std::collections::HashSet;
use std::time::Duration;

use frontier::{Bounds, LinkDesk, Moment, before_asking_host, before_retry};
use model::{CrawlPlan, FailKind, Failure, Found, Outcome, PageReport, SitemapPolicy};
use serde_json::Value;
use store::{JobKind, NewDocument, NewMappedUrl, NewTask, Settlement, Store, Verdict};
use weburl::{CrawlUrl, HostKey, UrlRef};

use crate::StoreFrontier;
use crate::held::{Held, Stage};
use crate::job_desk::JobDesk;
use crate::worker_counts::add;

/// A host that asks for a longer pause is paused for so long, and its page is not waited for.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

impl<S: Store> StoreFrontier<S> {
    pub(crate) fn settle_page(&mut self, report: &PageReport, now: Moment) {
        add(&self.counts.bytes, report.wire_bytes);
        let host = report.landed.as_ref().unwrap_or(&report.url).host_key();
        self.note_reply(&host, report.status, report.retry_after, now);
        let ticket = report.ticket;
        // Handed back when the drain's time was up.
        let Some(held) = self.held.get_mut(&ticket) else {
            return;
        };
        if held.stage != Stage::InFlight {
            return;
        }
        self.in_flight -= 1;
        held.stage = Stage::Settling;
        metrics::histogram!("crawler_worker_page_seconds").record(report.took().as_secs_f64());
        if held.lost {
            self.lose(ticket);
            return;
        }
        let desk = self.jobs.get_mut(&held.claimed.job);
        let Some((desk, plan)) = desk.and_then(|desk| {
            let plan = desk.plan.as_ref().ok()?.clone();
            Some((desk, plan))
        }) else {
            return self.conclude(ticket, Verdict::HandBack, now);
        };
        if let Some(failure) = report.outcome.failure()
            && failure.kind.retryable()
            && held.claimed.attempt < plan.max_attempts
            && report
                .retry_after
                .is_none_or(|asked| asked <= LONGEST_PAUSE)
        {
            let after = before_retry(plan.backoff, held.claimed.attempt, &mut self.chance)
                .max(report.retry_after.unwrap_or_default());
            let error = failure.words.clone();
            return self.conclude(ticket, Verdict::Retry { after, error }, now);
        }
        if let Outcome::Redirected { to } = &report.outcome
            && held.hops < plan.max_redirects
            && LinkDesk::is_same_page(&plan, &report.url, to)
        {
            held.first_met.get_or_insert_with(|| report.url.clone());
            held.url = to.clone();
            held.hops += 1;
            held.stage = Stage::Waiting;
            self.ready.insert((now, ticket));
            return;
        }
        let mut settlement = settlement(report, held, desk, &plan);
        settlement
            .found
            .extend(held.listed.take().into_iter().flatten());
        self.settling.push(settlement, now);
    }

    /// `429`, and any passing error that says when to come back, are about the host and not the page.
    pub(crate) fn note_reply(
        &mut self,
        host: &HostKey,
        status: Option<u16>,
        retry_after: Option<Duration>,
        now: Moment,
    ) {
        let throttles = match status {
            Some(429) => true,
            Some(408 | 500..=599) => retry_after.is_some(),
            _ => false,
        };
        if throttles {
            let times = self.hosts.throttled(host, now);
            let pause = retry_after
                .unwrap_or_else(|| before_asking_host(times, &mut self.chance))
                .min(LONGEST_PAUSE);
            add(&self.counts.host_pauses, 1);
            tracing::info!(
                host = host.as_str(),
                pause_ms = millis(pause),
                status,
                "host paused"
            );
            self.hosts.pause(host, pause, now);
            self.clerk.pause_host(host.clone(), pause);
        } else if status.is_some() {
            self.hosts.relax(host);
        }
    }
}

fn millis(pause: Duration) -> u64 {
    u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)
}

/// What is said of a page that is finished.
fn settlement(
    report: &PageReport,
    held: &Held,
    desk: &mut JobDesk,
    plan: &CrawlPlan,
) -> Settlement {
    let bytes = report.wire_bytes;
    let mut found = Vec::new();
    let verdict = match &report.outcome {
        Outcome::Redirected { to } if held.hops < plan.max_redirects => {
            redirected(to, held, desk, plan, &mut found)
        }
        Outcome::Redirected { .. } => {
            let words = format!("too many redirects ({})", plan.max_redirects);
            failed(&Failure::new(FailKind::TooManyRedirects, words), bytes)
        }
        // A page's worker never skips: that is decided before.
        Outcome::Skipped(reason) => Verdict::Skipped {
            reason: reason.as_str().to_owned(),
            detail: reason.to_string(),
        },
        Outcome::Failed(failure) => match document(report, held) {
            Some(document) => done(Some(document), Vec::new(), bytes),
            None => failed(failure, bytes),
        },
        Outcome::Fetched { .. } => {
            let mut mapped = Vec::new();
            if desk.follows() && plan.sitemaps != SitemapPolicy::Only {
                admit_links(report, desk, plan, &mut found, &mut mapped);
            }
            match document(report, held) {
                None if plan.documents.is_some() => not_text(report),
                document => done(document, mapped, bytes),
            }
        }
    };
    Settlement {
        found,
        ..held.settlement(verdict)
    }
}

fn done(document: Option<NewDocument>, mapped: Vec<NewMappedUrl>, bytes: u64) -> Verdict {
    Verdict::Done {
        document,
        mapped,
        bytes,
    }
}

fn failed(failure: &Failure, bytes: u64) -> Verdict {
    Verdict::Failed {
        kind: failure.kind,
        error: failure.words.clone(),
        bytes,
    }
}

fn not_text(report: &PageReport) -> Verdict {
    let what = report.content_type.as_deref().unwrap_or("of no named type");
    Verdict::Skipped {
        reason: "not_text".to_owned(),
        detail: format!("it is {what}, which has no text to take"),
    }
}

/// A redirect's target is admitted like any link, at the same depth. Where the seed points is the seed.
fn redirected(
    to: &CrawlUrl,
    held: &Held,
    desk: &mut JobDesk,
    plan: &CrawlPlan,
    found: &mut Vec<NewTask>,
) -> Verdict {
    let depth = held.claimed.depth;
    let bounds = if depth == 0 {
        Bounds::Outline
    } else {
        Bounds::All
    };
    let (reason, detail) = match desk.links.pass(plan, to.parts(), depth, bounds) {
        Ok(()) => ("redirected", format!("redirects to {to}")),
        Err(refused) => {
            let reason = refused.as_str();
            (
                reason,
                format!("redirects to {to}, which is not followed ({reason})"),
            )
        }
    };
    if reason == "redirected" {
        found.push(NewTask {
            requested_url: held.claimed.requested_url.clone(),
            hops: held.hops + 1,
            via: Some(held.url.to_string()),
            found: Found::Redirect,
            ..new_task(to.parts(), plan, depth)
        });
    }
    Verdict::Skipped {
        reason: reason.to_owned(),
        detail,
    }
}

fn admit_links(
    report: &PageReport,
    desk: &mut JobDesk,
    plan: &CrawlPlan,
    found: &mut Vec<NewTask>,
    mapped: &mut Vec<NewMappedUrl>,
) {
    let depth = report.depth + 1;
    let deep = plan.limits.depth.is_some_and(|most| depth > most);
    let (mut met, mut listed) = (HashSet::new(), HashSet::new());
    for link in report.links.iter() {
        let Some(url) = link.parts() else { continue };
        if plan.obey_nofollow && link.facts.nofollow {
            continue;
        }
        let is_new = met.insert(link.key);
        // Places on one page are one page to visit, and as many links to list when fragments are kept.
        let (target, lists) = if plan.links.keep_fragments {
            (link.full, listed.insert(link.full))
        } else {
            (link.page, is_new)
        };
        if lists && desk.kind == JobKind::Map && link.facts.in_scope && !deep {
            mapped.push(NewMappedUrl {
                source_url: report.url.to_string(),
                target_url: target.to_owned(),
                depth,
            });
        }
        if !is_new || desk.links.knows(link.key, depth) {
            continue;
        }
        if desk.links.pass(plan, url, depth, Bounds::All).is_ok() {
            found.push(NewTask {
                via: Some(report.url.to_string()),
                ..new_task(url, plan, depth)
            });
        }
    }
}

pub(crate) fn new_task(url: UrlRef<'_>, plan: &CrawlPlan, depth: u32) -> NewTask {
    NewTask {
        requested_url: url.as_str().to_owned(),
        final_url: plan.keys.key_text(url),
        url: url.as_str().to_owned(),
        host: url.host_key(),
        depth,
        hops: 0,
        via: None,
        found: Found::Link,
    }
}

fn document(report: &PageReport, held: &Held) -> Option<NewDocument> {
    let read = report.document.as_ref()?;
    let mut meta: Value = serde_json::from_str(&read.meta).unwrap_or_default();
    if let Some(fields) = meta.as_object_mut() {
        // Where the way to this page began is known here and not in its worker.
        let requested = held.claimed.requested_url.clone();
        fields.insert("requested_url".to_owned(), Value::String(requested));
    }
    Some(NewDocument {
        requested_url: held.claimed.requested_url.clone(),
        final_url: held.url.to_string(),
        title: read.title.clone(),
        content_md: Some(read.markdown.clone()),
        content_raw: Some(read.html.clone()),
        meta,
    })
}
