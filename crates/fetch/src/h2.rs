//! A shared HTTP/2 connection.
//!
//! hyper silently queues requests beyond the server's stream limit. Streams are counted here, so
//! that waiting for a free stream does not count as waiting for the server. Until the server has announced its limit
//! only one stream is opened, because streams beyond the limit would be refused. Nothing else limits them: how many requests a
//! host gets at once is decided by the caller.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use crawler_model::lock;
use http::Response;
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use crate::errors::SendError;
use crate::h1::MAX_HEAD;
use crate::request_builder::HttpRequest;
use crate::transport_stream::TransportStream;

/// Interval of checks for the limit that the server announces, and their maximum number.
const LIMIT_CHECK_INTERVAL: Duration = Duration::from_millis(5);
const MAX_LIMIT_CHECKS: u32 = 1_000;
/// Interval and timeout of pings, which detect dead connections.
const PING_INTERVAL: Duration = Duration::from_secs(5);

/// An HTTP/2 connection, shared by all requests to an origin.
#[derive(Debug)]
pub(crate) struct H2 {
    sender: http2::SendRequest<Empty<Bytes>>,
    streams: Mutex<Streams>,
    limit: Arc<StreamLimit>,
}

/// Maximum number of open streams, updated by the connection's task.
#[derive(Debug)]
struct StreamLimit {
    max: AtomicUsize,
    freed: Notify,
}

#[derive(Debug)]
struct Streams {
    open: usize,
    last_used: Instant,
}

/// Permission to open one stream, returned on drop.
#[derive(Debug)]
pub(crate) struct StreamPermit(Arc<H2>);

impl H2 {
    /// Starts HTTP/2 on a new stream. A separate task drives the connection and ends with its last user.
    pub(crate) async fn open(stream: TransportStream) -> Result<Arc<Self>, SendError> {
        #[expect(clippy::cast_possible_truncation, reason = "a constant that fits")]
        let (sender, mut driver) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .keep_alive_interval(PING_INTERVAL)
            .keep_alive_timeout(PING_INTERVAL)
            .initial_max_send_streams(1)
            .max_header_list_size(MAX_HEAD as u32)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| SendError::new(&error, true))?;
        let limit = Arc::new(StreamLimit {
            max: AtomicUsize::new(1),
            freed: Notify::new(),
        });
        let announced = Arc::clone(&limit);
        tokio::spawn(async move {
            let mut run = pin!(poll_fn(|cx| {
                let ended = Pin::new(&mut driver).poll(cx);
                announced.set(driver.current_max_send_streams());
                ended
            }));
            // hyper does not tell when the limit arrives, and the driver is idle until the next request. Requests that
            // wait for the limit would therefore wait for the first response.
            for _ in 0..MAX_LIMIT_CHECKS {
                if announced.max.load(Ordering::Relaxed) > 1 {
                    break;
                }
                if timeout(LIMIT_CHECK_INTERVAL, run.as_mut()).await.is_ok() {
                    return;
                }
            }
            // Its errors surface in the requests.
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
    pub(crate) async fn acquire_stream(self: Arc<Self>) -> StreamPermit {
        loop {
            // Created before the check, so that a stream freed in between is not missed.
            let freed = self.limit.freed.notified();
            if self.try_open() {
                // Wake the next waiter: the limit may have grown by more than one.
                self.limit.freed.notify_one();
                return StreamPermit(Arc::clone(&self));
            }
            freed.await;
        }
    }

    fn try_open(&self) -> bool {
        let limit = self.limit.max.load(Ordering::Relaxed);
        let mut streams = lock(&self.streams);
        let free = streams.open < limit;
        if free {
            streams.open += 1;
        }
        free
    }

    /// Whether the connection is open. A shutdown by the server may be noticed late.
    pub(crate) fn is_alive(&self) -> bool {
        !self.sender.is_closed()
    }

    /// Returns the time when the last stream was closed; `None` while a stream is open.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let streams = lock(&self.streams);
        (streams.open == 0).then_some(streams.last_used)
    }
}

impl StreamLimit {
    fn set(&self, allowed: usize) {
        // A server may allow no streams for a while; one request then waits inside the connection.
        let max = allowed.max(1);
        if self.max.swap(max, Ordering::Relaxed) < max {
            self.freed.notify_one();
        }
    }
}

impl StreamPermit {
    /// Sends a request and waits for the response head.
    pub(crate) async fn send(&self, request: HttpRequest) -> Result<Response<Incoming>, SendError> {
        let sent = self.0.sender.clone().try_send_request(request).await;
        sent.map_err(|mut error| {
            // A request that waits for its stream is dropped when the server shuts down. hyper reports
            // that as a user error ("the dispatch task is gone"); the request was never written.
            let unsent = error.take_message().is_some() || error.error().is_user();
            SendError::new(error.error(), unsent)
        })
    }

    /// Returns the connection of the stream.
    pub(crate) fn connection(&self) -> &Arc<H2> {
        &self.0
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut streams = lock(&self.0.streams);
        streams.open -= 1;
        streams.last_used = Instant::now();
        drop(streams);
        self.0.limit.freed.notify_one();
    }
}
