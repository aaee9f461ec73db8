//! A website with fixed responses that counts its connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

pub(crate) struct Site {
    pub(crate) port: u16,
    connections: Arc<AtomicUsize>,
}

impl Site {
    /// Sends the raw response returned by `respond` for each path; an empty one closes the connection, `never` keeps it
    /// open without a response.
    pub(crate) async fn start(respond: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self::start_async(move |path| std::future::ready(respond(&path))).await
    }

    /// Like [`Site::start`], with responses that may wait.
    pub(crate) async fn start_async<R>(
        respond: impl Fn(String) -> R + Send + Sync + 'static,
    ) -> Self
    where
        R: Future<Output = String> + Send,
    {
        Self::serve(TcpListener::bind("127.0.0.1:0").await.unwrap(), respond)
    }

    /// Serves an empty page for each path.
    pub(crate) fn on(listener: TcpListener) -> Self {
        Self::serve(listener, |_| std::future::ready(page("<p>words")))
    }

    fn serve<R>(
        listener: TcpListener,
        respond: impl Fn(String) -> R + Send + Sync + 'static,
    ) -> Self
    where
        R: Future<Output = String> + Send,
    {
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        let respond = Arc::new(respond);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let respond = Arc::clone(&respond);
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
                    let response = respond(path).await;
                    if response == "never" {
                        // Keeps the connection open until the client closes it.
                        let _ = stream.read(&mut bytes).await;
                        return;
                    }
                    let _ = stream.write_all(response.as_bytes()).await;
                });
            }
        });
        Self { port, connections }
    }

    /// Returns a URL with the host name that the service is allowed to reach.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://site.test:{}{path}", self.port)
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

pub(crate) fn response(status: &str, media: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {media}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

pub(crate) fn page(body: &str) -> String {
    response("200 OK", "text/html", body)
}

pub(crate) fn moved(to: &str) -> String {
    format!(
        "HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    )
}
