//! A TCP forwarder between a process and its database that can stop forwarding without closing connections, as when a
//! cable is pulled or a gateway restarts, and that can drop the replies to commits.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread::spawn;

/// A counter, odd while nothing is forwarded. A connection is forwarded only while the counter has the even value it had when
/// the connection was opened.
#[derive(Clone, Default)]
struct Generation(Arc<AtomicU64>);

/// A forwarder with its own port.
pub(crate) struct Forwarder {
    generation: Generation,
    commits_to_lose: CommitsToLose,
    pub(crate) port: u16,
}

/// How many more replies to commits are dropped; their connections are closed instead.
#[derive(Clone, Default)]
struct CommitsToLose(Arc<AtomicU64>);

impl CommitsToLose {
    /// Whether to drop a reply of the server.
    fn takes(&self, answer: &[u8]) -> bool {
        let is_commit = || answer.windows(7).any(|part| part == b"COMMIT\0");
        let one_less = |count: u64| count.checked_sub(1);
        self.0.load(SeqCst) > 0
            && is_commit()
            && self.0.fetch_update(SeqCst, SeqCst, one_less).is_ok()
    }
}

impl Forwarder {
    pub(crate) fn start(to: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let generation = Generation::default();
        let commits_to_lose = CommitsToLose::default();
        let forwarder = Self {
            generation: generation.clone(),
            commits_to_lose: commits_to_lose.clone(),
            port,
        };
        spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", to)) else {
                    continue;
                };
                let opened_in = generation.0.load(SeqCst);
                let [client_clone, server_clone] =
                    [&client, &server].map(|end| end.try_clone().unwrap());
                let (upstream, downstream) = (generation.clone(), generation.clone());
                let never = CommitsToLose::default();
                let lose = commits_to_lose.clone();
                spawn(move || upstream.forward(opened_in, client, server, &never));
                spawn(move || downstream.forward(opened_in, server_clone, client_clone, &lose));
            }
        });
        forwarder
    }

    /// Stops forwarding: existing connections for good, new ones until [`Self::restore`].
    pub(crate) fn blackhole(&self) {
        self.generation.0.fetch_add(1, SeqCst);
    }

    /// Drops the replies to the next commits: the server has committed, but the client does not know.
    pub(crate) fn lose_commits(&self, count: u64) {
        self.commits_to_lose.0.fetch_add(count, SeqCst);
    }

    pub(crate) fn restore(&self) {
        self.generation.0.fetch_add(1, SeqCst);
    }
}

impl Generation {
    fn forward(
        &self,
        opened_in: u64,
        mut from: TcpStream,
        mut to: TcpStream,
        lose: &CommitsToLose,
    ) {
        let mut buffer = [0; 16 << 10];
        while let Ok(count) = from.read(&mut buffer) {
            if opened_in % 2 == 1 || self.0.load(SeqCst) != opened_in {
                // Read and discarded; the other end does not notice.
                if count == 0 {
                    break;
                }
                continue;
            }
            let answer = &buffer[..count];
            if count == 0 || lose.takes(answer) || to.write_all(answer).is_err() {
                let _ = [&to, &from].map(|end| end.shutdown(std::net::Shutdown::Both));
                return;
            }
        }
        // Left open until the process exits.
        if opened_in % 2 == 1 || self.0.load(SeqCst) != opened_in {
            std::mem::forget(to);
        }
    }
}
