//! Names to addresses, remembered for a while.
//!
//! Whoever asks gets all of a name's addresses at once and dials those: a second lookup between judging
//! and dialling would let the answer change in between.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::{FailKind, Failure};
use tokio::time::Instant;

/// How long an answer is good for; short enough for a site that moves.
const KEEP_FOUND: Duration = Duration::from_mins(1);
/// How long a failure is: enough for the links of one page, not for a retry.
const KEEP_FAILED: Duration = Duration::from_secs(5);
/// Names remembered.
const MOST_NAMES: usize = 4_096;

type Answer = Result<Arc<[IpAddr]>, Failure>;

/// Looks names up, with a memory.
#[derive(Debug)]
pub(crate) struct Resolver {
    source: Source,
    known: Mutex<HashMap<Box<str>, (Answer, Instant)>>,
}

/// A name's addresses, as a test gives them.
pub type LookUp = Arc<dyn Fn(&str) -> Vec<IpAddr> + Send + Sync>;

/// Who is asked.
pub(crate) enum Source {
    /// The system.
    System,
    /// Somebody who is not the system, for tests.
    Given(LookUp),
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "System",
            Self::Given(_) => "Given",
        })
    }
}

impl Resolver {
    pub(crate) fn new(source: Source) -> Self {
        Self {
            source,
            known: Mutex::default(),
        }
    }

    /// The addresses of a host as a URL writes it: a name, or a literal that stands for itself.
    pub(crate) async fn addresses(&self, host: &str) -> Answer {
        if let Some(literal) = literal(host) {
            return Ok(Arc::new([literal]));
        }
        if let Some(known) = self.remembered(host) {
            return known;
        }
        let answer: Answer = match self.source.look_up(host).await {
            Ok(found) if found.is_empty() => Err(no_address(host)),
            Ok(found) => Ok(found.into()),
            Err(error) if says_no_address(&error) => Err(no_address(host)),
            Err(_) => Err(Failure::new(
                FailKind::Dns,
                format!("the host name {host} could not be looked up"),
            )),
        };
        self.remember(host, answer.clone());
        answer
    }

    fn remembered(&self, host: &str) -> Option<Answer> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (answer, until) = known.get(host)?;
        (*until > Instant::now()).then(|| answer.clone())
    }

    fn remember(&self, host: &str, answer: Answer) {
        let now = Instant::now();
        let keep = if answer.is_ok() {
            KEEP_FOUND
        } else {
            KEEP_FAILED
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_NAMES {
            known.retain(|_, (_, until)| *until > now);
        }
        if known.len() >= MOST_NAMES {
            known.clear();
        }
        known.insert(host.into(), (answer, now + keep));
    }
}

impl Source {
    async fn look_up(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        match self {
            Self::System => {
                let found = tokio::net::lookup_host((host, 0)).await?;
                let mut addresses: Vec<IpAddr> = found.map(|address| address.ip()).collect();
                addresses.dedup();
                Ok(addresses)
            }
            Self::Given(look_up) => Ok(look_up(host)),
        }
    }
}

/// The address of a host that is one; IPv6 in its brackets.
pub(crate) fn literal(host: &str) -> Option<IpAddr> {
    host.strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'))
        .unwrap_or(host)
        .parse()
        .ok()
}

fn no_address(host: &str) -> Failure {
    Failure::new(
        FailKind::Dns,
        format!("the host name {host} has no address"),
    )
}

/// The system tells "no such name" from "ask again" only in words.
fn says_no_address(error: &io::Error) -> bool {
    let told = error.to_string();
    [
        "not known",
        "No address associated",
        "nodename nor servname",
    ]
    .iter()
    .any(|words| told.contains(words))
}
