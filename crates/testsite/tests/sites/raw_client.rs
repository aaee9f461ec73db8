//! A minimal client: sends a request and returns the raw response.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Sends one request on a new connection. Reads until the server closes it, `limit` bytes have arrived, or nothing
/// arrives for two seconds.
pub(crate) fn get(address: SocketAddr, target: &str, limit: usize) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(2)))
        .unwrap();
    let request = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 << 10];
    while bytes.len() < limit {
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&piece[..count]),
            _ => break,
        }
    }
    bytes
}

/// Like [`get`], as text.
pub(crate) fn text(address: SocketAddr, target: &str) -> String {
    String::from_utf8_lossy(&get(address, target, 8 << 20)).into_owned()
}
