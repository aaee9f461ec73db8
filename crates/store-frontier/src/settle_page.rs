//! Taking in page reports.

use std::collections::HashSet;
use std::time::Duration;

use crawler_frontier::{AdmissionFilter, Bounds, HostResponse, Moment, link_refusal, retry_delay};
use crawler_model::site_rules::{MAX_HOST_PAUSE, check_redirects, may_retry, redirect_loop};
use crawler_model::{
    Backoff, CrawlRules, Discovery, FailKind, Failure, Outcome, PageReport, RefuseReason,
    SitemapPolicy,
};
use crawler_store::{
    JobKind, NewDocument, NewMappedUrl, NewTask, RefusedUrl, Settlement, TaskOutcome,
};
use crawler_weburl::{CrawlUrl, HostKey, UrlRef};

use crate::held_task::{HeldTask, Stage};
use crate::job_cache::JobCache;
use crate::worker_counts::add;
use crate::{FrontierStore, StoreFrontier};

impl<S: FrontierStore> StoreFrontier<S> {
    pub(crate) fn settle_page(&mut self, report: &PageReport, now: Moment) {
        add(&self.counts.bytes, report.wire_bytes);
        let host = report
            .fetched_url
            .as_ref()
            .unwrap_or(&report.url)
            .host_key();
        let response = HostResponse::new(report.status, report.retry_after, report.elapsed);
        if let Some(response) = response {
            self.note_response(&host, response, now);
        }
        let ticket = report.ticket;
        // Already handed back at the end of a drain.
        let Some(held) = self.held.get_mut(&ticket) else {
            return;
        };
        if held.stage != Stage::InFlight {
            return;
        }
        self.in_flight -= 1;
        held.stage = Stage::Settling;
        held.address_slot = None;
        held.browser_time += report.browser_time;
        metrics::histogram!("crawler_worker_page_seconds").record(report.took().as_secs_f64());
        if held.lost {
            self.lose(ticket);
            return;
        }
        let job = held.claimed.job;
        let Some(plan) = self.plan_of(ticket).cloned() else {
            return self.conclude(ticket, TaskOutcome::HandBack, now);
        };
        if let Some(failure) = report.outcome.failure()
            && let Some(outcome) = self.retried(ticket, failure, report.retry_after)
        {
            return self.conclude(ticket, outcome, now);
        }
        let (Some(held), Some(job_cache)) = (self.held.get_mut(&ticket), self.jobs.get_mut(&job))
        else {
            return;
        };
        if let Outcome::Redirected { to } = &report.outcome
            && check_redirects(held.hops, plan.max_redirects).is_ok()
            && is_same_page(&plan, report, to)
        {
            held.reported_url.get_or_insert_with(|| report.url.clone());
            held.url = to.clone();
            held.hops += 1;
            held.stage = Stage::Waiting;
            self.ready.insert((now, ticket));
            return;
        }
        let mut settlement = settlement(report, held, job_cache, &plan);
        // Before the links: a URL that is also linked is listed.
        let listed = held.listed.take().unwrap_or_default();
        settlement.found.splice(0..0, listed);
        self.settlements.push(settlement, now);
    }

    /// The outcome of a task that failed, if it is to be retried.
    pub(crate) fn retried(
        &mut self,
        ticket: u64,
        failure: &Failure,
        retry_after: Option<Duration>,
    ) -> Option<TaskOutcome> {
        let (attempt, plan) = (
            self.held.get(&ticket)?.claimed.attempt,
            self.plan_of(ticket)?,
        );
        let (backoff, max) = (plan.backoff, plan.max_attempts);
        if failure.kind == FailKind::BrowserUnavailable {
            // Not the fault of the page: it waits until the render process is back, or its job ends.
            let backoff = Backoff {
                first: backoff.longest,
                ..backoff
            };
            return Some(TaskOutcome::Postponed {
                after: retry_delay(backoff, 1, None, &mut self.rng),
                error: failure.message.clone(),
            });
        }
        may_retry(failure.kind, attempt, max, retry_after, MAX_HOST_PAUSE).then(|| {
            TaskOutcome::Retry {
                after: retry_delay(backoff, attempt, retry_after, &mut self.rng),
                error: failure.message.clone(),
            }
        })
    }

