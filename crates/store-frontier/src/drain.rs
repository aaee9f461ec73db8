//! The way out: what was not begun is handed back at once, what is in flight when the time is up.

use frontier::Moment;
use store::{Store, Verdict};

use crate::StoreFrontier;
use crate::held::Stage;

impl<S: Store> StoreFrontier<S> {
    pub(crate) fn drain(&mut self, now: Moment) {
        let end = *self.drain_until.get_or_insert(now + self.settings.drain);
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
            self.conclude(ticket, Verdict::HandBack, now);
        }
    }
}
