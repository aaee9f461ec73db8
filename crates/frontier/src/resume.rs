//! A crawl that is resumed: time that its clock did not count, and work that was interrupted.

use std::time::Duration;

use crawler_model::Task;
use crawler_sitefiles::RobotsPermission;

use crate::frontier::Moment;
use crate::memory_frontier::MemoryFrontier;
use crate::site::was_started;

impl MemoryFrontier {
    /// Sets the time that has passed between the runs of this crawl. A robots.txt ages in that time, too.
    pub fn set_away(&mut self, away: Duration) {
        self.away = away;
    }

    /// Whether a task that was handed out may be requested again: its robots.txt is known, has not expired and permits it.
    pub fn may_request_again(&mut self, task: &Task, now: Moment) -> bool {
        let now = self.robots_time(now);
        let site = self.site_for(task.url.parts());
        let site = &self.sites[site];
        !site.awaits_robots()
            && !site.needs_robots(now)
            && site.permission(task, &self.plan) == RobotsPermission::Allowed
    }

    /// Takes back a task that was handed out and not requested.
    pub fn hand_back(&mut self, mut task: Task) {
        task.ticket = 0;
        task.attempt = task.attempt.saturating_sub(1);
        let host = self.host_for(task.url.parts());
        self.hosts[host].end();
        self.levels.remove(task.depth);
        self.counts.in_flight -= 1;
        self.counts.queued += 1;
        if was_started(&task) {
            self.counts.retries -= u64::from(task.attempt > 0);
            self.push(task);
        } else {
            self.counts.started -= 1;
            let key = self.plan.keys.key(task.url.parts());
            self.push_new(task, key);
        }
    }
}
