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
        [tcp_name, udp_name]: [&'static str; 2],
    ) -> io::Result<Self> {
        let ip: IpAddr = address.parse().map_err(io::Error::other)?;
        let tcp = TcpListener::bind((ip, port))?;
        let address = tcp.local_addr()?;
        let udp = UdpSocket::bind(address)?;
        let received = Received::default();
        let log = Arc::clone(&received);
        std::thread::spawn(move || {
            for client in tcp.incoming().flatten() {
                let log = Arc::clone(&log);
                std::thread::spawn(move || listen(client, &log, tcp_name));
            }
        });
        let log = Arc::clone(&received);
        std::thread::spawn(move || {
            let mut packet = [0; 2048];
            while udp.recv_from(&mut packet).is_ok() {
                log.lock().unwrap().push(udp_name.to_owned());
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

fn listen(mut client: TcpStream, log: &Received, default_name: &str) {
    // Every connection counts, with or without a request.
    let index = {
        let mut log = log.lock().unwrap();
        log.push(default_name.to_owned());
        log.len() - 1
    };
    client.set_read_timeout(Some(Duration::from_secs(20))).ok();
    let mut head = vec![0; 4096];
    let read = client.read(&mut head).unwrap_or(0);
    let head = String::from_utf8_lossy(&head[..read]).into_owned();
    let target = head.split(' ').nth(1).unwrap_or_default();
    if let Some(channel) = target.strip_prefix("/c/") {
        channel.clone_into(&mut log.lock().unwrap()[index]);
    }
    let response = "HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    client.write_all(response.as_bytes()).ok();
}
