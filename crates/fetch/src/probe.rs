//! This room's inner steps, one at a time, for the program that counts what they cost.

use bytes::Bytes;
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, HeaderValue};
use model::{Failure, FetchRules};
use weburl::UrlRef;

use crate::FetchSetupError;
use crate::body_intake::BodyIntake;
use crate::request_head::{Form, RequestHead, host_value};

/// The usual cap of a body.
const CAP: u64 = 2_000_000;

/// Takes in a body that comes in pieces.
pub fn taken_in(
    coding: Option<&'static str>,
    told_length: Option<u64>,
    pieces: impl Iterator<Item = Bytes>,
) -> Result<Bytes, Failure> {
    let mut headers = HeaderMap::new();
    if let Some(coding) = coding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    let mut intake = BodyIntake::new(&headers, CAP, told_length)?;
    for piece in pieces {
        intake.take(&piece)?;
    }
    Ok(intake.end()?.bytes)
}

/// Asks one origin.
#[derive(Debug)]
pub struct Asker {
    head: RequestHead,
    host: HeaderValue,
}

impl Asker {
    /// By the crawl's rules.
    pub fn new(rules: &FetchRules, url: UrlRef<'_>) -> Result<Self, FetchSetupError> {
        let bad = |_| FetchSetupError::Header("host".into());
        Ok(Self {
            head: RequestHead::new(rules)?,
            host: host_value(url).map_err(bad)?,
        })
    }

    /// Makes the request for a URL, and says how many headers it has.
    pub fn ask(&self, url: UrlRef<'_>) -> Result<usize, Failure> {
        let ask = self
            .head
            .ask(url, None, Form::Origin { host: &self.host })?;
        Ok(ask.headers().len())
    }
}
