//! Extra delays below a path.
//!
//! A task whose gate is closed waits in the gate's own queue, so that it holds up nobody else.

use std::collections::VecDeque;

use model::{PathDelay, Task};

use crate::frontier::Moment;

#[derive(Debug)]
struct Gate {
    rule: PathDelay,
    next_start: Moment,
    waiting: VecDeque<(usize, Task)>,
}

/// The gates of a plan, longest prefix first.
#[derive(Debug)]
pub(crate) struct PathGates {
    gates: Vec<Gate>,
}

impl PathGates {
    pub(crate) fn new(rules: &[PathDelay]) -> Self {
        let mut gates: Vec<Gate> = rules
            .iter()
            .map(|rule| Gate {
                rule: rule.clone(),
                next_start: Moment::ZERO,
                waiting: VecDeque::new(),
            })
            .collect();
        gates.sort_by_key(|gate| std::cmp::Reverse(gate.rule.prefix.len()));
        Self { gates }
    }

    /// The gate a path goes through.
    pub(crate) fn of(&self, path: &str) -> Option<usize> {
        self.gates
            .iter()
            .position(|gate| path.starts_with(gate.rule.prefix.as_str()))
    }

    /// Whether a newcomer may pass: the gate is open and nobody waits before it.
    pub(crate) fn is_open(&self, gate: usize, now: Moment) -> bool {
        self.gates[gate].next_start <= now && self.gates[gate].waiting.is_empty()
    }

    pub(crate) fn wait(&mut self, gate: usize, site: usize, task: Task) {
        self.gates[gate].waiting.push_back((site, task));
    }

    pub(crate) fn start(&mut self, gate: usize, now: Moment) {
        let gate = &mut self.gates[gate];
        gate.next_start = now + gate.rule.delay;
    }

    /// A waiting task whose gate is open and whose site `may` start it.
    pub(crate) fn pop_open(
        &mut self,
        now: Moment,
        may: impl Fn(usize, &Task) -> bool,
    ) -> Option<(usize, Task)> {
        self.gates
            .iter_mut()
            .filter(|gate| gate.next_start <= now)
            .find(|gate| {
                gate.waiting
                    .front()
                    .is_some_and(|(site, task)| may(*site, task))
            })
            .and_then(|gate| gate.waiting.pop_front())
    }

    /// When, for each gate somebody waits at, it opens; with the first in line and its site.
    pub(crate) fn openings(&self) -> impl Iterator<Item = (usize, &Task, Moment)> {
        self.gates.iter().filter_map(|gate| {
            gate.waiting
                .front()
                .map(|(site, task)| (*site, task, gate.next_start))
        })
    }

    pub(crate) fn tasks(&self) -> impl Iterator<Item = &(usize, Task)> {
        self.gates.iter().flat_map(|gate| &gate.waiting)
    }
}
