//! A server in the process of the test, on a thread and runtime of its own, so that tests without
//! a runtime can use it and a busy test cannot starve it. It stops when it is dropped.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::thread::JoinHandle;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use crate::connection::{self, Hall};
use crate::journal::Journal;
use crate::{Hit, Keep, Site};

/// Where and how a server runs.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// The address to listen on; port 0 takes a free one.
    pub address: SocketAddr,
    /// How much of the requests is remembered.
    pub keep: Keep,
    /// Threads that serve; with 1 the server uses one core at most.
    pub threads: usize,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            keep: Keep::default(),
            threads: 1,
        }
    }
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    secure: bool,
    journal: Arc<Journal>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves the site on a free port of 127.0.0.1.
    pub fn start(site: impl Site) -> Self {
        Self::start_with(site, Setup::default())
    }

    /// Serves the site on a free port of the IPv6 loopback address.
    pub fn start_ipv6(site: impl Site) -> Self {
        let address = SocketAddr::from((std::net::Ipv6Addr::LOCALHOST, 0));
        Self::start_with(
            site,
            Setup {
                address,
                ..Setup::default()
            },
        )
    }

    /// Serves the site as `setup` says.
    pub fn start_with(site: impl Site, setup: Setup) -> Self {
        Self::spawn(Arc::new(site), setup, false, |stream, hall| {
            tokio::spawn(connection::serve(stream, hall));
        })
    }

    pub(crate) fn spawn(
        site: Arc<dyn Site>,
        setup: Setup,
        secure: bool,
        greet: impl Fn(TcpStream, Hall) + Send + 'static,
    ) -> Self {
        let journal = Arc::new(Journal::new(setup.keep));
        let (stop, stopped) = oneshot::channel();
        let (say_address, address) = mpsc::channel();
        let kept = Arc::clone(&journal);
        let thread = std::thread::spawn(move || {
            let runtime = runtime(setup.threads);
            runtime.block_on(async {
                let listener = listen(setup.address);
                let address = listener.local_addr().unwrap();
                say_address.send(address).unwrap();
                let hall = Hall {
                    site,
                    journal,
                    address,
                    secure,
                };
                tokio::select! {
                    () = accept(listener, hall, greet) => {}
                    _ = stopped => {}
                }
            });
            runtime.shutdown_background();
        });
        let address = address
            .recv()
            .expect("the address must be free to listen on");
        Self {
            address,
            secure,
            journal: kept,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// The absolute URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }

    /// Scheme, address and port, without a slash at the end.
    pub fn origin(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The address it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far, in order of arrival; empty unless [`Keep::Hits`] is set.
    pub fn hits(&self) -> Vec<Hit> {
        self.journal.hits()
    }

    /// How often a target (path, with its query if it has one) was requested.
    pub fn count(&self, target: &str) -> u64 {
        self.journal.sum(|known| known == target).0
    }

    /// How many requests there were for targets that start so.
    pub fn count_below(&self, prefix: &str) -> u64 {
        self.journal.sum(|known| known.starts_with(prefix)).0
    }

    /// Every requested target with its number of requests, sorted by target.
    pub fn counts(&self) -> Vec<(String, u64)> {
        self.journal.counts()
    }

    /// Forgets every request so far, for another client to be counted.
    pub fn forget(&self) {
        self.journal.forget();
    }

    /// All requests, whatever they asked for.
    pub fn total(&self) -> u64 {
        self.journal.total()
    }

    /// Accepted connections.
    pub fn connections(&self) -> u64 {
        self.journal.connections.load(Relaxed)
    }

    /// Requests being answered now.
    pub fn in_flight(&self) -> u64 {
        self.journal.in_flight()
    }

    /// The most requests that were being answered at the same time.
    pub fn most_in_flight(&self) -> u64 {
        self.journal.most_in_flight()
    }

    /// Bytes handed to the network for a target, heads included.
    pub fn bytes_sent(&self, target: &str) -> u64 {
        self.journal.sum(|known| known == target).1
    }

    /// Bytes handed to the network for all targets.
    pub fn total_bytes_sent(&self) -> u64 {
        self.journal.sent()
    }

    /// Serves until the process ends.
    pub fn run_forever(mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            stop.send(()).ok();
        }
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

fn runtime(threads: usize) -> Runtime {
    let mut builder = if threads > 1 {
        Builder::new_multi_thread()
    } else {
        Builder::new_current_thread()
    };
    builder
        .worker_threads(threads.max(1))
        .enable_all()
        .build()
        .unwrap()
}

fn listen(address: SocketAddr) -> TcpListener {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4().unwrap()
    } else {
        TcpSocket::new_v6().unwrap()
    };
    socket.set_reuseaddr(true).unwrap();
    socket.bind(address).unwrap();
    // Crawls open hundreds of connections at once; the usual 128 would make some of them wait.
    socket.listen(4096).unwrap()
}

async fn accept(listener: TcpListener, hall: Hall, greet: impl Fn(TcpStream, Hall)) {
    loop {
        // An accept can fail for one client (reset in the queue) or for want of descriptors.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        stream.set_nodelay(true).ok();
        hall.journal.connections.fetch_add(1, Relaxed);
        greet(stream, hall.clone());
    }
}
