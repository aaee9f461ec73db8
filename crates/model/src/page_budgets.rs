//! What one rendered page may use.

use std::time::Duration;

use crate::{FailKind, Failure, bytes_text, counted, duration_text};

/// What one rendered page may use; 0 means no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageBudgets {
    /// Number of requests.
    pub requests: u32,
    /// Bytes sent and received, including headers and TLS.
    pub bytes: u64,
    /// Number of distinct hosts.
    pub hosts: u32,
    /// CPU time of its processes.
    pub cpu: Duration,
}

impl Default for PageBudgets {
    fn default() -> Self {
        Self {
            requests: 500,
            bytes: 50_000_000,
            hosts: 100,
            cpu: Duration::from_secs(15),
        }
    }
}

impl PageBudgets {
    /// No limits.
    pub const UNLIMITED: Self = Self {
        requests: 0,
        bytes: 0,
        hosts: 0,
        cpu: Duration::ZERO,
    };

    /// Returns the failure of a page that exceeded one of them.
    pub fn failure(&self, exceeded: PageBudget) -> Failure {
        let used = match exceeded {
            PageBudget::Requests => {
                format!("made more than {}", counted(self.requests, "request"))
            }
            PageBudget::Bytes => {
                let size = bytes_text(self.bytes);
                let unit = if size.ends_with('B') { "" } else { " bytes" };
                format!("transferred more than {size}{unit}")
            }
            PageBudget::Hosts => {
                format!("contacted more than {}", counted(self.hosts, "host"))
            }
            PageBudget::Cpu => format!("used more than {} of CPU time", duration_text(self.cpu)),
        };
        let (setting, variable) = (exceeded.setting(), exceeded.variable());
        let message = format!("the page {used}; {setting} ({variable}) sets the limit");
        Failure::new(FailKind::RenderBudget, message)
    }
}

/// One of [`PageBudgets`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageBudget {
    /// Requests.
    Requests,
    /// Bytes on the wire.
    Bytes,
    /// Distinct hosts.
    Hosts,
    /// CPU time.
    Cpu,
}

impl PageBudget {
    /// Returns its key in the configuration of the service.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Requests => "browser.max_requests",
            Self::Bytes => "browser.max_bytes",
            Self::Hosts => "browser.max_hosts",
            Self::Cpu => "browser.max_cpu",
        }
    }

    /// Returns its environment variable.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Requests => "BROWSER_MAX_REQUESTS",
            Self::Bytes => "BROWSER_MAX_BYTES",
            Self::Hosts => "BROWSER_MAX_HOSTS",
            Self::Cpu => "BROWSER_MAX_CPU",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_the_limit_and_its_setting() {
        let budgets = PageBudgets::default();
        for (budget, message) in [
            (
                PageBudget::Requests,
                "the page made more than 500 requests; browser.max_requests (BROWSER_MAX_REQUESTS) sets the limit",
            ),
            (
                PageBudget::Bytes,
                "the page transferred more than 50MB; browser.max_bytes (BROWSER_MAX_BYTES) sets the limit",
            ),
            (
                PageBudget::Hosts,
                "the page contacted more than 100 hosts; browser.max_hosts (BROWSER_MAX_HOSTS) sets the limit",
            ),
            (
                PageBudget::Cpu,
                "the page used more than 15s of CPU time; browser.max_cpu (BROWSER_MAX_CPU) sets the limit",
            ),
        ] {
            let failure = budgets.failure(budget);
            assert_eq!(failure.kind, FailKind::RenderBudget);
            assert_eq!(failure.message, message);
        }
    }
}
