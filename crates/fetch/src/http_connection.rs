//! The connection of one fetch, over HTTP/1 or HTTP/2.

use std::future::poll_fn;
use std::pin::Pin;

use bytes::Bytes;
use http::Response;
use hyper::body::{Body, Frame, Incoming};

use crate::errors::SendError;
use crate::h1::H1;
use crate::h2::StreamPermit;
use crate::request_builder::HttpRequest;

/// An HTTP/1 connection, or one stream of a shared HTTP/2 connection.
#[derive(Debug)]
pub(crate) enum HttpConnection {
    /// A connection for this fetch alone.
    H1(Box<H1>),
    /// A stream of a shared connection.
    H2(StreamPermit),
}

impl HttpConnection {
    /// Sends a request and waits for the response head.
    pub(crate) async fn send(
        &mut self,
        request: HttpRequest,
    ) -> Result<Response<Incoming>, SendError> {
        match self {
            Self::H1(h1) => h1.send(request).await,
            Self::H2(permit) => permit.send(request).await,
        }
    }

    /// Returns the next chunk of the body.
    pub(crate) async fn frame(
        &mut self,
        body: &mut Incoming,
    ) -> Option<hyper::Result<Frame<Bytes>>> {
        poll_fn(|cx| match self {
            Self::H1(h1) => h1.poll_frame(body, cx),
            Self::H2(_) => Pin::new(&mut *body).poll_frame(cx),
        })
        .await
    }
}
