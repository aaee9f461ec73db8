//! A shared HTTP/2 connection.
//!
//! hyper lets any number of requests queue silently behind a server's stream limit, so the streams are
//! counted here: waiting for one is not waiting for the server. Until the server has told its limit only
//! one stream is opened, since those beyond the limit would be refused.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::fault::SendFault;
use crate::h1::MAX_HEAD;
use crate::request_head::Ask;
use crate::wire::Wire;

/// Streams we open at once, whatever the server allows.
const MOST_STREAMS: usize = 100;
/// A connection that answers no ping is dead, and must not be handed out for ever.
const PING_EVERY: Duration = Duration::from_secs(5);

/// One connection for all requests to an origin.
#[derive(Debug)]
pub(crate) struct H2 {
    sender: http2::SendRequest<Empty<Bytes>>,
    streams: Mutex<Streams>,
    limit: Arc<Limit>,
}

/// How many streams may be open, as the connection's task hears it from the server.
#[derive(Debug)]
struct Limit {
    most: AtomicUsize,
    freed: Notify,
}

#[derive(Debug)]
struct Streams {
    open: usize,
    last_used: Instant,
}

/// The right to one stream, given back when dropped.
#[derive(Debug)]
pub(crate) struct Turn(Arc<H2>);

impl H2 {
    /// A connection over a fresh wire. It is driven by a task of its own, which ends with the last user.
    pub(crate) async fn open(wire: Wire) -> Result<Arc<Self>, SendFault> {
        #[expect(clippy::cast_possible_truncation, reason = "a constant that fits")]
        let (sender, mut driver) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_EVERY)
            .initial_max_send_streams(1)
            .max_header_list_size(MAX_HEAD as u32)
            .handshake(TokioIo::new(wire))
            .await
            .map_err(|error| SendFault::new(&error, true))?;
        let limit = Arc::new(Limit {
            most: AtomicUsize::new(1),
            freed: Notify::new(),
        });
        let heard = Arc::clone(&limit);
        tokio::spawn(async move {
            let run = poll_fn(|cx| {
                let ended = Pin::new(&mut driver).poll(cx);
                heard.set(driver.current_max_send_streams());
                ended
            });
            // Its errors reach us through the requests.
            run.await.ok();
        });
        Ok(Arc::new(Self {
            sender,
            streams: Mutex::new(Streams {
                open: 0,
                last_used: Instant::now(),
            }),
            limit,
        }))
    }

    /// Waits until a stream may be opened.
    pub(crate) async fn turn(self: Arc<Self>) -> Turn {
        loop {
            // Made before looking, so that a stream freed in between is not missed.
            let freed = self.limit.freed.notified();
            if self.try_open() {
                // Whoever is served wakes the next: the limit may have grown by more than one.
                self.limit.freed.notify_one();
                return Turn(Arc::clone(&self));
            }
            freed.await;
        }
    }

    fn try_open(&self) -> bool {
        let limit = self.limit.most.load(Ordering::Relaxed);
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let free = streams.open < limit;
        if free {
            streams.open += 1;
        }
        free
    }

    /// Whether it may be handed out; a server that is going away shows here, but not always in time.
    pub(crate) fn is_alive(&self) -> bool {
        !self.sender.is_closed()
    }

    /// Since when no stream is open; `None` while one is.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        (streams.open == 0).then_some(streams.last_used)
    }
}

impl Limit {
    fn set(&self, allowed: usize) {
        // A server may allow none for a while; one then waits inside the connection.
        let most = allowed.clamp(1, MOST_STREAMS);
        if self.most.swap(most, Ordering::Relaxed) < most {
            self.freed.notify_one();
        }
    }
}

impl Turn {
    /// Sends a request and waits for the answer's head.
    pub(crate) async fn send(&self, ask: Ask) -> Result<Response<Incoming>, SendFault> {
        let answer = self.0.sender.clone().try_send_request(ask).await;
        answer.map_err(|mut error| {
            // A request that waits for its stream is forgotten when the server goes away: hyper then
            // calls it a fault of ours ("the dispatch task is gone"), and it was never written.
            let unsent = error.take_message().is_some() || error.error().is_user();
            SendFault::new(error.error(), unsent)
        })
    }

    /// The connection it is a stream of.
    pub(crate) fn connection(&self) -> &Arc<H2> {
        &self.0
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut streams = self
            .0
            .streams
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        streams.open -= 1;
        streams.last_used = Instant::now();
        drop(streams);
        self.0.limit.freed.notify_one();
    }
}
