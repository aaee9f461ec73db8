//! A frontier that records its inputs.
//!
//! A wrapper round [`MemoryFrontier`]: every input is appended to the events and passed on. Marks carry the events to
//! the sink, behind the deliveries that they led to, so that the sink knows what is written already.
//!
//! A stop from outside is no part of the crawl: nothing more is handed out, what is in flight settles as if nothing had
//! happened, and the crawl resumes from there. A limit's stop is the crawl's own.

use std::sync::Arc;
use std::time::Duration;

use crawler_frontier::{
    Delivery, Dispatch, Frontier, FrontierError, MemoryFrontier, Moment, Next, ProgressCounts,
    RobotsAnswer, SiteFileReport, SiteFileResult, SiteFileTask, Work,
};
use crawler_model::{CrawlPlan, CrawlRules, Notice, PageReport, StopReason, Summary};
use crawler_weburl::CrawlUrl;

use crate::codec::{BytesOut, Kind, rules, write_page, write_site_file};
use crate::outstanding::Outstanding;

/// Longest time between two marks.
const MARK_EVERY: Duration = Duration::from_millis(100);
/// Limit on the bytes of events between two marks.
const MAX_UNMARKED: usize = 4 << 20;

/// A [`MemoryFrontier`] whose inputs are recorded.
#[derive(Debug)]
pub struct JournaledFrontier {
    pub(crate) inner: MemoryFrontier,
    pub(crate) plan: Arc<CrawlRules>,
    pub(crate) outstanding: Outstanding,
    /// Not marked yet.
    events: BytesOut,
    /// Whether something among them calls for a mark.
    owed: bool,
    marked: Moment,
    /// The time of the last event; time does not run backwards.
    pub(crate) last: Moment,
    /// The longest delay between requests that is configured or requested.
    pub(crate) pause: Duration,
    stopping: Option<StopReason>,
    /// The crawl's own end.
    pub(crate) ended: Option<StopReason>,
}

impl JournaledFrontier {
    /// A frontier that holds the plan's seed; `rng_seed` as [`MemoryFrontier::new`] takes it.
    pub fn new(plan: &CrawlPlan, rng_seed: u64) -> Self {
        let path_pause = plan.path_delays.iter().map(|gate| gate.delay).max();
        Self {
            inner: MemoryFrontier::new(plan, rng_seed),
            pause: path_pause.unwrap_or_default().max(plan.rate),
            plan: Arc::clone(plan.rules()),
            outstanding: Outstanding::default(),
            events: BytesOut::default(),
            owed: false,
            marked: Moment::ZERO,
            last: Moment::ZERO,
            stopping: None,
            ended: None,
        }
    }

    /// Queues again what was in flight; called after everything was replayed. The crawl's clock resumes here.
    pub fn resume(&mut self) -> Moment {
        self.marked = self.last;
        self.outstanding.take_back(self.pause, self.last);
        self.last
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
        self.owed = false;
        let glance = self.inner.progress_counts();
        self.events.byte(Kind::Check.as_byte());
        for number in numbers(&glance) {
            self.events.number(number);
        }
        out.push(Delivery::Mark(std::mem::take(&mut self.events.0)));
    }

    /// Marks what is due, and makes the loop come back for what is not.
    fn mark_in_time(&mut self, next: Next, now: Moment, out: &mut Vec<Delivery>) -> Next {
        if !self.owed {
            return next;
        }
        let due = self.marked + MARK_EVERY;
        if now >= due || self.events.0.len() >= MAX_UNMARKED {
            self.mark(now, out);
            return next;
        }
        match next {
            Next::Report => Next::Until(due),
            Next::Until(at) => Next::Until(at.min(due)),
            finished @ Next::Finished(_) => finished,
        }
    }

    /// Applies a delay that a site asked for to what is handed out again.
    pub(crate) fn note(&mut self, deliveries: &[Delivery]) {
        for delivery in deliveries {
            if let Delivery::Notice(Notice::CrawlDelay { pause, .. }) = delivery {
                self.pause = self.pause.max(*pause);
            }
        }
    }

    async fn next_turn(
        &mut self,
        most: usize,
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
        let mut work = self.outstanding.hand_out_again(most, now);
        if let Some(opens) = self.outstanding.holds_until(now) {
            let next = if opens > now {
                Next::Until(opens)
            } else {
                // Every worker is busy.
                Next::Report
            };
            return Ok(Dispatch { work, next });
        }
        let most = most - work.len();
        let now = self.event(Kind::Take, now);
        self.events.number(most as u64);
        let before = out.len();
        let turn = self.inner.take(most, now, out).await?;
        self.owed |= !turn.work.is_empty() || out.len() > before;
        work.extend(turn.work.into_iter().map(|work| self.outstanding.add(work)));
        self.note_end(&turn.next);
        let next = turn.next;
        Ok(Dispatch { work, next })
    }

    pub(crate) fn note_end(&mut self, next: &Next) {
        if let Next::Finished(reason) = next {
            self.ended = Some(reason.clone());
        }
    }
}

/// The numbers that tell whether a replay led to the same state.
pub(crate) fn numbers(glance: &ProgressCounts) -> [u64; 5] {
    [
        glance.pages,
        glance.failed,
        glance.queued,
        glance.in_flight,
        glance.bytes,
    ]
}

fn unknown(what: &CrawlUrl) -> FrontierError {
    FrontierError(format!("a report about {what}, which nobody was asked for"))
}

impl Frontier for JournaledFrontier {
    async fn take(
        &mut self,
        most: usize,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> Result<Dispatch, FrontierError> {
        let Dispatch { work, next } = self.next_turn(most, now, out).await?;
        let next = self.mark_in_time(next, now, out);
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
            return Err(unknown(&report.url));
        }
        let now = self.event(Kind::Page, now);
        self.events.number(ticket);
        write_page(&mut self.events, &report);
        self.owed = true;
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
        let ticket = ticket.ok_or_else(|| unknown(site_file.url()))?;
        self.outstanding.remove(ticket);
        let now = self.event(Kind::SiteFileTask, now);
        self.events.number(ticket);
        write_site_file(&mut self.events, &report);
        if let SiteFileResult::Robots(_, answer @ RobotsAnswer::Rules(_)) = &mut report.found {
            // What a replay will read.
            *answer = RobotsAnswer::Rules(rules(report.text.as_deref(), &self.plan));
        }
        self.owed = true;
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
                each(task.first_met.as_ref().unwrap_or(&task.url));
            }
        }
    }
}
