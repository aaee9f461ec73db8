//! Extra delays below a path.
//!
//! A task whose gate is closed waits at the gate, in a queue of its own site, so that it holds up neither
//! other paths nor other sites.

use std::collections::{BTreeMap, VecDeque};

use crawler_model::{PathDelay, Task};

use crate::frontier::Moment;
use crate::site::was_begun;

#[derive(Debug)]
struct Gate {
    rule: PathDelay,
    next_start: Moment,
    lines: BTreeMap<usize, VecDeque<Task>>,
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
            lines: BTreeMap::new(),
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
        gate.next_start <= now && !gate.lines.contains_key(&site)
    }

    /// Queues a task; one that was started before goes to the front.
    pub(crate) fn wait(&mut self, gate: usize, site: usize, task: Task) {
        let line = self.gates[gate].lines.entry(site).or_default();
        if was_begun(&task) {
            line.push_front(task);
        } else {
            line.push_back(task);
        }
    }

    pub(crate) fn start(&mut self, gate: usize, now: Moment) {
        let gate = &mut self.gates[gate];
        gate.next_start = now + gate.rule.delay;
    }

    /// A waiting task whose gate is open and that `may` start.
    pub(crate) fn pop_open(
        &mut self,
        now: Moment,
        may: impl Fn(usize, &Task) -> bool,
    ) -> Option<(usize, Task)> {
        for gate in self.gates.iter_mut().filter(|gate| gate.next_start <= now) {
            let ready = gate
                .lines
                .iter()
                .find(|(site, line)| line.front().is_some_and(|task| may(**site, task)))
                .map(|(site, _)| *site);
            let Some(site) = ready else { continue };
            let line = gate.lines.get_mut(&site)?;
            let task = line.pop_front()?;
            if line.is_empty() {
                gate.lines.remove(&site);
            }
            return Some((site, task));
        }
        None
    }

    /// The first of each queue, with its site and when its gate opens.
    pub(crate) fn openings(&self) -> impl Iterator<Item = (usize, &Task, Moment)> {
        self.gates.iter().flat_map(|gate| {
            gate.lines
                .iter()
                .filter_map(|(site, line)| Some((*site, line.front()?, gate.next_start)))
        })
    }

    pub(crate) fn tasks(&self) -> impl Iterator<Item = (usize, &Task)> {
        self.gates
            .iter()
            .flat_map(|gate| &gate.lines)
            .flat_map(|(site, line)| line.iter().map(move |task| (*site, task)))
    }
}
