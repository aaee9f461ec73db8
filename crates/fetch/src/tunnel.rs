//! Opens a tunnel through a proxy with `CONNECT`.

use bytes::Bytes;
use crawler_model::{FailKind, Failure};
use futures_util::future::{Either, select};
use http::header::{HOST, PROXY_AUTHORIZATION};
use http::{HeaderValue, Method, Request, Uri};
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Maximum size of a proxy's response head.
const MAX_HEAD: usize = 16 * 1024;

/// Opens a tunnel to `host:port` through a connected proxy.
pub(crate) async fn tunnel(
    stream: TcpStream,
    host: &str,
    port: u16,
    authorization: Option<&HeaderValue>,
) -> Result<TcpStream, Failure> {
    let request = connect_request(&format!("{host}:{port}"), authorization)
        .ok_or_else(|| failure("a tunnel to this host cannot be requested"))?;
    let closed = |_| failure("the proxy closed the connection");
    let (mut sender, driver) = http1::Builder::new()
        .max_buf_size(MAX_HEAD)
        .handshake::<_, Empty<Bytes>>(TokioIo::new(stream))
        .await
        .map_err(closed)?;
    let driver = Box::pin(driver.without_shutdown());
    let (response, driver) = match select(Box::pin(sender.send_request(request)), driver).await {
        Either::Left((response, driver)) => (response.map_err(closed)?, Either::Left(driver)),
        Either::Right((parts, response)) => (response.await.map_err(closed)?, Either::Right(parts)),
    };
    if !response.status().is_success() {
        let status = response.status().as_u16();
        return Err(failure(&format!("the proxy refused the tunnel ({status})")));
    }
    let parts = match driver {
        Either::Left(driver) => driver.await,
        Either::Right(parts) => parts,
    };
    let parts = parts.map_err(closed)?;
    if !parts.read_buf.is_empty() {
        return Err(failure("the proxy sent unexpected data"));
    }
    Ok(parts.io.into_inner())
}

fn connect_request(
    authority: &str,
    authorization: Option<&HeaderValue>,
) -> Option<Request<Empty<Bytes>>> {
    let mut request = Request::new(Empty::new());
    *request.method_mut() = Method::CONNECT;
    *request.uri_mut() = Uri::try_from(authority).ok()?;
    request
        .headers_mut()
        .insert(HOST, HeaderValue::from_str(authority).ok()?);
    if let Some(value) = authorization {
        request
            .headers_mut()
            .insert(PROXY_AUTHORIZATION, value.clone());
    }
    Some(request)
}

fn failure(message: &str) -> Failure {
    Failure::new(FailKind::Connect, message)
}
