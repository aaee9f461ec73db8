//! What the page of one tab has used, and whether that exceeds its budgets.
//!
//! The tab's proxy counts bytes, hosts, plain requests and tunnels, the protocol client counts requests inside of tunnels, and
//! the browser's watcher reports CPU time. Any of them ends the page.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crawler_model::{Failure, PageBudget, PageBudgets, lock};
use tokio::sync::watch;

use crate::processes::{self, Process};

/// Maximum number of processes known for a tab. It has one, and one for each sandboxed frame.
const MAX_PROCESSES: usize = 1_000;

/// The meter of a tab.
#[derive(Debug)]
pub(crate) struct BudgetMeter {
    budgets: PageBudgets,
    /// Requests and tunnels that the proxy saw.
    proxied: AtomicU64,
    /// Requests that the browser reported as sent.
    sent: AtomicU64,
    bytes: AtomicU64,
    hosts: Mutex<HashSet<String>>,
    /// CPU time of the tab's processes: at the start of the page, and now.
    processes: Mutex<HashMap<u32, [Duration; 2]>>,
    /// Whether the process of a frame crashed or was killed.
    crashed_frame: AtomicBool,
    exceeded: watch::Sender<Option<PageBudget>>,
}

impl BudgetMeter {
    pub(crate) fn new(budgets: PageBudgets) -> Self {
        Self {
            budgets,
            proxied: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            hosts: Mutex::default(),
            processes: Mutex::default(),
            crashed_frame: AtomicBool::new(false),
            exceeded: watch::Sender::new(None),
        }
    }

    /// A meter without limits.
    pub(crate) fn unlimited() -> Self {
        Self::new(PageBudgets::UNLIMITED)
    }

    /// Starts counting for another page. A tab whose page exceeded a budget has no other page.
    pub(crate) fn begin_page(&self) {
        for count in [&self.proxied, &self.sent, &self.bytes] {
            count.store(0, Ordering::Relaxed);
        }
        self.crashed_frame.store(false, Ordering::Relaxed);
        lock(&self.hosts).clear();
        lock(&self.processes).retain(|id, times| {
            let now = processes::cpu_time(*id);
            *times = [now.unwrap_or_default(); 2];
            now.is_some()
        });
    }

    /// Counts a request or tunnel to a host. Returns whether it is within the budgets.
    pub(crate) fn admit(&self, host: &str) -> bool {
        let requests = self.proxied.fetch_add(1, Ordering::Relaxed) + 1;
        self.check(PageBudget::Requests, requests, self.budgets.requests.into());
        if self.budgets.hosts > 0 && !self.is_exceeded() {
            let mut hosts = lock(&self.hosts);
            hosts.insert(host.to_ascii_lowercase());
            let number = hosts.len() as u64;
            drop(hosts);
            self.check(PageBudget::Hosts, number, self.budgets.hosts.into());
        }
        !self.is_exceeded()
    }

    /// Counts a request that the browser has sent.
    pub(crate) fn count_sent(&self) {
        let requests = self.sent.fetch_add(1, Ordering::Relaxed) + 1;
        self.check(PageBudget::Requests, requests, self.budgets.requests.into());
    }

    /// Counts bytes sent or received. Returns whether they are within the budgets.
    pub(crate) fn add_bytes(&self, bytes: u64) -> bool {
        let bytes = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.check(PageBudget::Bytes, bytes, self.budgets.bytes);
        !self.is_exceeded()
    }

    /// Records that a process belongs to this tab. All of its CPU time so far belongs to the current page: it is new.
    pub(crate) fn learn_process(&self, id: u32) {
        let mut processes = lock(&self.processes);
        if processes.len() < MAX_PROCESSES {
            processes.entry(id).or_default();
        }
    }

    /// Whether a process belongs to this tab.
    pub(crate) fn owns(&self, process: u32) -> bool {
        lock(&self.processes).contains_key(&process)
    }

    /// Takes the CPU times of all processes of the browser.
    pub(crate) fn update_cpu(&self, all: &[Process]) {
        let mut own = lock(&self.processes);
        for process in all {
            if let Some([_, now]) = own.get_mut(&process.id) {
                *now = process.cpu;
            }
        }
        let used: Duration = own
            .values()
            .map(|[start, now]| now.saturating_sub(*start))
            .sum();
        drop(own);
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.check(PageBudget::Cpu, micros(used), micros(self.budgets.cpu));
    }

