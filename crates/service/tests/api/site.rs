//! A website that says exactly what a test wants, and counts who knocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

pub(crate) struct Site {
    pub(crate) port: u16,
    knocks: Arc<AtomicUsize>,
}

impl Site {
    /// Answers each path with what `answer` says, raw; an empty answer hangs up.
    pub(crate) async fn start(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let knocks = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&knocks);
        let answer = Arc::new(answer);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let answer = Arc::clone(&answer);
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    let mut bytes = [0; 1_024];
                    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
                        match stream.read(&mut bytes).await {
                            Ok(0) | Err(_) => return,
                            Ok(read) => head.extend_from_slice(&bytes[..read]),
                        }
                    }
                    let head = String::from_utf8_lossy(&head).into_owned();
                    let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
                    let said = answer(&path);
                    if said == "never" {
                        // Holds the connection until the caller gives up.
                        let _ = stream.read(&mut bytes).await;
                        return;
                    }
                    let _ = stream.write_all(said.as_bytes()).await;
                });
            }
        });
        Self { port, knocks }
    }

    /// By the name that the service is allowed to reach.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://site.test:{}{path}", self.port)
    }

    pub(crate) fn knocks(&self) -> usize {
        self.knocks.load(Ordering::SeqCst)
    }
}

pub(crate) fn answer(status: &str, media: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {media}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

pub(crate) fn page(body: &str) -> String {
    answer("200 OK", "text/html", body)
}

pub(crate) fn moved(to: &str) -> String {
    format!(
        "HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    )
}
