//! A caller of the API. What it may get wrong while processes die is an error here, not a panic.

use std::io::{Error, Read, Result, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// Longer than the API waits for its store.
const PATIENCE: Duration = Duration::from_secs(15);

/// Sends one request; status and body.
fn call(addr: &str, request: &str) -> Result<(u16, String)> {
    let mut stream = TcpStream::connect(addr)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let cut = || Error::other(format!("cut off: {answer}"));
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(cut)?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())?
    });
    if length.is_some_and(|length| length != body.len()) {
        return Err(cut());
    }
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
    Ok((status.ok_or_else(cut)?, body.to_owned()))
}

pub(crate) fn get(addr: &str, path: &str) -> Result<(u16, String)> {
    call(
        addr,
        &format!("GET {path} HTTP/1.0\r\nhost: localhost\r\n\r\n"),
    )
}

pub(crate) fn post(addr: &str, path: &str, body: &Value) -> Result<(u16, String)> {
    let body = body.to_string();
    call(
        addr,
        &format!(
            "POST {path} HTTP/1.0\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ),
    )
}

/// The JSON of a GET that must be answered with 200.
pub(crate) fn get_json(addr: &str, path: &str) -> Result<Value> {
    let (status, body) = get(addr, path)?;
    if status != 200 {
        return Err(Error::other(format!("{path}: {status} {body}")));
    }
    serde_json::from_str(&body).map_err(Error::other)
}

/// All entries of a list, page by page.
pub(crate) fn list(addr: &str, path: &str, name: &str, limit: u32) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = get_json(addr, &format!("{path}?limit={limit}{cursor}"))?;
        let entries = page[name].as_array().cloned();
        all.extend(entries.ok_or_else(|| Error::other(format!("{path}: {page}")))?);
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(all),
        }
    }
}
