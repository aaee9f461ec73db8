//! Work that was handed out and not settled, and what must be handed out again after a resume.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crawler_frontier::{Moment, SiteFileTask, Work};
use crawler_model::Task;

/// Work by its ticket: a number for each piece of work, in the order it was handed out.
#[derive(Debug, Default)]
pub(crate) struct Outstanding {
    work: BTreeMap<u64, Work>,
    last: u64,
    /// Tickets handed out before the crawl was interrupted; no worker has them now.
    interrupted: VecDeque<u64>,
    /// Minimum time between two of those, for crawl delays.
    gap: Duration,
    next_start: Moment,
}

impl Outstanding {
    /// Records a piece of work; the worker's copy carries its ticket.
    pub(crate) fn add(&mut self, work: Work) -> Work {
        self.last += 1;
        self.work.insert(self.last, work.clone());
        with_ticket(work, self.last)
    }

    pub(crate) fn remove(&mut self, ticket: u64) -> Option<Work> {
        self.work.remove(&ticket)
    }

    /// The ticket of a site-file task, which need not carry it.
    pub(crate) fn ticket_of(&self, site_file: &SiteFileTask) -> Option<u64> {
        let same = |work: &Work| matches!(work, Work::SiteFile(out) if out == site_file);
        self.work
            .iter()
            .find(|(_, work)| same(work))
            .map(|(ticket, _)| *ticket)
    }

    /// Whether any worker has work.
    pub(crate) fn is_busy(&self) -> bool {
        self.work.len() > self.interrupted.len()
    }

    /// Removes the pages for which `is_removed` is true.
    pub(crate) fn remove_pages(&mut self, mut is_removed: impl FnMut(&Task) -> bool) -> Vec<Task> {
        let mut removed = Vec::new();
        self.work.retain(|_, work| match work {
            Work::Page(task) if is_removed(task) => {
                removed.push(task.clone());
                false
            }
            _ => true,
        });
        removed
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Work> {
        self.work.values()
    }

    /// Marks all outstanding work to be handed out again, oldest first. When it was last handed out is not known,
    /// so crawl delays apply from `now` on.
    pub(crate) fn requeue_all(&mut self, gap: Duration, now: Moment) {
        self.interrupted = self.work.keys().copied().collect();
        self.gap = gap;
        self.next_start = now + gap;
    }

    /// When the last of the outstanding work would be handed out again, at the latest.
    pub(crate) fn end_of_gaps(&self, gap: Duration, now: Moment) -> Moment {
        let gaps = u32::try_from(self.work.len()).unwrap_or(u32::MAX);
        now.saturating_add(gap.saturating_mul(gaps.saturating_add(1)))
    }

    /// Hands out interrupted work.
    pub(crate) fn hand_out_again(&mut self, max: usize, now: Moment) -> Vec<Work> {
        let mut handed = Vec::new();
        while handed.len() < max && self.next_start <= now {
            let Some(ticket) = self.interrupted.pop_front() else {
                break;
            };
            if let Some(work) = self.work.get(&ticket) {
                handed.push(with_ticket(work.clone(), ticket));
                self.next_start = now + self.gap;
            }
        }
        handed
    }

    /// The time until which interrupted work blocks new work; `None` if new work may start.
    pub(crate) fn blocked_until(&self, now: Moment) -> Option<Moment> {
        (!self.interrupted.is_empty() || self.next_start > now).then_some(self.next_start)
    }
}

fn with_ticket(mut work: Work, ticket: u64) -> Work {
    if let Work::Page(task) = &mut work {
        task.ticket = ticket;
    }
    work
}
