//! One origin's queue and robots.txt.

use std::collections::{BTreeMap, VecDeque};

use crawler_model::site_rules::MAX_HOST_PAUSE;
use crawler_model::{CrawlRules, RobotsPolicy, Task};
use crawler_sitefiles::{KnownRobots, RobotsPermission};
use crawler_weburl::Origin;

use crate::frontier::Moment;
use crate::packed_queue::PackedQueue;

/// State of an origin's robots.txt.
#[derive(Debug)]
pub(crate) enum RobotsState {
    /// Not requested yet.
    Unknown,
    /// In flight, or waiting for a retry; what was known before.
    Requested(Option<KnownRobots>),
    /// Fetched, or given up.
    Known(KnownRobots),
}

/// Whether a task was handed out before: then it already counts toward the maximum number of pages.
pub(crate) fn was_started(task: &Task) -> bool {
    task.attempt > 0 || task.reported_url.is_some()
}

/// Queues by level, lowest first.
type Levels<Q> = BTreeMap<u32, Q>;

/// One origin.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) origin: Origin,
    pub(crate) host: usize,
    pub(crate) robots: RobotsState,
    /// Listed among the sites that have something to start.
    pub(crate) listed: bool,
    fresh: Levels<PackedQueue>,
    /// Tasks that were handed out before: they already count toward the maximum number of pages and are started
    /// first.
    started: Levels<VecDeque<Task>>,
}

impl Site {
    pub(crate) fn new(origin: Origin, host: usize, robots: RobotsState) -> Self {
        Self {
            origin,
            host,
            robots,
            listed: false,
            fresh: Levels::new(),
            started: Levels::new(),
        }
    }

    /// `level` orders the queue: the depth when depth is limited, else the same for nearly all.
    pub(crate) fn push(&mut self, level: u32, task: Task) {
        if was_started(&task) {
            self.started.entry(level).or_default().push_back(task);
        } else {
            self.fresh.entry(level).or_default().push(&task);
        }
    }

    /// Whether its robots.txt has to be fetched before its next page; `now` includes the time between runs.
    pub(crate) fn needs_robots(&self, now: Moment) -> bool {
        match &self.robots {
            RobotsState::Unknown => true,
            RobotsState::Requested(_) => false,
            RobotsState::Known(known) => known.is_expired(now),
        }
    }

    /// Whether all its pages are settled without a request, so that they need not wait for their host.
    pub(crate) fn blocks_all(&self, plan: &CrawlRules) -> bool {
        match &self.robots {
            RobotsState::Known(known) => {
                plan.robots == RobotsPolicy::Respect && known.file().blocks_all(plan.robots_errors)
            }
            _ => false,
        }
    }

    /// Whether its robots.txt, which is known, permits a task.
    pub(crate) fn permission(&self, task: &Task, plan: &CrawlRules) -> RobotsPermission {
        match (&self.robots, plan.robots) {
            (RobotsState::Known(known), RobotsPolicy::Respect) => known.file().permission(
                task.url.parts().path_and_query(),
                plan.robots_errors,
                plan.crawl_delay,
                MAX_HOST_PAUSE,
            ),
            _ => RobotsPermission::Allowed,
        }
    }

    /// Whether its pages wait for its robots.txt.
    pub(crate) fn awaits_robots(&self) -> bool {
        matches!(self.robots, RobotsState::Requested(_))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.started.is_empty()
    }

    /// Whether a task of this level may start: one that was started before or, with `fresh`, any.
    pub(crate) fn may_start(&self, lowest: Option<u32>, fresh: bool) -> bool {
        is_due(&self.started, lowest) || (fresh && is_due(&self.fresh, lowest))
    }

    pub(crate) fn pop(&mut self, lowest: Option<u32>, fresh: bool) -> Option<Task> {
        if is_due(&self.started, lowest) {
            pop_first(&mut self.started, VecDeque::pop_front, VecDeque::is_empty)
        } else if fresh && is_due(&self.fresh, lowest) {
            let origin = self.origin.as_str();
            pop_first(
                &mut self.fresh,
                |queue| queue.pop(origin),
                PackedQueue::is_empty,
            )
        } else {
            None
        }
    }

    /// Every queued task.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = Task> {
        let fresh = |queue| PackedQueue::tasks(queue, self.origin.as_str());
        let started = self.started.values().flatten().cloned();
        started.chain(self.fresh.values().flat_map(fresh))
    }
}

/// Whether the lowest level is one that may start. A level exists only while something is queued in it.
fn is_due<Q>(levels: &Levels<Q>, lowest: Option<u32>) -> bool {
    levels
        .first_key_value()
        .is_some_and(|(level, _)| lowest.is_none_or(|lowest| *level <= lowest))
}

fn pop_first<Q>(
    levels: &mut Levels<Q>,
    pop: impl FnOnce(&mut Q) -> Option<Task>,
    is_empty: impl FnOnce(&Q) -> bool,
) -> Option<Task> {
    let mut first = levels.first_entry()?;
    let task = pop(first.get_mut());
    if is_empty(first.get()) {
        first.remove();
    }
    task
}
