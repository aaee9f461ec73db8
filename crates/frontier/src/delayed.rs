//! Work that waits for a point in time. A waiting retry holds no worker.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::frontier::{Moment, Work};

#[derive(Debug)]
struct Waiting {
    due: Moment,
    order: u64,
    work: Work,
}

/// Waiting work, soonest first; ties in insertion order.
#[derive(Debug, Default)]
pub(crate) struct Delayed {
    heap: BinaryHeap<Waiting>,
    order: u64,
}

impl Delayed {
    pub(crate) fn push(&mut self, due: Moment, work: Work) {
        self.order += 1;
        self.heap.push(Waiting {
            due,
            order: self.order,
            work,
        });
    }

    pub(crate) fn next_due(&self) -> Option<Moment> {
        self.heap.peek().map(|waiting| waiting.due)
    }

    pub(crate) fn pop_due(&mut self, now: Moment) -> Option<Work> {
        if self.next_due()? > now {
            return None;
        }
        self.heap.pop().map(|waiting| waiting.work)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Work> {
        self.heap.iter().map(|waiting| &waiting.work)
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.due, other.order).cmp(&(self.due, self.order))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}
