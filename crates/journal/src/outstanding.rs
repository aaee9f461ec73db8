//! Work that was handed out and has not come back, and what of it has to be handed out again.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crawler_frontier::{Moment, SiteFileTask, Work};

/// Work by its ticket: a number for each piece of work, in the order it was handed out.
#[derive(Debug, Default)]
pub(crate) struct Outstanding {
    work: BTreeMap<u64, Work>,
    last: u64,
    /// Handed out before the crawl was interrupted; no worker has it now.
    again: VecDeque<u64>,
    /// How far two of those are apart, for hosts that asked for it.
    gap: Duration,
    opens: Moment,
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
        self.work.len() > self.again.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Work> {
        self.work.values()
    }

    /// Everything outstanding is to be handed out again, the oldest first. When it was handed out last is not known
    /// here, so the delays that sites asked for apply from now on.
    pub(crate) fn take_back(&mut self, gap: Duration, now: Moment) {
        self.again = self.work.keys().copied().collect();
        self.gap = gap;
        self.opens = now + gap;
    }

    /// What is handed out again now.
    pub(crate) fn hand_out_again(&mut self, most: usize, now: Moment) -> Vec<Work> {
        let mut handed = Vec::new();
        while handed.len() < most && self.opens <= now {
            let Some(ticket) = self.again.pop_front() else {
                break;
            };
            if let Some(work) = self.work.get(&ticket) {
                handed.push(with_ticket(work.clone(), ticket));
                self.opens = now + self.gap;
            }
        }
        handed
    }

    /// Until when nothing may start because of what is handed out again; `None`: new work may start.
    pub(crate) fn holds_until(&self, now: Moment) -> Option<Moment> {
        (!self.again.is_empty() || self.opens > now).then_some(self.opens)
    }
}

fn with_ticket(mut work: Work, ticket: u64) -> Work {
    if let Work::Page(task) = &mut work {
        task.ticket = ticket;
    }
    work
}
