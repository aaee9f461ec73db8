//! One HTTP request on its own connection.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Sends a raw request; returns status and body. A response that is cut off, or does not end in time, is an error.
pub(crate) fn send(addr: &str, request: &str, timeout: Duration) -> Result<(u16, String)> {
    let mut stream = TcpStream::connect(addr.replace("0.0.0.0", "127.0.0.1"))?;
    stream.set_read_timeout(Some(timeout))?;
    stream.write_all(request.as_bytes())?;
    let (started, mut response) = (Instant::now(), Vec::new());
    let mut part = [0; 16 * 1024];
    loop {
        let read = stream.read(&mut part)?;
        if read == 0 {
            break;
        }
        response.extend_from_slice(&part[..read]);
        // A stream of events sends something from time to time, so that no single read times out.
        if started.elapsed() > timeout {
            return Err(Error::from(ErrorKind::TimedOut));
        }
    }
    let response = String::from_utf8_lossy(&response);
    let cut_off = || Error::other(format!("cut off: {response}"));
    let (head, body) = response.split_once("\r\n\r\n").ok_or_else(cut_off)?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())?
    });
    if length.is_some_and(|length| length != body.len()) {
        return Err(cut_off());
    }
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
    Ok((status.ok_or_else(cut_off)?, body.to_owned()))
}

pub(crate) fn get(addr: &str, path: &str, timeout: Duration) -> Result<(u16, String)> {
    let request = format!("GET {path} HTTP/1.0\r\nhost: localhost\r\n\r\n");
    send(addr, &request, timeout)
}

/// Posts JSON.
pub(crate) fn post(addr: &str, path: &str, body: &str, timeout: Duration) -> Result<(u16, String)> {
    send(addr, &post_request(path, "", body), timeout)
}

/// A request that posts JSON; each of the other headers ends with a line break.
pub(crate) fn post_request(path: &str, headers: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.0\r\nhost: localhost\r\n{headers}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}
