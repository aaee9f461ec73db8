//! A frontier that records its inputs.
//!
//! A wrapper around [`MemoryFrontier`]: every input is appended to the events and passed on. Marks carry the events to
//! the sink, after the deliveries that they led to, so that the sink can store both together.
//!
//! A stop from outside is not recorded: nothing more is handed out, work in flight settles normally, and the crawl can
//! resume from there. A stop by a limit ends the crawl.

use std::sync::Arc;
use std::time::Duration;

use crawler_frontier::{
    Delivery, Dispatch, Frontier, FrontierError, MemoryFrontier, Moment, Next, ProgressCounts,
    RobotsFetchResult, SiteFileReport, SiteFileResult, SiteFileTask, Work,
};
use crawler_model::{CrawlPlan, CrawlRules, Notice, PageReport, StopReason, Summary};
use crawler_weburl::CrawlUrl;

use crate::codec::{BytesOut, Kind, rules, write_page, write_site_file};
use crate::outstanding::Outstanding;

/// Longest time between two marks.
const MARK_INTERVAL: Duration = Duration::from_millis(100);
/// Limit on the bytes of events between two marks.
const MAX_UNMARKED_BYTES: usize = 4 << 20;

/// A [`MemoryFrontier`] whose inputs are recorded.
#[derive(Debug)]
pub struct JournaledFrontier {
    pub(crate) inner: MemoryFrontier,
    pub(crate) plan: Arc<CrawlRules>,
    pub(crate) outstanding: Outstanding,
    /// Events not marked yet.
    events: BytesOut,
    /// Whether the events need a mark.
    mark_pending: bool,
    marked: Moment,
    /// The time of the last event; times never decrease.
    pub(crate) last: Moment,
    /// Time that passed between the runs of the crawl.
    away: Duration,
    /// The longest delay between requests that is configured or requested.
    pub(crate) pause: Duration,
    stopping: Option<StopReason>,
    /// Why the crawl ended; a stop from outside does not count.
    pub(crate) ended: Option<StopReason>,
}

impl JournaledFrontier {
    /// A frontier that holds the plan's seed; `rng_seed` as [`MemoryFrontier::new`] takes it.
    pub fn new(plan: &CrawlPlan, rng_seed: u64) -> Self {
        let path_pause = plan.path_delays.iter().map(|gate| gate.delay).max();
        Self {
            inner: MemoryFrontier::new(plan, rng_seed),
            pause: path_pause.unwrap_or_default().max(plan.min_interval),
            plan: Arc::clone(plan.rules()),
            outstanding: Outstanding::default(),
            events: BytesOut::default(),
            mark_pending: false,
            marked: Moment::ZERO,
            last: Moment::ZERO,
            away: Duration::ZERO,
            stopping: None,
            ended: None,
        }
    }

    /// Requeues the work that was in flight; called after the replay. `since_start` is the time since the crawl began,
    /// including the time between its runs. Returns the time at which the crawl's clock resumes.
    pub fn resume(&mut self, since_start: Duration) -> Moment {
        self.marked = self.last;
        // A clock that was set back does not make a robots.txt younger.
        let away = since_start.saturating_sub(self.last).max(self.away);
        if away > self.away || self.outstanding.iter().next().is_some() {
            self.event(Kind::Resume, self.last);
            self.events.duration(away);
            self.note_away(away);
        }
        self.outstanding.requeue_all(self.pause, self.last);
        self.last
    }

    /// Takes in the time between the runs. Pages that were in flight are queued again if their robots.txt does not permit
    /// them any more, or will have expired by the time they are handed out again.
    pub(crate) fn note_away(&mut self, away: Duration) {
        self.away = away;
        self.inner.set_away(away);
        let handed_out = self.outstanding.end_of_gaps(self.pause, self.last);
        let inner = &mut self.inner;
        let removed = self
            .outstanding
            .remove_pages(|task| !inner.may_request_again(task, handed_out));
        for task in removed {
            self.inner.hand_back(task);
        }
    }

    /// Starts an event.
    fn event(&mut self, kind: Kind, now: Moment) -> Moment {
        let now = now.max(self.last);
        self.events.byte(kind.as_byte());
        self.events.duration(now.saturating_sub(self.last));
        self.last = now;
        now
    }

    /// Delivers the events so far, if there is anything to record.
    fn mark(&mut self, now: Moment, out: &mut Vec<Delivery>) {
        if self.events.0.is_empty() {
            return;
        }
        self.marked = now;
        self.mark_pending = false;
        let counts = self.inner.progress_counts();
        self.events.byte(Kind::Check.as_byte());
        for number in numbers(&counts) {
            self.events.number(number);
        }
        out.push(Delivery::Mark(std::mem::take(&mut self.events.0)));
    }

    /// Delivers a mark if one is due, or else limits the wait so that it is delivered in time.
    fn mark_if_due(&mut self, next: Next, now: Moment, out: &mut Vec<Delivery>) -> Next {
        if !self.mark_pending {
            return next;
        }
        let due = self.marked + MARK_INTERVAL;
        if now >= due || self.events.0.len() >= MAX_UNMARKED_BYTES {
            self.mark(now, out);
            return next;
        }
        match next {
            Next::Report => Next::Until(due),
            Next::Until(at) => Next::Until(at.min(due)),
            finished @ Next::Finished(_) => finished,
        }
    }

