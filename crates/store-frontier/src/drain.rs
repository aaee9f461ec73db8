//! Draining: tasks that were not started are handed back immediately, tasks in flight when the time is up.

use crawler_frontier::Moment;
use crawler_store::TaskOutcome;

use crate::held_task::Stage;
use crate::{FrontierStore, StoreFrontier};

impl<S: FrontierStore> StoreFrontier<S> {
    pub(crate) fn drain(&mut self, now: Moment) {
        let end = *self.drain_until.get_or_insert(now + self.settings.drain);
        self.addresses.clear();
        self.hand_back(Stage::Waiting, now);
        if now >= end {
            self.hand_back(Stage::InFlight, now);
        }
    }

    fn hand_back(&mut self, stage: Stage, now: Moment) {
        let tickets: Vec<u64> = self
            .held
            .iter()
            .filter(|(_, held)| held.stage == stage)
            .map(|(ticket, _)| *ticket)
            .collect();
        for ticket in tickets {
            if stage == Stage::InFlight {
                self.in_flight -= 1;
            }
            self.conclude(ticket, TaskOutcome::HandBack, now);
        }
    }
}
