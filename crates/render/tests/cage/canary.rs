//! Somebody who listens where nobody may call.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A listener for TCP and UDP on one address and port; it notes every caller, and answers those who speak HTTP.
pub(crate) struct Canary {
    pub(crate) address: SocketAddr,
    heard: Heard,
}

/// What callers said, in short: `/c/<channel>` of a request, else `tcp`, `udp` or `dns`.
type Heard = Arc<Mutex<Vec<String>>>;

impl Canary {
    /// On a free port.
    pub(crate) fn new(address: &str) -> Self {
        Self::listening(address, 0, ["tcp", "udp"]).unwrap()
    }

    /// In the place of a name server, if that place can be taken.
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
        let heard = Heard::default();
        let notes = Arc::clone(&heard);
        std::thread::spawn(move || {
            for caller in tcp.incoming().flatten() {
                let notes = Arc::clone(&notes);
                std::thread::spawn(move || listen(caller, &notes, by_tcp));
            }
        });
        let notes = Arc::clone(&heard);
        std::thread::spawn(move || {
            let mut packet = [0; 2048];
            while udp.recv_from(&mut packet).is_ok() {
                notes.lock().unwrap().push(by_udp.to_owned());
            }
        });
        Ok(Self { address, heard })
    }

    /// Everything that was heard.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    /// The channels that came through.
    pub(crate) fn channels(&self) -> BTreeSet<String> {
        self.heard().into_iter().collect()
    }
}

fn listen(mut caller: TcpStream, notes: &Heard, unnamed: &str) {
    // Whoever connects was heard, whatever comes next.
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
    let answer = "HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    caller.write_all(answer.as_bytes()).ok();
}
