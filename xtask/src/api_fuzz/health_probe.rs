//! Measures how long `/healthz` takes while the service is busy with other requests.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::shell::print;

const INTERVAL: Duration = Duration::from_millis(5);
/// The 99th percentile must be below this.
const MAX_P99: Duration = Duration::from_millis(50);
const TIMEOUT: Duration = Duration::from_mins(1);

/// A thread that calls `/healthz` until it is stopped.
pub(super) struct HealthProbe {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Vec<Duration>>>,
}

impl HealthProbe {
    pub(super) fn start(addr: &str) -> Self {
        let (addr, stop) = (addr.to_owned(), Arc::new(AtomicBool::new(false)));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut times = Vec::new();
            while !stopped.load(Ordering::SeqCst) {
                let started = Instant::now();
                check(&addr)?;
                times.push(started.elapsed());
                std::thread::sleep(INTERVAL);
            }
            Ok(times)
        });
        Self { stop, thread }
    }

    /// Stops, prints the times, and fails if they are too long.
    pub(super) fn finish(self) -> Result<()> {
        self.stop.store(true, Ordering::SeqCst);
        let Ok(times) = self.thread.join() else {
            bail!("the probe of /healthz panicked");
        };
        let mut times = times.context("/healthz failed")?;
        times.sort_unstable();
        let (Some(longest), Some(p99)) = (times.last(), times.get(times.len() * 99 / 100)) else {
            bail!("/healthz was not called");
        };
        print(&format!(
            "/healthz: {} calls, 99th percentile {p99:.1?}, longest {longest:.1?}",
            times.len()
        ));
        if *p99 >= MAX_P99 {
            bail!("the 99th percentile of /healthz is {p99:.1?}; it must be below {MAX_P99:?}");
        }
        Ok(())
    }
}

fn check(addr: &str) -> Result<()> {
    let response = send(
        addr,
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
    )?;
    if !response.starts_with("HTTP/1.1 200 ") {
        bail!("{response}");
    }
    Ok(())
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
