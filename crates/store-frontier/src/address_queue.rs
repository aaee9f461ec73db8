//! Requests that wait for a turn of their address.
//!
//! Several names of one machine share one limit, so many requests may wait for it, and long. They wait here, not in a page worker.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::Arc;

use crawler_frontier::{Moment, Work};
use crawler_weburl::CrawlUrl;

use crate::pick::max_lateness;

/// Waits for the turn of a request; `None`: it needs none after all.
pub type AddressTurn = Pin<Box<dyn Future<Output = Option<AddressSlot>> + Send>>;
/// Returns the turn that a request to a URL has to wait for; `None` if it needs none. It is called once for each request.
pub type AddressTurns = Arc<dyn Fn(&CrawlUrl) -> Option<AddressTurn> + Send + Sync>;

/// A request slot of an address, freed on drop.
#[derive(Debug)]
pub struct AddressSlot(
    #[expect(dead_code, reason = "held until it is dropped")] Box<dyn Any + Send>,
);

impl AddressSlot {
    /// Wraps what frees the slot when it is dropped.
    pub fn new(slot: impl Any + Send) -> Self {
        Self(Box::new(slot))
    }
}

/// Work whose turn has come, or passed.
#[derive(Debug)]
pub(crate) struct AddressedWork {
    pub(crate) work: Work,
    /// Number of turns that passed unused.
    pub(crate) missed: u32,
    /// The turn: its slot, and when it was given.
    turn: Option<(Option<AddressSlot>, Moment)>,
}

/// What a turn is worth when there is a place for its work.
#[derive(Debug)]
pub(crate) enum TakenTurn {
    /// The work may start, with this slot if its address has slots.
    Start(Option<AddressSlot>),
    /// It needs another turn.
    Passed,
}

impl AddressedWork {
    /// Takes the turn, unless it has passed: the next request may already be under way.
    pub(crate) fn take_turn(&mut self, now: Moment) -> TakenTurn {
        match self.turn.take() {
            Some((slot, at)) if now <= at + max_lateness(self.missed) => TakenTurn::Start(slot),
            Some(_) => {
                self.missed += 1;
                TakenTurn::Passed
            }
            None => TakenTurn::Passed,
        }
    }

    /// Gives up its turn, because there is no place for it.
    pub(crate) fn give_up_turn(&mut self) {
        self.missed += u32::from(self.turn.take().is_some());
    }
}

/// Work that waits for turns of addresses.
#[derive(Debug, Default)]
pub(crate) struct AddressQueue {
    last_id: u64,
    waiting: HashMap<u64, (Work, u32)>,
    due: VecDeque<AddressedWork>,
}

impl AddressQueue {
    /// Lets work wait; returns the number that its turn is reported with.
    pub(crate) fn wait(&mut self, work: Work, missed: u32) -> u64 {
        self.last_id += 1;
        self.waiting.insert(self.last_id, (work, missed));
        self.last_id
    }

    /// Takes in a turn.
    pub(crate) fn note(&mut self, id: u64, slot: Option<AddressSlot>, now: Moment) {
        if let Some((work, missed)) = self.waiting.remove(&id) {
            self.due.push_back(AddressedWork {
                work,
                missed,
                turn: Some((slot, now)),
            });
        }
    }

    /// The work that may start, or ask for another turn.
    pub(crate) fn take_due(&mut self) -> VecDeque<AddressedWork> {
        std::mem::take(&mut self.due)
    }

    /// Keeps work that could not start.
    pub(crate) fn keep(&mut self, work: AddressedWork) {
        self.due.push_back(work);
    }

    /// The work that may start.
    pub(crate) fn due(&self) -> impl Iterator<Item = &Work> {
        self.due.iter().map(|one| &one.work)
    }

    /// Drops all work.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
        self.due.clear();
    }
}
