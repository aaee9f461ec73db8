//! Tabs of the browser, given to owners in turn.
//!
//! A tab is held for as long as a page takes, so a queue in order of arrival would give all of them to the owner with the most
//! requests. A tab that becomes free goes to the waiting owner that holds the fewest, then to the one that was served longest ago.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use crawler_model::lock;
use tokio::sync::oneshot;

/// Gives a number of tabs to owners in turn.
#[derive(Debug)]
pub(crate) struct TabQueue {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    free: usize,
    /// In order of arrival. Nobody waits while a tab is free.
    waiting: VecDeque<Waiting>,
    owners: HashMap<u64, OwnerTabs>,
    served: u64,
}

#[derive(Debug)]
struct Waiting {
    owner: u64,
    sender: oneshot::Sender<TabTurn>,
}

#[derive(Clone, Copy, Default, Debug)]
struct OwnerTabs {
    held: usize,
    /// When it was served last, in turns of all owners.
    served: u64,
}

/// Permission to use a tab, given back on drop.
#[derive(Debug)]
pub(crate) struct TabTurn {
    owner: u64,
    state: Option<Arc<Mutex<State>>>,
}

impl TabQueue {
    pub(crate) fn new(tabs: usize) -> Self {
        let state = State {
            free: tabs,
            waiting: VecDeque::new(),
            owners: HashMap::new(),
            served: 0,
        };
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Number of tabs that nobody holds.
    pub(crate) fn free(&self) -> usize {
        lock(&self.state).free
    }

    /// Waits for a tab, as long as it takes.
    pub(crate) async fn turn(&self, owner: u64) -> TabTurn {
        let waiting = {
            let mut state = lock(&self.state);
            if state.free > 0 {
                state.free -= 1;
                state.give(owner);
                return self.turn_of(owner);
            }
            let (sender, turn) = oneshot::channel();
            state.waiting.push_back(Waiting { owner, sender });
            turn
        };
        match waiting.await {
            Ok(turn) => turn,
            // Not reached: the sender is dropped only after it was used, or if nobody waits.
            Err(_) => std::future::pending().await,
        }
    }

    fn turn_of(&self, owner: u64) -> TabTurn {
        TabTurn {
            owner,
            state: Some(Arc::clone(&self.state)),
        }
    }
}

impl State {
    /// Records that an owner holds another tab.
    fn give(&mut self, owner: u64) {
        self.served += 1;
        let tabs = self.owners.entry(owner).or_default();
        tabs.held += 1;
        tabs.served = self.served;
    }

    /// Takes back a tab; returns who gets it.
    fn take_back(&mut self, owner: u64) -> Option<Waiting> {
        if let Some(tabs) = self.owners.get_mut(&owner) {
            tabs.held = tabs.held.saturating_sub(1);
        }
        self.waiting.retain(|waiting| !waiting.sender.is_closed());
        let standing = |waiting: &Waiting| {
            let tabs = self.owners.get(&waiting.owner).copied();
            let tabs = tabs.unwrap_or_default();
            (tabs.held, tabs.served)
        };
        let waiting = self.waiting.iter().enumerate();
        let next = waiting.min_by_key(|(_, waiting)| standing(waiting));
        let next = next
            .map(|(at, _)| at)
            .and_then(|at| self.waiting.remove(at));
        match &next {
            Some(waiting) => self.give(waiting.owner),
            None => self.free += 1,
        }
        if self.waiting.is_empty() {
            // Turns matter only while somebody waits.
            self.owners.retain(|_, tabs| tabs.held > 0);
        }
        next
    }
}

impl Drop for TabTurn {
    fn drop(&mut self) {
        let mut owner = self.owner;
        let Some(state) = self.state.take() else {
            return;
        };
        loop {
            let next = lock(&state).take_back(owner);
            let Some(next) = next else { return };
            let turn = Self {
                owner: next.owner,
                state: Some(Arc::clone(&state)),
            };
            let Err(mut unsent) = next.sender.send(turn) else {
                return;
            };
            // It no longer waits. Its turn is taken back here, not by its own drop.
            unsent.state = None;
            owner = unsent.owner;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn owners_take_turns_whatever_the_number_of_their_requests() {
        let tabs = TabQueue::new(1);
        let held = tabs.turn(1).await;
        let mut requests: Vec<_> = (0..10)
            .map(|_| 1)
            .chain([2, 2, 3])
            .map(|owner| Box::pin(tabs.turn(owner)))
            .collect();
        for request in &mut requests {
            assert!(request.as_mut().now_or_never().is_none());
        }
        drop(held);
        let mut order = Vec::new();
        while !requests.is_empty() {
            let mut turns = requests.iter_mut().enumerate();
            let (at, turn) = turns
                .find_map(|(at, request)| Some((at, request.as_mut().now_or_never()?)))
                .expect("somebody has the tab");
            order.push(turn.owner);
            drop(requests.remove(at));
        }
        assert_eq!(order[..6], [2, 3, 1, 2, 1, 1]);
        assert_eq!(tabs.free(), 1);
    }

    #[tokio::test]
    async fn a_free_tab_goes_to_who_holds_the_fewest() {
        let tabs = TabQueue::new(3);
        let mut held = Vec::new();
        for owner in [1, 1, 1] {
            held.push(tabs.turn(owner).await);
        }
        let (mut one, mut two) = (pin!(tabs.turn(1)), pin!(tabs.turn(2)));
        assert!(one.as_mut().now_or_never().is_none());
        assert!(two.as_mut().now_or_never().is_none());
        held.pop();
        assert!(one.as_mut().now_or_never().is_none());
        assert!(two.now_or_never().is_some());
        assert!(one.now_or_never().is_some());
    }

    #[tokio::test]
    async fn who_no_longer_waits_is_passed_over() {
        let tabs = TabQueue::new(1);
        let held = tabs.turn(1).await;
        let mut gone = Box::pin(tabs.turn(2));
        let mut waiting = pin!(tabs.turn(3));
        assert!(gone.as_mut().now_or_never().is_none());
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(held);
        // It has its turn, and does not take it.
        drop(gone);
        assert!(waiting.now_or_never().is_some());
        assert_eq!(tabs.free(), 1);
        assert!(lock(&tabs.state).owners.is_empty());
    }
}
