//! A server that sends exactly what a test specifies, and counts connections.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// One accepted connection.
pub(crate) struct Conn {
    pub(crate) stream: Box<dyn Stream>,
    heads: Arc<Mutex<Vec<String>>>,
    unread: Vec<u8>,
}

/// A running server and what it received.
pub(crate) struct Server {
    pub(crate) port: u16,
    accepts: Arc<AtomicUsize>,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server that runs `serve` for every connection.
    pub(crate) async fn start<F, S>(serve: F) -> Self
    where
        F: Fn(Conn) -> S + Send + Sync + 'static,
        S: Future<Output = ()> + Send + 'static,
    {
        Self::start_over(serve, |stream| async { Ok(Box::new(stream) as _) }).await
    }

    /// Like `start`, over a layer on top of TCP.
    pub(crate) async fn start_over<F, S, W, U>(serve: F, wrap: W) -> Self
    where
        F: Fn(Conn) -> S + Send + Sync + 'static,
        S: Future<Output = ()> + Send + 'static,
        W: Fn(TcpStream) -> U + Send + Sync + 'static,
        U: Future<Output = io::Result<Box<dyn Stream>>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let accepts = Arc::new(AtomicUsize::new(0));
        let heads = Arc::new(Mutex::new(Vec::new()));
        let server = Self {
            port,
            accepts: Arc::clone(&accepts),
            heads: Arc::clone(&heads),
        };
        let (serve, wrap) = (Arc::new(serve), Arc::new(wrap));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                accepts.fetch_add(1, Ordering::SeqCst);
                let (serve, wrap) = (Arc::clone(&serve), Arc::clone(&wrap));
                let heads = Arc::clone(&heads);
                tokio::spawn(async move {
                    if let Ok(stream) = wrap(stream).await {
                        let unread = Vec::new();
                        serve(Conn {
                            stream,
                            heads,
                            unread,
                        })
                        .await;
                    }
                });
            }
        });
        server
    }

    /// Starts a server that answers every request with the same bytes and keeps the connection open.
    pub(crate) async fn responding(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes: Arc<[u8]> = bytes.into().into();
        Self::start(move |mut conn| {
            let bytes = Arc::clone(&bytes);
            async move {
                while conn.request().await.is_some() {
                    conn.send(&bytes).await;
                }
            }
        })
        .await
    }

    /// Starts a server that answers the first request with these bytes and closes the connection.
    pub(crate) async fn closing(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes: Arc<[u8]> = bytes.into().into();
        Self::start(move |mut conn| {
            let bytes = Arc::clone(&bytes);
            async move {
                conn.request().await;
                conn.send(&bytes).await;
                conn.stream.shutdown().await.ok();
            }
        })
        .await
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn accepts(&self) -> usize {
        self.accepts.load(Ordering::SeqCst)
    }

    /// Returns all request heads as received.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

impl Conn {
    /// Reads the next request head; `None` once the client has disconnected.
    pub(crate) async fn request(&mut self) -> Option<String> {
        loop {
            if let Some(at) = self.unread.windows(4).position(|four| four == b"\r\n\r\n") {
                let rest = self.unread.split_off(at + 4);
                let head = std::mem::replace(&mut self.unread, rest);
                let head = String::from_utf8_lossy(&head).into_owned();
                self.heads.lock().unwrap().push(head.clone());
                return Some(head);
            }
            if self.stream.read_buf(&mut self.unread).await.ok()? == 0 {
                return None;
            }
        }
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).await.is_ok() && self.stream.flush().await.is_ok()
    }

    /// Waits until the client has disconnected.
    pub(crate) async fn disconnected(&mut self) {
        while self
            .stream
            .read_buf(&mut self.unread)
            .await
            .is_ok_and(|n| n > 0)
        {}
    }
}

/// A response with a `Content-Length`.
pub(crate) fn response(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut bytes = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend(body);
    bytes
}

pub(crate) const HTML: &str = "content-type: text/html\r\n";
