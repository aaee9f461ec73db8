//! Measures how long small requests take while the service is busy with those of others.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::shell::print;

const INTERVAL: Duration = Duration::from_millis(5);
/// A request that takes this long, or has no response, is a stall.
const STALL: Duration = Duration::from_secs(1);
const TIMEOUT: Duration = Duration::from_mins(1);

/// What a probe requests, and how fast the responses must be.
pub(super) struct Probed {
    /// Shown in messages.
    pub(super) name: &'static str,
    /// Sent one after the other, again and again.
    pub(super) requests: Vec<Vec<u8>>,
    /// The 99th percentile must be below this.
    pub(super) max_p99: Duration,
}

impl Probed {
    /// `/healthz`, which anybody may call.
    pub(super) fn health() -> Self {
        Self {
            name: "/healthz",
            requests: vec![get("/healthz", None)],
            max_p99: Duration::from_millis(50),
        }
    }

    /// What a caller does that has nothing to do with the hostile one: looks at its jobs and its usage, and creates a job.
    pub(super) fn other_caller(key: &str) -> Self {
        let reads = ["/v1/jobs?limit=1", "/v1/usage", "/v1/jobs?status=running"];
        let mut requests: Vec<Vec<u8>> = (0..60)
            .map(|number| get(reads[number % reads.len()], Some(key)))
            .collect();
        let body = r#"{"urls":["http://small.invalid/"]}"#;
        requests.push(post("/v1/batch/scrape", key, "", body.as_bytes()));
        Self {
            name: "small requests of another key",
            requests,
            max_p99: Duration::from_millis(250),
        }
    }
}

/// A thread that sends requests until it is stopped.
pub(super) struct RequestProbe {
    name: &'static str,
    max_p99: Duration,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Vec<Duration>>>,
}

impl RequestProbe {
    pub(super) fn start(addr: &str, probed: Probed) -> Self {
        let (addr, stop) = (addr.to_owned(), Arc::new(AtomicBool::new(false)));
        let stopped = Arc::clone(&stop);
        let requests = probed.requests;
        let thread = std::thread::spawn(move || {
            let mut times = Vec::new();
            for request in requests.iter().cycle() {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                let started = Instant::now();
                let response = send(&addr, request)?;
                times.push(started.elapsed());
                if !response.starts_with("HTTP/1.1 2") {
                    bail!("{}\n{response}", String::from_utf8_lossy(request));
                }
                std::thread::sleep(INTERVAL);
            }
            Ok(times)
        });
        Self {
            name: probed.name,
            max_p99: probed.max_p99,
            stop,
            thread,
        }
    }

    /// Stops, prints the times, and fails if they are too long.
    pub(super) fn finish(self) -> Result<()> {
        let name = self.name;
        self.stop.store(true, Ordering::SeqCst);
        let Ok(times) = self.thread.join() else {
            bail!("the probe of {name} panicked");
        };
        let times = times.with_context(|| format!("{name} failed"))?;
        let summary = ResponseTimes::of(times).with_context(|| format!("{name}: no calls"))?;
        print(&format!("{name}: {summary}"));
        if summary.stalls > 0 {
            bail!("{name}: {} calls took {STALL:?} or longer", summary.stalls);
        }
        if summary.p99 >= self.max_p99 {
            bail!(
                "the 99th percentile of {name} is {:.1?}; it must be below {:?}",
                summary.p99,
                self.max_p99
            );
        }
        Ok(())
    }
}

/// A summary of many response times.
pub(super) struct ResponseTimes {
    calls: usize,
    p50: Duration,
    pub(super) p99: Duration,
    longest: Duration,
    stalls: usize,
}

impl ResponseTimes {
    /// `None` if there are no times.
    pub(super) fn of(mut times: Vec<Duration>) -> Option<Self> {
        times.sort_unstable();
        let at = |percent| times.get(times.len() * percent / 100).copied();
        Some(Self {
            calls: times.len(),
            p50: at(50)?,
            p99: at(99)?,
            longest: *times.last()?,
            stalls: times.iter().filter(|time| **time >= STALL).count(),
        })
    }
}

impl std::fmt::Display for ResponseTimes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} calls, median {:.1?}, 99th percentile {:.1?}, longest {:.1?}",
            self.calls, self.p50, self.p99, self.longest
        )
    }
}

fn get(target: &str, key: Option<&str>) -> Vec<u8> {
    let authorization = key.map_or_else(String::new, |key| {
        format!("authorization: Bearer {key}\r\n")
    });
    format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n{authorization}connection: close\r\n\r\n")
        .into_bytes()
}

/// A request that posts JSON; each of the other headers ends with a line break.
pub(super) fn post(path: &str, key: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Sends a request and reads until the service closes the connection.
pub(super) fn send(addr: &str, request: &[u8]) -> Result<String> {
    let mut stream = TcpStream::connect(addr)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    // The service may respond and close before it has read everything.
    let sent = stream.write_all(request);
    let mut response = Vec::new();
    let read = stream.read_to_end(&mut response);
    if response.is_empty() {
        sent.context("sending a request")?;
        read.context("reading a response")?;
    }
    Ok(String::from_utf8_lossy(&response).into_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::ResponseTimes;

    #[test]
    fn times_are_summed_up() {
        let times = (1..=200).map(Duration::from_millis).collect();
        let summary = ResponseTimes::of(times).unwrap();
        assert_eq!(summary.p50, Duration::from_millis(101));
        assert_eq!(summary.p99, Duration::from_millis(199));
        assert_eq!(summary.stalls, 0);
        let stalled = ResponseTimes::of(vec![Duration::from_secs(2)]).unwrap();
        assert_eq!(stalled.stalls, 1);
        assert!(ResponseTimes::of(Vec::new()).is_none());
    }
}