    /// Slows down requests to a host if a response throttles.
    pub(crate) fn note_response(&mut self, host: &HostKey, response: HostResponse, now: Moment) {
        let throttle = self.hosts.note_response(host, response, now, &mut self.rng);
        let Some(throttle) = throttle.filter(|throttle| throttle.extends) else {
            return;
        };
        add(&self.counts.host_pauses, 1);
        tracing::info!(
            host = host.as_str(),
            pause_ms = millis(throttle.pause),
            status = response.status,
            "host paused"
        );
        self.client.pause_host(host.clone(), throttle.pause);
    }
}

fn millis(pause: Duration) -> u64 {
    u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)
}

/// Whether a redirect of a page is followed in place.
fn is_same_page(plan: &CrawlRules, report: &PageReport, to: &CrawlUrl) -> bool {
    AdmissionFilter::is_same_page(plan, &report.url, to)
}

/// The settlement of a finished page.
fn settlement(
    report: &PageReport,
    held: &HeldTask,
    job_cache: &mut JobCache,
    plan: &CrawlRules,
) -> Settlement {
    let bytes = report.wire_bytes;
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    let outcome = match &report.outcome {
        Outcome::Redirected { to } => match check_redirects(held.hops, plan.max_redirects) {
            // Whether it closes a loop is decided by the store, which has the redirects of all workers.
            Ok(()) => redirected(report, to, held, job_cache, plan, &mut found),
            Err(_) if held.reported_url.is_some() && is_same_page(plan, report, to) => {
                failed(&redirect_loop(to), bytes)
            }
            Err(failure) => failed(&failure, bytes),
        },
        // A page worker never skips; that is decided before.
        Outcome::Skipped(reason) => TaskOutcome::Skipped {
            reason: reason.as_str().to_owned(),
            detail: reason.to_string(),
        },
        Outcome::Failed(failure) => match document(report, held) {
            Some(document) => done(Some(document), Vec::new(), bytes),
            None => failed(failure, bytes),
        },
        Outcome::Fetched { .. } => {
            let mut mapped = Vec::new();
            if job_cache.follows() && plan.sitemaps != SitemapPolicy::Only {
                let lists = (&mut found, &mut refused, &mut mapped);
                admit_links(report, job_cache, plan, lists);
            }
            match document(report, held) {
                None if plan.documents.is_some() => not_text(report),
                document => done(document, mapped, bytes),
            }
        }
    };
    Settlement {
        found,
        refused,
        ..held.settlement(outcome)
    }
}

fn done(document: Option<NewDocument>, mapped: Vec<NewMappedUrl>, bytes: u64) -> TaskOutcome {
    TaskOutcome::Done {
        document: document.map(Box::new),
        mapped,
        bytes,
    }
}

pub(crate) fn failed(failure: &Failure, bytes: u64) -> TaskOutcome {
    TaskOutcome::Failed {
        kind: failure.kind,
        error: failure.message.clone(),
        bytes,
    }
}

fn not_text(report: &PageReport) -> TaskOutcome {
    let what = report.content_type.as_deref().unwrap_or("of unknown type");
    TaskOutcome::Skipped {
        reason: "not_text".to_owned(),
        detail: format!("the page is {what}, which has no text to extract"),
    }
}