    /// Records crawl delays, which also apply to work that is handed out again.
    pub(crate) fn note(&mut self, deliveries: &[Delivery]) {
        for delivery in deliveries {
            if let Delivery::Notice(Notice::CrawlDelay { pause, .. }) = delivery {
                self.pause = self.pause.max(*pause);
            }
        }
    }

    async fn dispatch(
        &mut self,
        max: usize,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> Result<Dispatch, FrontierError> {
        if let Some(reason) = &self.ended {
            let (work, next) = (Vec::new(), Next::Finished(reason.clone()));
            return Ok(Dispatch { work, next });
        }
        if let Some(reason) = &self.stopping {
            let next = if self.outstanding.is_busy() {
                Next::Report
            } else {
                Next::Finished(reason.clone())
            };
            let work = Vec::new();
            return Ok(Dispatch { work, next });
        }
        let mut work = self.outstanding.hand_out_again(max, now);
        if let Some(opens) = self.outstanding.blocked_until(now) {
            let next = if opens > now {
                Next::Until(opens)
            } else {
                // Every worker is busy.
                Next::Report
            };
            return Ok(Dispatch { work, next });
        }
        let max = max - work.len();
        let now = self.event(Kind::Take, now);
        self.events.number(max as u64);
        let before = out.len();
        let dispatch = self.inner.take(max, now, out).await?;
        self.mark_pending |= !dispatch.work.is_empty() || out.len() > before;
        work.extend(
            dispatch
                .work
                .into_iter()
                .map(|work| self.outstanding.add(work)),
        );
        self.note_end(&dispatch.next);
        let next = dispatch.next;
        Ok(Dispatch { work, next })
    }

    pub(crate) fn note_end(&mut self, next: &Next) {
        if let Next::Finished(reason) = next {
            self.ended = Some(reason.clone());
        }
    }
}

/// The counts that show whether a replay led to the same state.
pub(crate) fn numbers(counts: &ProgressCounts) -> [u64; 5] {
    [
        counts.pages,
        counts.failed,
        counts.queued,
        counts.in_flight,
        counts.bytes,
    ]
}

fn not_handed_out(what: &CrawlUrl) -> FrontierError {
    FrontierError(format!("a report about {what}, which was not handed out"))
}

impl Frontier for JournaledFrontier {
    async fn take(
        &mut self,
        max: usize,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> Result<Dispatch, FrontierError> {
        let Dispatch { work, next } = self.dispatch(max, now, out).await?;
        let next = self.mark_if_due(next, now, out);
        Ok(Dispatch { work, next })
    }

    fn plan(&self, _work: &Work) -> Arc<CrawlRules> {
        Arc::clone(&self.plan)
    }

    async fn settle(
        &mut self,
        mut report: PageReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> Result<(), FrontierError> {
        let ticket = std::mem::take(&mut report.ticket);
        if !matches!(self.outstanding.remove(ticket), Some(Work::Page(_))) {
            return Err(not_handed_out(&report.url));
        }
        let now = self.event(Kind::Page, now);
        self.events.number(ticket);
        write_page(&mut self.events, &report);
        self.mark_pending = true;
        self.inner.settle(report, now, out).await
    }

    async fn settle_site_file(
        &mut self,
        mut report: SiteFileReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> Result<(), FrontierError> {
        let site_file = match &report.found {
            SiteFileResult::Robots(site_file, _) => SiteFileTask::Robots(site_file.clone()),
            SiteFileResult::Sitemap(site_file, _) => SiteFileTask::Sitemap(site_file.clone()),
        };
        let ticket = self.outstanding.ticket_of(&site_file);
        let ticket = ticket.ok_or_else(|| not_handed_out(site_file.url()))?;
        self.outstanding.remove(ticket);
        let now = self.event(Kind::SiteFileTask, now);
        self.events.number(ticket);
        write_site_file(&mut self.events, &report);
        if let SiteFileResult::Robots(_, answer @ RobotsFetchResult::Rules(_)) = &mut report.found {
            // The same rules that a replay will parse.
            *answer = RobotsFetchResult::Rules(rules(report.text.as_deref(), &self.plan));
        }
        self.mark_pending = true;
        let before = out.len();
        self.inner.settle_site_file(report, now, out).await?;
        self.note(&out[before..]);
        Ok(())
    }

    fn stop(&mut self, reason: StopReason) {
        if self.ended.is_none() {
            self.stopping.get_or_insert(reason);
        }
    }

    fn close(&mut self, out: &mut Vec<Delivery>) {
        self.mark(self.last, out);
    }

    fn progress_counts(&self) -> ProgressCounts {
        self.inner.progress_counts()
    }

    fn summary(&self, now: Moment) -> Summary {
        let mut summary = self.inner.summary(now);
        if let (Some(reason), false) = (&self.stopping, self.ended.is_some()) {
            summary.stop = reason.clone();
        }
        summary
    }

    fn left(&mut self, each: &mut dyn FnMut(&CrawlUrl)) {
        self.inner.left(each);
        for work in self.outstanding.iter() {
            if let Work::Page(task) = work {
                each(task.reported_url.as_ref().unwrap_or(&task.url));
            }
        }
    }
}
