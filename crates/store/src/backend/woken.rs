//! What the changes of a transaction may let a claim do.

use std::collections::BTreeSet;

use crate::JobId;

/// Lanes that got work, and hosts with a free slot. A lane is the queue of one job at one host.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Woken {
    /// Jobs and hosts that tasks became ready for.
    pub lanes: BTreeSet<(JobId, String)>,
    /// Jobs and hosts whose queued tasks were skipped: their lanes are to be deleted.
    pub closed: BTreeSet<(JobId, String)>,
    /// Hosts whose tasks ended.
    pub hosts: BTreeSet<String>,
}

impl Woken {
    /// Adds a job's lanes at these hosts.
    pub fn add_lanes(&mut self, job: JobId, hosts: impl IntoIterator<Item = String>) {
        let lanes = hosts.into_iter().map(|host| (job, host));
        self.lanes.extend(lanes);
    }

    /// Removes a job's lanes: it is ending, and its queued tasks are skipped.
    pub fn remove_lanes(&mut self, job: JobId) {
        self.lanes.retain(|(of, _)| *of != job);
    }

    /// Adds hosts where a job's queued tasks were skipped.
    pub fn close_lanes(&mut self, job: JobId, hosts: Vec<String>) {
        self.closed
            .extend(hosts.iter().map(|host| (job, host.clone())));
        self.hosts.extend(hosts);
    }

    /// The lanes to delete; one that also got tasks is left to the claims.
    pub fn closed_lanes(&self) -> impl Iterator<Item = &(JobId, String)> {
        self.closed.difference(&self.lanes)
    }

    /// Adds what another change woke.
    pub fn extend(&mut self, other: Self) {
        self.closed.extend(other.closed);
        self.lanes.extend(other.lanes);
        self.hosts.extend(other.hosts);
    }

    /// Whether there is nothing to wake.
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty() && self.closed.is_empty() && self.hosts.is_empty()
    }

    /// The hosts, including those of the lanes.
    pub fn all_hosts(&self) -> BTreeSet<&str> {
        let of_lanes = self.lanes.iter().map(|(_, host)| host.as_str());
        of_lanes
            .chain(self.hosts.iter().map(String::as_str))
            .collect()
    }
}
