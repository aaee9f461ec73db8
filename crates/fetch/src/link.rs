//! The connection one fetch talks over, whichever protocol it speaks.

use std::future::poll_fn;
use std::pin::Pin;

use bytes::Bytes;
use http::Response;
use hyper::body::{Body, Frame, Incoming};

use crate::fault::SendFault;
use crate::h1::H1;
use crate::h2::Turn;
use crate::request_head::Ask;

/// A connection of its own, or a stream of a shared one.
#[derive(Debug)]
pub(crate) enum Link {
    /// HTTP/1.
    Own(Box<H1>),
    /// HTTP/2.
    Stream(Turn),
}

impl Link {
    /// Sends a request and waits for the answer's head.
    pub(crate) async fn send(&mut self, ask: Ask) -> Result<Response<Incoming>, SendFault> {
        match self {
            Self::Own(h1) => h1.send(ask).await,
            Self::Stream(turn) => turn.send(ask).await,
        }
    }

    /// The next piece of the body.
    pub(crate) async fn frame(
        &mut self,
        body: &mut Incoming,
    ) -> Option<hyper::Result<Frame<Bytes>>> {
        poll_fn(|cx| match self {
            Self::Own(h1) => h1.poll_frame(body, cx),
            Self::Stream(_) => Pin::new(&mut *body).poll_frame(cx),
        })
        .await
    }
}
