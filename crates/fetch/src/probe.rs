//! Access to internal functions, for the micro-benchmarks.

use bytes::Bytes;
use crawler_model::{Failure, FetchRules};
use crawler_weburl::UrlRef;
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, HeaderValue};

use crate::FetchSetupError;
use crate::body_buffer::BodyBuffer;
use crate::request_builder::{RequestBuilder, TargetForm, host_value};

/// Default cap of a body.
const CAP: u64 = 2_000_000;

/// Collects and decodes a body that arrives in pieces.
pub fn decode_body(
    coding: Option<&'static str>,
    content_length: Option<u64>,
    pieces: impl Iterator<Item = Bytes>,
) -> Result<Bytes, Failure> {
    let mut headers = HeaderMap::new();
    if let Some(coding) = coding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    let mut buffer = BodyBuffer::new(&headers, CAP, content_length)?;
    for piece in pieces {
        buffer.push(&piece)?;
    }
    Ok(buffer.finish()?.bytes)
}

/// Builds requests to one origin.
#[derive(Debug)]
pub struct RequestProbe {
    builder: RequestBuilder,
    host: HeaderValue,
}

impl RequestProbe {
    /// Creates a probe from the rules of a crawl.
    pub fn new(rules: &FetchRules, url: UrlRef<'_>) -> Result<Self, FetchSetupError> {
        let bad = |_| FetchSetupError::Header("host".into());
        Ok(Self {
            builder: RequestBuilder::new(rules)?,
            host: host_value(url).map_err(bad)?,
        })
    }

    /// Builds the request for a URL and returns its number of headers.
    pub fn header_count(&self, url: UrlRef<'_>) -> Result<usize, Failure> {
        let request = self
            .builder
            .build(url, None, TargetForm::Origin { host: &self.host })?;
        Ok(request.headers().len())
    }
}
