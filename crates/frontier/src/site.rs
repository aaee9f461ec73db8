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

/// May a URL be fetched?
#[derive(Debug)]
pub(crate) enum Permission {
    Granted,
    Skip(SkipReason),
    Fail(Failure),
}

/// One origin.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) origin: Origin,
    pub(crate) host: usize,
    pub(crate) robots: RobotsState,
    queue: BTreeMap<u32, VecDeque<Task>>,
}

impl Site {
    pub(crate) fn new(origin: Origin, host: usize, robots: RobotsState) -> Self {
        Self {
            origin,
            host,
            robots,
            queue: BTreeMap::new(),
        }
    }

    /// `level` orders the queue: the depth when depth is limited, else 0.
    pub(crate) fn push_back(&mut self, level: u32, task: Task) {
        self.queue.entry(level).or_default().push_back(task);
    }

    /// For what was begun already: it goes first.
    pub(crate) fn push_front(&mut self, level: u32, task: Task) {
        self.queue.entry(level).or_default().push_front(task);
    }

    pub(crate) fn peek(&self) -> Option<(u32, &Task)> {
        let (level, tasks) = self.queue.first_key_value()?;
        tasks.front().map(|task| (*level, task))
    }

    pub(crate) fn pop(&mut self) -> Option<Task> {
        let mut first = self.queue.first_entry()?;
        let task = first.get_mut().pop_front();
        if first.get().is_empty() {
            first.remove();
        }
        task
    }

    pub(crate) fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.queue.values().flatten()
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
