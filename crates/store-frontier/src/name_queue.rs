//! Host names, resolved before their pages are fetched.
//!
//! A name whose servers do not respond takes seconds. It must not take a page worker that long, which other jobs wait for: tasks
//! wait here for their names, and those of dead names end without a page worker.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crawler_frontier::Moment;
use crawler_model::Failure;
use crawler_weburl::{CrawlUrl, HostKey};

/// Resolves the host of a URL; the error says why it has no address. The addresses stay in the cache of the fetcher.
pub type NameLookup = Arc<
    dyn Fn(CrawlUrl) -> Pin<Box<dyn Future<Output = Result<(), Failure>> + Send>> + Send + Sync,
>;

/// Maximum number of names; above it, all but the pending ones are dropped.
const MAX_NAMES: usize = 2_000;
/// How long a name counts as resolved: not longer than the fetcher caches its addresses.
const RESOLVED_TTL: Duration = Duration::from_secs(50);
/// How long a failure is used for other tasks of the host.
const FAILED_TTL: Duration = Duration::from_secs(5);

#[derive(Debug)]
enum Entry {
    /// Being resolved; these tasks wait.
    Pending(Vec<u64>),
    Resolved(Moment),
    Failed(Failure, Moment),
}

/// The result of a lookup.
#[derive(Debug)]
pub(crate) enum NameState {
    Resolved,
    /// The task waits; `start` if the lookup has not been started yet.
    Wait {
        start: bool,
    },
    Failed(Failure),
}

/// The names of hosts.
#[derive(Debug, Default)]
pub(crate) struct NameQueue {
    names: HashMap<HostKey, Entry>,
}

impl NameQueue {
    /// Looks up a name; the task waits if it is not resolved.
    pub(crate) fn look_up(&mut self, host: &HostKey, ticket: u64, now: Moment) -> NameState {
        if self.names.len() >= MAX_NAMES && !self.names.contains_key(host) {
            self.names
                .retain(|_, entry| matches!(entry, Entry::Pending(_)));
        }
        match self.names.get_mut(host) {
            Some(Entry::Resolved(until)) if *until > now => return NameState::Resolved,
            Some(Entry::Failed(failure, until)) if *until > now => {
                return NameState::Failed(failure.clone());
            }
            Some(Entry::Pending(waiting)) => {
                waiting.push(ticket);
                return NameState::Wait { start: false };
            }
            _ => (),
        }
        self.names
            .insert(host.clone(), Entry::Pending(vec![ticket]));
        NameState::Wait { start: true }
    }

    /// Takes in the result of a lookup; returns the tasks that waited.
    pub(crate) fn note(
        &mut self,
        host: HostKey,
        result: Result<(), Failure>,
        now: Moment,
    ) -> Vec<u64> {
        let entry = match result {
            Ok(()) => Entry::Resolved(now + RESOLVED_TTL),
            Err(failure) => Entry::Failed(failure, now + FAILED_TTL),
        };
        match self.names.insert(host, entry) {
            Some(Entry::Pending(waiting)) => waiting,
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crawler_model::FailKind;

    use super::*;

    #[test]
    fn tasks_of_a_host_wait_for_one_lookup() {
        let (mut names, host, now) = (NameQueue::default(), HostKey::new("a.test"), Moment::ZERO);
        let state = |names: &mut NameQueue, ticket, now| names.look_up(&host, ticket, now);
        assert!(matches!(
            state(&mut names, 1, now),
            NameState::Wait { start: true }
        ));
        assert!(matches!(
            state(&mut names, 2, now),
            NameState::Wait { start: false }
        ));
        assert_eq!(names.note(host.clone(), Ok(()), now), [1, 2]);
        assert!(matches!(state(&mut names, 3, now), NameState::Resolved));
        let later = now + RESOLVED_TTL;
        assert!(matches!(
            state(&mut names, 3, later),
            NameState::Wait { start: true }
        ));
        let failure = Failure::new(FailKind::Dns, "no address");
        assert_eq!(names.note(host.clone(), Err(failure), later), [3]);
        assert!(matches!(state(&mut names, 4, later), NameState::Failed(_)));
        let later = later + FAILED_TTL;
        assert!(matches!(
            state(&mut names, 4, later),
            NameState::Wait { start: true }
        ));
    }
}
