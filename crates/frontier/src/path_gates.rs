//! Extra delays below a path.
//!
//! A task whose gate is closed waits at the gate, in a queue of its own site, so that it holds up neither
//! other paths nor other sites.

use std::collections::{BTreeMap, VecDeque};

use crawler_model::{PathDelay, Task};

use crate::frontier::Moment;
use crate::site::was_started;

#[derive(Debug)]
struct Gate {
    rule: PathDelay,
    next_start: Moment,
    queues: BTreeMap<usize, VecDeque<Task>>,
}

/// The gates of a plan, longest prefix first.
#[derive(Debug)]
pub(crate) struct PathGates {
    gates: Vec<Gate>,
}

impl PathGates {
    pub(crate) fn new(rules: &[PathDelay]) -> Self {
        let gate = |rule: &PathDelay| Gate {
            rule: rule.clone(),
            next_start: Moment::ZERO,
            queues: BTreeMap::new(),
        };
        let mut gates: Vec<Gate> = rules.iter().map(gate).collect();
        gates.sort_by_key(|gate| std::cmp::Reverse(gate.rule.prefix.len()));
        Self { gates }
    }

    /// The gate of a path.
    pub(crate) fn of(&self, path: &str) -> Option<usize> {
        self.gates
            .iter()
            .position(|gate| path.starts_with(gate.rule.prefix.as_str()))
    }

    /// Whether a new task of a site may pass: the gate is open and no task of the site waits for it.
    pub(crate) fn is_open(&self, gate: usize, site: usize, now: Moment) -> bool {
        let gate = &self.gates[gate];
        gate.next_start <= now && !gate.queues.contains_key(&site)
    }

    /// Queues a task; one that was started before is queued first.
    pub(crate) fn wait(&mut self, gate: usize, site: usize, task: Task) {
        let queue = self.gates[gate].queues.entry(site).or_default();
        if was_started(&task) {
            queue.push_front(task);
        } else {
            queue.push_back(task);
        }
    }

    pub(crate) fn start(&mut self, gate: usize, now: Moment) {
        let gate = &mut self.gates[gate];
        gate.next_start = now + gate.rule.delay;
    }

    /// Removes a waiting task whose gate is open and for which `may_start` is true.
    pub(crate) fn pop_open(
        &mut self,
        now: Moment,
        may_start: impl Fn(usize, &Task) -> bool,
    ) -> Option<(usize, Task)> {
        for gate in self.gates.iter_mut().filter(|gate| gate.next_start <= now) {
            let ready = gate
                .queues
                .iter()
                .find(|(site, queue)| queue.front().is_some_and(|task| may_start(**site, task)))
                .map(|(site, _)| *site);
            let Some(site) = ready else { continue };
            let queue = gate.queues.get_mut(&site)?;
            let task = queue.pop_front()?;
            if queue.is_empty() {
                gate.queues.remove(&site);
            }
            return Some((site, task));
        }
        None
    }

    /// The first task of each queue, with its site and when its gate opens.
    pub(crate) fn openings(&self) -> impl Iterator<Item = (usize, &Task, Moment)> {
        self.gates.iter().flat_map(|gate| {
            gate.queues
                .iter()
                .filter_map(|(site, queue)| Some((*site, queue.front()?, gate.next_start)))
        })
    }

    pub(crate) fn tasks(&self) -> impl Iterator<Item = (usize, &Task)> {
        self.gates
            .iter()
            .flat_map(|gate| &gate.queues)
            .flat_map(|(site, queue)| queue.iter().map(move |task| (*site, task)))
    }
}
