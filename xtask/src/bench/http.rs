//! A minimal HTTP client for our own server: one request per connection, bodies with a length or in chunks.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

const TIMEOUT: Duration = Duration::from_mins(2);

/// A response whose body has not been read.
pub(crate) struct Response {
    pub(crate) status: u16,
    reader: BufReader<TcpStream>,
    /// Bytes left in the chunk or the body.
    left: usize,
    chunked: bool,
    ended: bool,
}

/// Sends a request, with a JSON body if it is not empty.
pub(crate) fn request(addr: SocketAddr, method: &str, path: &str, body: &str) -> Result<Response> {
    let stream = TcpStream::connect_timeout(&addr, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    let mut out = stream.try_clone()?;
    write!(
        out,
        "{method} {path} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut reader = BufReader::new(stream);
    let first = line(&mut reader)?;
    let status = first
        .split(' ')
        .nth(1)
        .and_then(|word| word.parse().ok())
        .with_context(|| format!("no status in {first:?}"))?;
    let (mut left, mut chunked) = (0, false);
    loop {
        let header = line(&mut reader)?.to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(length) = header.strip_prefix("content-length:") {
            left = length.trim().parse()?;
        }
        chunked |= header.starts_with("transfer-encoding:") && header.contains("chunked");
    }
    Ok(Response {
        status,
        reader,
        left,
        chunked,
        ended: false,
    })
}

/// Sends a request and parses the response as JSON; any status but success is an error with the response's text.
pub(crate) fn request_json(
    addr: SocketAddr,
    method: &str,
    path: &str,
    body: &str,
) -> Result<Value> {
    let mut response = request(addr, method, path, body)?;
    let mut text = String::new();
    response.read_to_string(&mut text)?;
    if !(200..300).contains(&response.status) {
        bail!("{method} {path}: {} {text}", response.status);
    }
    serde_json::from_str(&text).with_context(|| format!("{method} {path}: {text:?}"))
}

fn line(reader: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

impl Response {
    /// Reads the next chunk's size, or the end.
    fn next_chunk(&mut self) -> Result<()> {
        if !self.chunked {
            self.ended = true;
            return Ok(());
        }
        let mut size = line(&mut self.reader)?;
        if size.is_empty() {
            // The line break after the previous chunk.
            size = line(&mut self.reader)?;
        }
        self.left = usize::from_str_radix(&size, 16)
            .with_context(|| format!("the response was cut off: {size:?} is not a chunk size"))?;
        self.ended = self.left == 0;
        Ok(())
    }
}

impl Read for Response {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 && !self.ended {
            self.next_chunk().map_err(std::io::Error::other)?;
        }
        if self.ended || into.is_empty() {
            return Ok(0);
        }
        let length = self.left.min(into.len());
        let read = self.reader.read(&mut into[..length])?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= read;
        Ok(read)
    }
}
