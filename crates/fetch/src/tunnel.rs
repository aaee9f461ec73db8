//! `CONNECT`: a tunnel through a proxy.

use bytes::Bytes;
use futures_util::future::{Either, select};
use http::header::{HOST, PROXY_AUTHORIZATION};
use http::{HeaderValue, Method, Request, Uri};
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use model::{FailKind, Failure};
use tokio::net::TcpStream;

/// A head from a proxy is short.
const MAX_HEAD: usize = 16 * 1024;

/// Asks a connected proxy for a tunnel to `host:port`; the stream that comes back is the tunnel.
pub(crate) async fn tunnel(
    stream: TcpStream,
    host: &str,
    port: u16,
    authorization: Option<&HeaderValue>,
) -> Result<TcpStream, Failure> {
    let ask = connect_request(&format!("{host}:{port}"), authorization)
        .ok_or_else(|| failure("the proxy cannot be asked for this host"))?;
    let closed = |_| failure("the proxy closed the connection");
    let (mut sender, driver) = http1::Builder::new()
        .max_buf_size(MAX_HEAD)
        .handshake::<_, Empty<Bytes>>(TokioIo::new(stream))
        .await
        .map_err(closed)?;
    let driver = Box::pin(driver.without_shutdown());
    let (answer, driver) = match select(Box::pin(sender.send_request(ask)), driver).await {
        Either::Left((answer, driver)) => (answer.map_err(closed)?, Either::Left(driver)),
        Either::Right((parts, answer)) => (answer.await.map_err(closed)?, Either::Right(parts)),
    };
    if !answer.status().is_success() {
        let status = answer.status().as_u16();
        return Err(failure(&format!("the proxy refused the tunnel ({status})")));
    }
    let parts = match driver {
        Either::Left(driver) => driver.await,
        Either::Right(parts) => parts,
    };
    let parts = parts.map_err(closed)?;
    if !parts.read_buf.is_empty() {
        return Err(failure("the proxy spoke out of turn"));
    }
    Ok(parts.io.into_inner())
}

fn connect_request(
    authority: &str,
    authorization: Option<&HeaderValue>,
) -> Option<Request<Empty<Bytes>>> {
    let mut ask = Request::new(Empty::new());
    *ask.method_mut() = Method::CONNECT;
    *ask.uri_mut() = Uri::try_from(authority).ok()?;
    ask.headers_mut()
        .insert(HOST, HeaderValue::from_str(authority).ok()?);
    if let Some(value) = authorization {
        ask.headers_mut().insert(PROXY_AUTHORIZATION, value.clone());
    }
    Some(ask)
}

fn failure(words: &str) -> Failure {
    Failure::new(FailKind::Connect, words)
}
