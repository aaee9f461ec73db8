//! Requests to the API. A failed request is an error, not a panic, because processes are killed meanwhile.

use std::io::{Error, Result};
use std::time::Duration;

use serde_json::Value;

use crate::harness::http;

/// Longer than the API waits for its store.
const TIMEOUT: Duration = Duration::from_secs(15);

pub(crate) fn get(addr: &str, path: &str) -> Result<(u16, String)> {
    http::get(addr, path, TIMEOUT)
}

pub(crate) fn post(addr: &str, path: &str, body: &Value) -> Result<(u16, String)> {
    http::post(addr, path, &body.to_string(), TIMEOUT)
}

pub(crate) fn delete(addr: &str, path: &str) -> Result<(u16, String)> {
    let request = format!("DELETE {path} HTTP/1.0\r\nhost: localhost\r\n\r\n");
    http::send(addr, &request, TIMEOUT)
}

/// Posts with an `Idempotency-Key`.
pub(crate) fn post_with_key(
    addr: &str,
    path: &str,
    key: &str,
    body: &Value,
) -> Result<(u16, String)> {
    let header = format!("idempotency-key: {key}\r\n");
    let request = http::post_request(path, &header, &body.to_string());
    http::send(addr, &request, TIMEOUT)
}

/// The JSON of a GET that must succeed.
pub(crate) fn get_json(addr: &str, path: &str) -> Result<Value> {
    let (status, body) = get(addr, path)?;
    if status != 200 {
        return Err(Error::other(format!("{path}: {status} {body}")));
    }
    serde_json::from_str(&body).map_err(Error::other)
}

/// All entries of a paginated list.
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
