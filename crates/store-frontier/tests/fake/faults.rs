//! Faults between a worker and its store: slow calls, failed calls, lost responses, outages.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_store::{CallWrapper, StoreError, StoreResult};
use tokio::time::{Instant, sleep};

use crate::world::Dice;

/// Delay of a response that never arrives; longer than any timeout.
const NEVER: Duration = Duration::from_hours(10);

/// How often calls fail: one in this many; 0 is never.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Odds {
    /// The call fails and nothing is done.
    pub(crate) refused: u64,
    /// The call is carried out, and its response is lost.
    pub(crate) lost: u64,
    /// A lookup of a robots.txt succeeds; 0 is always.
    pub(crate) lookups: u64,
    /// Longest time a call takes, in milliseconds.
    pub(crate) slowest: u64,
}

/// Wraps the calls to a store.
#[derive(Clone)]
pub(crate) struct Faults(Arc<Mutex<State>>);

struct State {
    dice: Dice,
    odds: Odds,
    outages: Vec<Outage>,
    lost: u32,
}

/// A time in which the store does not work.
struct Outage {
    begin: Instant,
    end: Instant,
    /// Calls are not refused, but never answered.
    hangs: bool,
}

enum Fault {
    None,
    Refused,
    Hangs,
    Lost { hangs: bool },
}

impl Faults {
    pub(crate) fn new(seed: u64, odds: Odds) -> Self {
        Self(Arc::new(Mutex::new(State {
            dice: Dice(seed ^ 0x0f_a017),
            odds,
            outages: Vec::new(),
            lost: 0,
        })))
    }

    /// Makes the store unreachable for a while.
    pub(crate) fn outage(&self, after: Duration, length: Duration) {
        self.add_outage(after, length, false);
    }

    /// Makes the store answer no call for a while.
    pub(crate) fn hang(&self, after: Duration, length: Duration) {
        self.add_outage(after, length, true);
    }

    fn add_outage(&self, after: Duration, length: Duration, hangs: bool) {
        let begin = Instant::now() + after;
        let end = begin + length;
        let mut state = self.0.lock().unwrap();
        state.outages.push(Outage { begin, end, hangs });
    }

    /// Responses that were lost so far.
    pub(crate) fn lost(&self) -> u32 {
        self.0.lock().unwrap().lost
    }

    fn next(&self, verb: &str) -> (Duration, Fault) {
        let mut state = self.0.lock().unwrap();
        let now = Instant::now();
        let mut outages = state.outages.iter();
        let outage = outages.find(|outage| (outage.begin..outage.end).contains(&now));
        let (out, hangs) = (outage.is_some(), outage.is_some_and(|outage| outage.hangs));
        let State { dice, odds, .. } = &mut *state;
        let takes = Duration::from_millis(dice.below(odds.slowest + 1));
        let fault = if hangs {
            Fault::Hangs
        } else if out
            || odds.refused > 0 && dice.one_in(odds.refused)
            || verb == "robots" && odds.lookups > 0 && !dice.one_in(odds.lookups)
        {
            Fault::Refused
        } else if odds.lost > 0 && dice.one_in(odds.lost) {
            let hangs = dice.one_in(2);
            state.lost += 1;
            Fault::Lost { hangs }
        } else {
            Fault::None
        };
        (takes, fault)
    }
}

impl CallWrapper for Faults {
    async fn call<T: Send>(
        &self,
        verb: &'static str,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        let (takes, fault) = self.next(verb);
        let unavailable = || Err(StoreError::Unavailable(format!("{verb}: injected")));
        sleep(takes).await;
        match fault {
            Fault::None => call.await,
            Fault::Refused => unavailable(),
            Fault::Hangs => {
                sleep(NEVER).await;
                unavailable()
            }
            Fault::Lost { hangs } => {
                let _ = call.await;
                if hangs {
                    sleep(NEVER).await;
                }
                unavailable()
            }
        }
    }
}
