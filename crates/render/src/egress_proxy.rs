//! The loopback proxy all of the browser's traffic goes through.
//!
//! One for each tab, so that traffic is told apart by page; what it dials, it dials by [`Egress`]. The browser learns
//! only that a connection failed: why is kept here, by host and port, for whoever has to say it. It knows nothing of
//! pages but their beginning, and of the browser but that it speaks to a forward proxy.

mod connection;
mod hop_headers;
mod ledger;
mod metered;
mod pulse;
#[cfg(test)]
mod tests;
mod upstream;

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use fetch::Egress;
use model::Failure;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use connection::Connection;
use ledger::Ledger;

/// Connections open at once; further ones wait until one ends.
const MOST_CONNECTIONS: usize = 256;
/// Bytes of one head, and headers in it: as many as the fetcher reads.
const MAX_HEAD: usize = 256 * 1024;
const MAX_HEADERS: usize = 256;
/// After an accept that failed, which it does when there are no files left.
const BREATH: Duration = Duration::from_millis(50);

/// A forward proxy on a loopback port. Dropping it ends it and all its connections.
#[derive(Debug)]
pub(crate) struct EgressProxy {
    port: u16,
    ledger: Arc<Ledger>,
    /// Every connection listens to it; its end is theirs.
    cut: watch::Sender<()>,
}

impl EgressProxy {
    /// Listens, on a port the system chooses, and dials by `egress`. Within a tokio runtime.
    pub(crate) fn start(egress: Egress) -> io::Result<Self> {
        Self::listen(Some(egress))
    }

    /// One that dials nobody: it answers 502 to everything and writes down what was asked.
    pub(crate) fn refusing() -> io::Result<Self> {
        Self::listen(None)
    }

    fn listen(egress: Option<Egress>) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let port = listener.local_addr()?.port();
        let ledger = Arc::new(Ledger::default());
        let (cut, heard) = watch::channel(());
        tokio::spawn(receive(listener, egress, Arc::clone(&ledger), heard));
        Ok(Self { port, ledger, cut })
    }

    /// Where it listens, on 127.0.0.1.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// From here on failures and bytes are those of a new page. Connections stay.
    pub(crate) fn begin_page(&self) {
        self.ledger.begin_page();
    }

    /// Closes every open connection, as when a tab goes to somebody else.
    pub(crate) fn cut(&self) {
        // Nobody is there to hear it when the listener's task was dropped with its runtime.
        let _ = self.cut.send(());
    }

    /// Why `host:port` could not be had: the first failure of this page. The host as a URL writes it.
    pub(crate) fn failure_of(&self, host: &str, port: u16) -> Option<Failure> {
        self.ledger.failure_of(host, port)
    }

    /// Bytes that came from the network for this page, heads and TLS included.
    pub(crate) fn bytes_in(&self) -> u64 {
        self.ledger.bytes_in()
    }

    /// Connections the guard refused, since the start.
    pub(crate) fn refused(&self) -> u64 {
        self.ledger.refused()
    }

    /// Requests and tunnels asked for, since the start: of a refusing one, the browser's own.
    pub(crate) fn asked(&self) -> u64 {
        self.ledger.asked()
    }

    /// What the first thousand of them asked for: `GET http://…`, `CONNECT host:port`.
    pub(crate) fn log(&self) -> Vec<String> {
        self.ledger.log()
    }
}

/// Takes connections until the proxy is dropped.
async fn receive(
    listener: TcpListener,
    egress: Option<Egress>,
    ledger: Arc<Ledger>,
    mut cut: watch::Receiver<()>,
) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            // First, so that a connection made after a cut does not hear of it.
            biased;
            heard = cut.changed() => match heard {
                Ok(()) => continue,
                Err(_) => return,
            },
            accepted = accept(&listener, &places) => accepted,
        };
        match accepted {
            Ok((stream, place)) => {
                let connection = Connection::new(egress.clone(), Arc::clone(&ledger));
                tokio::spawn(attend(stream, connection, cut.clone(), place));
            }
            Err(error) => {
                tracing::warn!(%error, "the browser's proxy could not accept a connection");
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await;
    let place = place.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, place))
}

/// One connection to its end: its own, a cut, or a minute in which nothing came or went.
async fn attend(
    stream: TcpStream,
    connection: Connection,
    mut cut: watch::Receiver<()>,
    _place: OwnedSemaphorePermit,
) {
    let connection = Arc::new(connection);
    tokio::select! {
        biased;
        _ = cut.changed() => {}
        () = connection.pulse.stopped() => {}
        () = connection.serve(stream) => {}
    }
}
