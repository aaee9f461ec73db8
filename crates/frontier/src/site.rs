//! One origin's queue and what its robots.txt says.

use std::collections::{BTreeMap, VecDeque};

use model::{Failure, SkipReason, Task};
use sitefiles::{Robots, RobotsVerdict};
use weburl::Origin;

/// What is known of an origin's robots.txt.
#[derive(Debug)]
pub(crate) enum RobotsState {
    /// Not asked yet.
    Unknown,
    /// Being asked, or waiting to be asked again.
    Asked,
    /// Rules to obey.
    Rules(Robots),
    /// A server error: nothing there is fetched.
    Unavailable(Failure),
    /// The origin cannot be reached.
    Unreachable(Failure),
}

/// Whether a task was with a worker before: then it has its place in `--max-pages` already.
pub(crate) fn was_begun(task: &Task) -> bool {
    task.attempt > 0 || task.first_met.is_some()
}

/// May a URL be fetched?
#[derive(Debug)]
pub(crate) enum Permission {
    Granted,
    Skip(SkipReason),
    Fail(Failure),
}

/// Tasks by level, lowest first.
#[derive(Debug, Default)]
struct Levels(BTreeMap<u32, VecDeque<Task>>);

impl Levels {
    fn push(&mut self, level: u32, task: Task) {
        self.0.entry(level).or_default().push_back(task);
    }

    fn peek(&self) -> Option<(u32, &Task)> {
        let (level, tasks) = self.0.first_key_value()?;
        tasks.front().map(|task| (*level, task))
    }

    fn pop(&mut self) -> Option<Task> {
        let mut first = self.0.first_entry()?;
        let task = first.get_mut().pop_front();
        if first.get().is_empty() {
            first.remove();
        }
        task
    }
}

/// One origin.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) origin: Origin,
    pub(crate) host: usize,
    pub(crate) robots: RobotsState,
    /// Listed among the sites that have something to start.
    pub(crate) listed: bool,
    fresh: Levels,
    /// With a worker before: these have their place in `--max-pages` and go first.
    begun: Levels,
}

impl Site {
    pub(crate) fn new(origin: Origin, host: usize, robots: RobotsState) -> Self {
        Self {
            origin,
            host,
            robots,
            listed: false,
            fresh: Levels::default(),
            begun: Levels::default(),
        }
    }

    /// `level` orders the queue: the depth when depth is limited, else 0.
    pub(crate) fn push(&mut self, level: u32, task: Task) {
        let queue = if was_begun(&task) {
            &mut self.begun
        } else {
            &mut self.fresh
        };
        queue.push(level, task);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.fresh.0.is_empty() && self.begun.0.is_empty()
    }

    /// Whether something here may start at this level: what was begun before, or, with `fresh`, anything.
    pub(crate) fn may_start(&self, lowest: Option<u32>, fresh: bool) -> bool {
        Self::is_due(&self.begun, lowest) || (fresh && Self::is_due(&self.fresh, lowest))
    }

    pub(crate) fn pop(&mut self, lowest: Option<u32>, fresh: bool) -> Option<Task> {
        if Self::is_due(&self.begun, lowest) {
            self.begun.pop()
        } else if fresh && Self::is_due(&self.fresh, lowest) {
            self.fresh.pop()
        } else {
            None
        }
    }

    fn is_due(levels: &Levels, lowest: Option<u32>) -> bool {
        levels
            .peek()
            .is_some_and(|(level, _)| lowest.is_none_or(|lowest| level <= lowest))
    }

    pub(crate) fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.begun.0.values().chain(self.fresh.0.values()).flatten()
    }

    pub(crate) fn permission(&self, path_and_query: &str) -> Permission {
        match &self.robots {
            RobotsState::Rules(rules) => match rules.verdict(path_and_query) {
                RobotsVerdict::DisallowedBy(rule) => Permission::Skip(SkipReason::Robots {
                    rule: rule.to_owned(),
                }),
                _ => Permission::Granted,
            },
            RobotsState::Unavailable(failure) => Permission::Skip(SkipReason::RobotsUnavailable {
                words: failure.words.clone(),
            }),
            RobotsState::Unreachable(failure) => Permission::Fail(failure.clone()),
            RobotsState::Unknown | RobotsState::Asked => Permission::Granted,
        }
    }
}