/// Admits a redirect's target like any link, at the same depth. The target of a seed becomes the seed.
fn redirected(
    report: &PageReport,
    to: &CrawlUrl,
    held: &HeldTask,
    job_cache: &mut JobCache,
    plan: &CrawlRules,
    found: &mut Vec<NewTask>,
) -> TaskOutcome {
    let depth = held.claimed.depth;
    let bounds = if depth == 0 {
        Bounds::WITHOUT_PATTERNS
    } else {
        Bounds::ALL
    };
    let filter = &mut job_cache.filter;
    let mut source = filter.redirect_source(plan, report, to);
    let admission = filter.admit(plan, to.parts(), depth, bounds, Some(&mut source));
    filter.take_in_redirect(plan, to, source, admission.err());
    let (reason, detail) = match admission {
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
            found: Discovery::Redirect,
            ..new_task(to.parts(), plan, depth)
        });
    }
    TaskOutcome::Skipped {
        reason: reason.to_owned(),
        detail,
    }
}

fn admit_links(
    report: &PageReport,
    job_cache: &mut JobCache,
    plan: &CrawlRules,
    (found, refused, mapped): (
        &mut Vec<NewTask>,
        &mut Vec<RefusedUrl>,
        &mut Vec<NewMappedUrl>,
    ),
) {
    let depth = report.depth + 1;
    let too_deep = plan.limits.depth.is_some_and(|max| depth > max);
    // Links of pages at the maximum depth are not mapped, so a map does not fetch these pages.
    let is_map = job_cache.kind == JobKind::Map;
    let only_listed = is_map && plan.limits.depth.is_some_and(|max| depth >= max);
    let (mut keys, mut targets) = (HashSet::new(), HashSet::new());
    let mut source = job_cache.filter.source(plan, report);
    for link in report.links.iter() {
        let is_refused = link_refusal(plan, link.facts).is_some();
        let Some(url) = link.parts().filter(|_| !is_refused) else {
            continue;
        };
        let is_new = keys.insert(link.key);
        // Fragments of one page are one page to visit, but separate links to list if fragments are kept.
        let (target, is_new_target) = if plan.links.keep_fragments {
            (link.full, targets.insert(link.full))
        } else {
            (link.page, is_new)
        };
        if is_new_target && is_map && link.facts.in_scope && !too_deep {
            mapped.push(NewMappedUrl {
                source_url: report.url.to_string(),
                target_url: target.to_owned(),
                depth,
            });
        }
        // The page worker has matched the scope, which may take long: not again here, in the loop.
        let is_admissible = is_new && !only_listed && link.facts.in_scope;
        if !is_admissible || job_cache.filter.knows(link.key, depth) {
            continue;
        }
        let filter = &mut job_cache.filter;
        let admission = filter.admit(plan, url, depth, Bounds::ALL.in_scope(), Some(&mut source));
        let task = || NewTask {
            via: Some(report.url.to_string()),
            ..new_task(url, plan, depth)
        };
        match admission {
            Ok(()) => found.push(task()),
            Err(reason)
                if (reason.is_trap() || reason == RefuseReason::TooDeep)
                    && filter.is_first_refusal(link.key, reason) =>
            {
                let task = task();
                refused.push(RefusedUrl { task, reason });
            }
            Err(_) => (),
        }
    }
    job_cache.filter.take_in(plan, report, source);
}

pub(crate) fn new_task(url: UrlRef<'_>, plan: &CrawlRules, depth: u32) -> NewTask {
    NewTask {
        requested_url: url.as_str().to_owned(),
        final_url: plan.keys.key_text(url),
        url: url.as_str().to_owned(),
        host: url.host_key(),
        depth,
        hops: 0,
        via: None,
        found: Discovery::Link,
    }
}

fn document(report: &PageReport, held: &HeldTask) -> Option<NewDocument> {
    let content = report.document.as_ref()?;
    // Only the frontier knows the URL that the redirects started from.
    let requested_url = held.claimed.requested_url.clone();
    let mut meta = content.meta().clone();
    meta.requested_url.clone_from(&requested_url);
    Some(NewDocument {
        requested_url,
        final_url: held.url.to_string(),
        title: content.title().map(str::to_owned),
        content_md: Some(content.markdown().to_owned()),
        content_raw: Some(content.html().to_owned()),
        meta,
    })
}
