//! An HTTP/1 connection that is driven by the fetch that uses it.
//!
//! hyper needs a connection to be polled alongside its requests. Most clients spawn a task for that; here the fetch
//! itself polls it. That avoids a task switch per chunk, and dropping the fetch closes the socket. A pooled connection
//! is not polled at all; a single poll before reuse detects whether it was closed.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::Response;
use http_body_util::Empty;
use hyper::body::{Body, Frame, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;

use crate::errors::SendError;
use crate::request_builder::HttpRequest;
use crate::transport_stream::TransportStream;

/// Maximum number of headers in a response. Real sites exceed the usual limit of 100.
pub(crate) const MAX_HEADERS: usize = 256;
/// Maximum size of a response head in bytes.
pub(crate) const MAX_HEAD: usize = 256 * 1024;
/// Maximum number of polls after the last byte until the connection is idle.
const SETTLING_POLLS: usize = 4;

/// An HTTP/1 connection, used by one fetch at a time.
#[derive(Debug)]
pub(crate) struct H1 {
    sender: http1::SendRequest<Empty<Bytes>>,
    /// `None` once the connection has ended.
    driver: Option<http1::Connection<TokioIo<TransportStream>, Empty<Bytes>>>,
}

impl H1 {
    /// Starts HTTP/1 on a new stream.
    pub(crate) async fn open(stream: TransportStream) -> Result<Box<Self>, SendError> {
        let (sender, driver) = http1::Builder::new()
            .max_headers(MAX_HEADERS)
            .max_header_size(MAX_HEAD)
            .max_buf_size(MAX_HEAD + 16 * 1024)
            // As lenient as browsers.
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| SendError::new(&error, true))?;
        Ok(Box::new(Self {
            sender,
            driver: Some(driver),
        }))
    }

    /// Sends a request and waits for the response head.
    pub(crate) async fn send(
        &mut self,
        request: HttpRequest,
    ) -> Result<Response<Incoming>, SendError> {
        let mut response = std::pin::pin!(self.sender.try_send_request(request));
        let driver = &mut self.driver;
        poll_fn(|cx| {
            poll_driver(driver, cx);
            response.as_mut().poll(cx)
        })
        .await
        .map_err(|mut error| {
            let unsent = error.take_message().is_some();
            SendError::new(error.error(), unsent)
        })
    }

    /// Polls for the next chunk of the body.
    pub(crate) fn poll_frame(
        &mut self,
        body: &mut Incoming,
        cx: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        // Polling the body first signals to the driver that a chunk is wanted.
        if let Poll::Ready(frame) = Pin::new(&mut *body).poll_frame(cx) {
            return Poll::Ready(frame);
        }
        poll_driver(&mut self.driver, cx);
        Pin::new(body).poll_frame(cx)
    }

    /// Whether the connection can take another request. Called after the last byte.
    pub(crate) async fn is_reusable(&mut self) -> bool {
        poll_fn(|cx| {
            for _ in 0..SETTLING_POLLS {
                poll_driver(&mut self.driver, cx);
                if self.driver.is_none() || self.sender.is_ready() {
                    break;
                }
            }
            Poll::Ready(self.driver.is_some() && self.sender.is_ready())
        })
        .await
    }

    /// Whether an idle connection is still usable: the server has not closed it or sent unexpected data.
    pub(crate) async fn is_alive(&mut self) -> bool {
        poll_fn(|cx| {
            poll_driver(&mut self.driver, cx);
            Poll::Ready(self.driver.is_some() && self.sender.is_ready())
        })
        .await
    }
}

/// Drives the connection as far as possible. Its errors surface in the request or the body. A finished driver is
/// dropped, which ends everything that waits for it.
fn poll_driver(
    driver: &mut Option<http1::Connection<TokioIo<TransportStream>, Empty<Bytes>>>,
    cx: &mut Context<'_>,
) {
    if let Some(running) = driver
        && Pin::new(running).poll(cx).is_ready()
    {
        *driver = None;
    }
}
