//! Listeners at addresses that must not be contacted.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A TCP and UDP listener on one address and port. It records every connection and responds to HTTP requests.
pub(crate) struct Canary {
    pub(crate) address: SocketAddr,
    received: Received,
}

/// What was received: the channel of a request for `/c/<channel>`, or else `tcp`, `udp` or `dns`.
type Received = Arc<Mutex<Vec<String>>>;

impl Canary {
    /// Listens on a free port.
    pub(crate) fn new(address: &str) -> Self {
        Self::listening(address, 0, ["tcp", "udp"]).unwrap()
    }

    /// Listens in place of a name server, if its address is available.
    pub(crate) fn name_server(address: &str) -> io::Result<Self> {
        Self::listening(address, 53, ["dns"; 2])
    }

    fn listening(
        address: &str,
        port: u16,
        [by_tcp, by_udp]: [&'static str; 2],
    ) -> io::Result<Self> {
        let ip: IpAddr = address.parse().map_err(io::Error::other)?;
        let tcp = TcpListener::bind((ip, port))?;
        let address = tcp.local_addr()?;
        let udp = UdpSocket::bind(address)?;
        let received = Received::default();
        let notes = Arc::clone(&received);
        std::thread::spawn(move || {
            for caller in tcp.incoming().flatten() {
                let notes = Arc::clone(&notes);
                std::thread::spawn(move || listen(caller, &notes, by_tcp));
            }
        });
        let notes = Arc::clone(&received);
        std::thread::spawn(move || {
            let mut packet = [0; 2048];
            while udp.recv_from(&mut packet).is_ok() {
                notes.lock().unwrap().push(by_udp.to_owned());
            }
        });
        Ok(Self { address, received })
    }

    /// Returns everything that was received.
    pub(crate) fn received(&self) -> Vec<String> {
        self.received.lock().unwrap().clone()
    }

    /// Returns the channels that got through.
    pub(crate) fn channels(&self) -> BTreeSet<String> {
        self.received().into_iter().collect()
    }
}

fn listen(mut caller: TcpStream, notes: &Received, unnamed: &str) {
    // A connection counts, whatever follows.
    let at = {
        let mut notes = notes.lock().unwrap();
        notes.push(unnamed.to_owned());
        notes.len() - 1
    };
    caller.set_read_timeout(Some(Duration::from_secs(20))).ok();
    let mut head = vec![0; 4096];
    let read = caller.read(&mut head).unwrap_or(0);
    let head = String::from_utf8_lossy(&head[..read]).into_owned();
    let target = head.split(' ').nth(1).unwrap_or_default();
    if let Some(channel) = target.strip_prefix("/c/") {
        channel.clone_into(&mut notes.lock().unwrap()[at]);
    }
    let response = "HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    caller.write_all(response.as_bytes()).ok();
}