    /// Records that the process of a frame ended.
    pub(crate) fn frame_crashed(&self) {
        self.crashed_frame.store(true, Ordering::Relaxed);
    }

    /// Records that a process which used the CPU time of a page was killed without knowing which page's it was: that of the page
    /// whose frame ended.
    pub(crate) fn blame_crashed_frame(&self) {
        if self.crashed_frame.swap(false, Ordering::Relaxed) {
            self.exceed(PageBudget::Cpu);
        }
    }

    /// Whether the page exceeded a budget.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.exceeded.borrow().is_some()
    }

    /// Whether the page exceeded its CPU time.
    pub(crate) fn is_over_cpu(&self) -> bool {
        *self.exceeded.borrow() == Some(PageBudget::Cpu)
    }

    /// Waits until the page exceeds a budget.
    pub(crate) async fn exceeded(&self) -> Failure {
        let mut exceeded = self.exceeded.subscribe();
        loop {
            let budget = *exceeded.borrow_and_update();
            if let Some(budget) = budget {
                return self.budgets.failure(budget);
            }
            if exceeded.changed().await.is_err() {
                // The sender is a field of this meter.
                std::future::pending::<()>().await;
            }
        }
    }

    fn check(&self, budget: PageBudget, used: u64, limit: u64) {
        if limit > 0 && used > limit {
            self.exceed(budget);
        }
    }

    fn exceed(&self, budget: PageBudget) {
        self.exceeded.send_if_modified(|exceeded| {
            let is_first = exceeded.is_none();
            exceeded.get_or_insert(budget);
            is_first
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGETS: PageBudgets = PageBudgets {
        requests: 3,
        bytes: 1_000,
        hosts: 2,
        cpu: Duration::from_secs(2),
    };

    async fn message(meter: &BudgetMeter) -> String {
        meter.exceeded().await.message
    }

    fn process(id: u32, seconds: u64) -> Process {
        Process {
            id,
            cpu: Duration::from_secs(seconds),
            ..Process::default()
        }
    }

    #[tokio::test]
    async fn each_budget_may_be_used_up_but_not_exceeded() {
        let requests = BudgetMeter::new(BUDGETS);
        assert!((0..3).all(|_| requests.admit("a.test")));
        assert!(!requests.admit("a.test"));
        assert!(message(&requests).await.contains("more than 3 requests"));

        let sent = BudgetMeter::new(BUDGETS);
        (0..3).for_each(|_| sent.count_sent());
        assert!(!sent.is_exceeded());
        sent.count_sent();
        assert!(message(&sent).await.contains("more than 3 requests"));

        let bytes = BudgetMeter::new(BUDGETS);
        assert!(bytes.add_bytes(600) && bytes.add_bytes(400));
        assert!(!bytes.add_bytes(1));
        assert!(message(&bytes).await.contains("more than 1KB"));

        let hosts = BudgetMeter::new(BUDGETS);
        assert!(hosts.admit("a.test") && hosts.admit("b.test") && hosts.admit("A.test"));
        hosts.begin_page();
        assert!(hosts.admit("c.test") && hosts.admit("d.test"));
        assert!(!hosts.admit("e.test"));
        assert!(message(&hosts).await.contains("more than 2 hosts"));
    }

    #[tokio::test]
    async fn cpu_time_is_the_sum_of_the_tabs_processes() {
        let meter = BudgetMeter::new(BUDGETS);
        meter.learn_process(7);
        meter.learn_process(8);
        assert!(meter.owns(7) && !meter.owns(9));
        meter.update_cpu(&[process(7, 1), process(8, 1), process(9, 50)]);
        assert!(!meter.is_exceeded());
        // One that has exited still counts.
        meter.update_cpu(&[process(7, 2)]);
        assert!(meter.is_over_cpu());
        assert!(message(&meter).await.contains("more than 2s of CPU time"));
    }

    #[test]
    fn zero_means_no_limit() {
        let meter = BudgetMeter::unlimited();
        meter.learn_process(7);
        meter.update_cpu(&[process(7, 100_000)]);
        for host in 0..1_000 {
            assert!(meter.admit(&format!("{host}.test")));
        }
        assert!(meter.add_bytes(u64::MAX / 2));
    }
}
