//! An in-process server with its own thread and runtime, so that tests without a runtime can use it and a busy test
//! cannot starve it. It stops when it is dropped.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::thread::JoinHandle;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use crate::connection::{self, ServerContext};
use crate::request_log::RequestLog;
use crate::{LogDetail, LoggedRequest, Site};

/// Address, log detail and threads of a server.
#[derive(Debug, Clone, Copy)]
pub struct ServerSetup {
    /// The address to listen on; port 0 picks a free one.
    pub address: SocketAddr,
    /// How much is recorded about requests.
    pub log_detail: LogDetail,
    /// Number of threads.
    pub threads: usize,
}

impl Default for ServerSetup {
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            log_detail: LogDetail::default(),
            threads: 1,
        }
    }
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    secure: bool,
    log: Arc<RequestLog>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves the site on a free port of 127.0.0.1.
    pub fn start(site: impl Site) -> Self {
        Self::start_with(site, ServerSetup::default())
    }

    /// Serves the site on a free port of the IPv6 loopback address.
    pub fn start_ipv6(site: impl Site) -> Self {
        let address = SocketAddr::from((std::net::Ipv6Addr::LOCALHOST, 0));
        Self::start_with(
            site,
            ServerSetup {
                address,
                ..ServerSetup::default()
            },
        )
    }

    /// Serves the site with a setup.
    pub fn start_with(site: impl Site, setup: ServerSetup) -> Self {
        Self::spawn(Arc::new(site), setup, false, |stream, context| {
            tokio::spawn(connection::serve(stream, context));
        })
    }

    pub(crate) fn spawn(
        site: Arc<dyn Site>,
        setup: ServerSetup,
        secure: bool,
        on_connection: impl Fn(TcpStream, ServerContext) + Send + 'static,
    ) -> Self {
        let log = Arc::new(RequestLog::new(setup.log_detail));
        let (stop, stopped) = oneshot::channel();
        let (address_sender, address) = mpsc::channel();
        let server_log = Arc::clone(&log);
        let thread = std::thread::spawn(move || {
            let runtime = runtime(setup.threads);
            runtime.block_on(async {
                let listener = listen(setup.address);
                let address = listener.local_addr().unwrap();
                address_sender.send(address).unwrap();
                let context = ServerContext {
                    site,
                    log,
                    address,
                    secure,
                };
                tokio::select! {
                    () = accept(listener, context, on_connection) => {}
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
            log: server_log,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Returns the absolute URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }

    /// Returns scheme, address and port, without a trailing slash.
    pub fn origin(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Returns the port it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the address it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// Returns every request so far, in order of arrival; empty unless [`LogDetail::Requests`] is set.
    pub fn hits(&self) -> Vec<LoggedRequest> {
        self.log.hits()
    }

    /// Returns how often a target (path and query) was requested.
    pub fn count(&self, target: &str) -> u64 {
        self.log.sum(|logged| logged == target).0
    }

    /// Returns the number of requests for targets with this prefix.
    pub fn count_below(&self, prefix: &str) -> u64 {
        self.log.sum(|logged| logged.starts_with(prefix)).0
    }

    /// Returns every requested target with its number of requests, sorted by target.
    pub fn counts(&self) -> Vec<(String, u64)> {
        self.log.counts()
    }

    /// Clears the log.
    pub fn forget(&self) {
        self.log.forget();
    }

    /// Returns the total number of requests.
    pub fn total(&self) -> u64 {
        self.log.total()
    }

    /// Returns the number of accepted connections.
    pub fn connections(&self) -> u64 {
        self.log.connections.load(Relaxed)
    }

    /// Returns the number of requests being served now.
    pub fn in_flight(&self) -> u64 {
        self.log.in_flight()
    }

    /// Returns the maximum number of requests served at the same time.
    pub fn most_in_flight(&self) -> u64 {
        self.log.most_in_flight()
    }

    /// Returns the bytes sent for a target, including heads.
    pub fn bytes_sent(&self, target: &str) -> u64 {
        self.log.sum(|logged| logged == target).1
    }

    /// Returns the bytes sent for all targets.
    pub fn total_bytes_sent(&self) -> u64 {
        self.log.sent()
    }

    /// Serves until the process exits.
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
    // Crawls open hundreds of connections at once, more than the usual backlog of 128.
    socket.listen(4096).unwrap()
}

async fn accept(
    listener: TcpListener,
    context: ServerContext,
    on_connection: impl Fn(TcpStream, ServerContext),
) {
    loop {
        // An accept can fail because one client disconnected or because there are too many open files.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        stream.set_nodelay(true).ok();
        context.log.connections.fetch_add(1, Relaxed);
        on_connection(stream, context.clone());
    }
}
