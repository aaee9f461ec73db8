//! An HTTP/1 connection that is driven by whoever uses it.
//!
//! hyper wants a connection polled beside its requests. Most clients spawn a task for that; here the
//! fetch itself does it: no task switch per piece, and giving up the fetch closes the socket, because
//! nobody else holds it. In the pool a connection is not polled at all; that it was closed meanwhile
//! shows in the one poll before it is used again.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::Response;
use http_body_util::Empty;
use hyper::body::{Body, Frame, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;

use crate::fault::SendFault;
use crate::request_head::Ask;
use crate::wire::Wire;

/// Headers accepted in one answer. Real sites exceed the usual hundred.
pub(crate) const MAX_HEADERS: usize = 256;
/// Bytes accepted in one answer's head.
pub(crate) const MAX_HEAD: usize = 256 * 1024;
/// Polls after the last byte until the connection knows that it is idle.
const SETTLING_POLLS: usize = 4;

/// One connection, used by one fetch at a time.
#[derive(Debug)]
pub(crate) struct H1 {
    sender: http1::SendRequest<Empty<Bytes>>,
    /// `None` once the connection has ended.
    driver: Option<http1::Connection<TokioIo<Wire>, Empty<Bytes>>>,
}

impl H1 {
    /// A connection over a fresh wire.
    pub(crate) async fn open(wire: Wire) -> Result<Box<Self>, SendFault> {
        let (sender, driver) = http1::Builder::new()
            .max_headers(MAX_HEADERS)
            .max_header_size(MAX_HEAD)
            .max_buf_size(MAX_HEAD + 16 * 1024)
            // What browsers read, a crawler has to read.
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .handshake(TokioIo::new(wire))
            .await
            .map_err(|error| SendFault::new(&error, true))?;
        Ok(Box::new(Self {
            sender,
            driver: Some(driver),
        }))
    }

    /// Sends a request and waits for the answer's head.
    pub(crate) async fn send(&mut self, ask: Ask) -> Result<Response<Incoming>, SendFault> {
        let mut answer = std::pin::pin!(self.sender.try_send_request(ask));
        let driver = &mut self.driver;
        poll_fn(|cx| {
            poll_driver(driver, cx);
            answer.as_mut().poll(cx)
        })
        .await
        .map_err(|mut error| {
            let unsent = error.take_message().is_some();
            SendFault::new(error.error(), unsent)
        })
    }

    /// The next piece of the body.
    pub(crate) fn poll_frame(
        &mut self,
        body: &mut Incoming,
        cx: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        // Asking first tells the driver that a piece is wanted.
        if let Poll::Ready(frame) = Pin::new(&mut *body).poll_frame(cx) {
            return Poll::Ready(frame);
        }
        poll_driver(&mut self.driver, cx);
        Pin::new(body).poll_frame(cx)
    }

    /// After the last byte: whether the connection can take another request.
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

    /// Before it is used again: whether the server has not closed it meanwhile, or sent what nobody
    /// asked for.
    pub(crate) async fn is_alive(&mut self) -> bool {
        poll_fn(|cx| {
            poll_driver(&mut self.driver, cx);
            Poll::Ready(self.driver.is_some() && self.sender.is_ready())
        })
        .await
    }
}

/// Drives the connection as far as it goes. Its errors reach us through the request or the body; a
/// driver that ended is dropped, which ends those that still wait for it.
fn poll_driver(
    driver: &mut Option<http1::Connection<TokioIo<Wire>, Empty<Bytes>>>,
    cx: &mut Context<'_>,
) {
    if let Some(running) = driver
        && Pin::new(running).poll(cx).is_ready()
    {
        *driver = None;
    }
}
