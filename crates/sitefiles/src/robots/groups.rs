//! Selects the groups of a robots.txt that apply to one agent.
//!
//! A run of `User-agent` lines opens a group, and only an `Allow` or `Disallow` line ends the run.
//! `Sitemap` and unknown lines stand outside groups, so they neither end a run nor split it.
//! All groups that name the agent are merged; so are all `*` groups, which apply only if no group
//! names the agent.

use std::collections::HashSet;
use std::time::Duration;

use super::line::{Field, Line};
use super::rule::Rule;
use super::{Robots, agent, delay};

/// Limit on sitemap lines: files with 20,000 have been seen.
const MAX_SITEMAPS: usize = 1_000;

#[derive(Debug, Default)]
struct Group {
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

/// The groups read so far.
#[derive(Debug)]
pub(super) struct Groups<'a> {
    agent: &'a str,
    ours: Group,
    everyone: Group,
    /// Whether the current group names our agent.
    for_us: bool,
    for_everyone: bool,
    /// The current group has rules, so the next `User-agent` line begins another.
    closed: bool,
    named: bool,
    sitemaps: Vec<String>,
    seen: HashSet<Vec<u8>>,
}

impl<'a> Groups<'a> {
    pub(super) fn new(agent: &'a str) -> Self {
        Groups {
            agent,
            ours: Group::default(),
            everyone: Group::default(),
            for_us: false,
            for_everyone: false,
            closed: false,
            named: false,
            sitemaps: Vec::new(),
            seen: HashSet::new(),
        }
    }

    pub(super) fn take(&mut self, line: &Line<'_>) {
        match line.field {
            Field::UserAgent => self.take_agent(line.value),
            Field::Allow | Field::Disallow => self.take_rule(line),
            Field::CrawlDelay => self.take_delay(line.value),
            Field::Sitemap => self.take_sitemap(line.value),
        }
    }

    pub(super) fn finish(self) -> Robots {
        let group = if self.named { self.ours } else { self.everyone };
        Robots::new(group.rules, group.delay, self.sitemaps)
    }

    fn take_agent(&mut self, value: &[u8]) {
        if self.closed {
            self.for_us = false;
            self.for_everyone = false;
            self.closed = false;
        }
        if agent::names_everyone(value) {
            self.for_everyone = true;
        } else if agent::names(value, self.agent) {
            self.for_us = true;
            self.named = true;
        }
    }

    /// An empty value ends the run of agents, but is not a rule: it matches nothing.
    fn take_rule(&mut self, line: &Line<'_>) {
        self.closed = true;
        if line.value.is_empty() {
            return;
        }
        let group = match (self.for_us, self.for_everyone) {
            (true, _) => &mut self.ours,
            (false, true) => &mut self.everyone,
            (false, false) => return,
        };
        group
            .rules
            .push(Rule::read(line.field, line.value, line.text));
        if line.field == Field::Allow {
            group
                .rules
                .extend(Rule::directory_of_index(line.value, line.text));
        }
    }

    fn take_delay(&mut self, value: &[u8]) {
        let Some(delay) = delay::read(value) else {
            return;
        };
        if self.for_us {
            self.ours.delay = self.ours.delay.max(Some(delay));
        }
        if self.for_everyone {
            self.everyone.delay = self.everyone.delay.max(Some(delay));
        }
    }

    fn take_sitemap(&mut self, value: &[u8]) {
        let wanted = !value.is_empty() && self.sitemaps.len() < MAX_SITEMAPS;
        if wanted && self.seen.insert(value.to_vec()) {
            self.sitemaps
                .push(String::from_utf8_lossy(value).into_owned());
        }
    }
}
