//! One HTTP/1.1 connection: reads requests and writes the responses of the site. Implemented without an HTTP library,
//! because a library refuses to send the responses of a hostile site.

use std::io::IoSlice;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use memchr::memmem;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::request_log::{LogEntry, RequestLog};
use crate::site_response::{HttpReply, ResponseKind};
use crate::{Request, Site, SocketStep};

/// Maximum size of a request head; a longer one ends the connection.
const MAX_HEAD: usize = 1 << 20;
/// Bodies up to this size are copied after their head; longer ones are sent without copying.
const MAX_COPIED_BODY: usize = 16 << 10;

/// A stream that can end with a reset.
pub(crate) trait ResettableStream: AsyncRead + AsyncWrite + Unpin + Send {
    /// Makes the stream reset the connection when it is dropped.
    fn arm_reset(&self);
}

impl ResettableStream for TcpStream {
    fn arm_reset(&self) {
        self.set_zero_linger().ok();
    }
}

/// State shared by all connections of a server.
#[derive(Clone)]
pub(crate) struct ServerContext {
    pub(crate) site: Arc<dyn Site>,
    pub(crate) log: Arc<RequestLog>,
    pub(crate) address: SocketAddr,
    pub(crate) secure: bool,
}

/// What happens after a response.
enum Next {
    Request,
    End,
}

/// Serves requests until either side ends the connection.
pub(crate) async fn serve<W: ResettableStream>(mut wire: W, context: ServerContext) {
    let mut read_buffer = BytesMut::with_capacity(8 << 10);
    let mut write_buffer = Vec::with_capacity(8 << 10);
    while let Some(request) = read_request(&mut wire, &mut read_buffer, &context).await {
        let entry = context.log.open(&request);
        let response = context.site.respond(&request);
        if !response.delay.is_zero() {
            tokio::time::sleep(response.delay).await;
        }
        let next = match response.kind {
            ResponseKind::Reply(reply) => {
                write_reply(&mut wire, &mut write_buffer, &request, &reply, &entry).await
            }
            ResponseKind::Script(steps) => play(&mut wire, steps, &entry).await,
        };
        match next {
            Ok(Next::Request) => {}
            Ok(Next::End) => {
                wire.shutdown().await.ok();
                return;
            }
            Err(_) => return,
        }
    }
}

pub(crate) async fn read_request<W: ResettableStream>(
    wire: &mut W,
    read_buffer: &mut BytesMut,
    context: &ServerContext,
) -> Option<Request> {
    let mut scanned = 0;
    let end = loop {
        if let Some(found) = find_head_end(&read_buffer[scanned..]) {
            break scanned + found;
        }
        scanned = read_buffer.len().saturating_sub(3);
        if read_buffer.len() > MAX_HEAD || wire.read_buf(read_buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = read_buffer.split_to(end);
    read_buffer.advance(4);
    let mut request = Request::parse(&head, Vec::new(), context.address, context.secure)?;
    if let Some(length) = request.header("content-length") {
        let length: usize = length.parse().ok()?;
        while read_buffer.len() < length {
            if wire.read_buf(read_buffer).await.ok()? == 0 {
                return None;
            }
        }
        let body = read_buffer.split_to(length).to_vec();
        request = Request::parse(&head, body, context.address, context.secure)?;
    }
    Some(request)
}

fn find_head_end(bytes: &[u8]) -> Option<usize> {
    memmem::find(bytes, b"\r\n\r\n")
}

async fn write_reply<W: ResettableStream>(
    wire: &mut W,
    write_buffer: &mut Vec<u8>,
    request: &Request,
    reply: &HttpReply,
    entry: &LogEntry,
) -> std::io::Result<Next> {
    let keep_alive = request.keeps_alive();
    write_buffer.clear();
    reply.write_head(write_buffer, keep_alive);
    let with_body = request.method() != "HEAD" && !reply.bodiless();
    let body = if with_body { &reply.body[..] } else { &[] };
    if body.len() <= MAX_COPIED_BODY {
        write_buffer.extend_from_slice(body);
        wire.write_all(write_buffer).await?;
        entry.sent(write_buffer.len());
    } else {
        let both = [IoSlice::new(write_buffer), IoSlice::new(body)];
        let written = wire.write_vectored(&both).await?;
        entry.sent(written);
        send(wire, write_buffer.get(written..).unwrap_or_default(), entry).await?;
        let written = written.saturating_sub(write_buffer.len());
        send(wire, &body[written..], entry).await?;
    }
    wire.flush().await?;
    Ok(if keep_alive { Next::Request } else { Next::End })
}

/// Writes and counts piece by piece, so that the log shows how much a client has read.
async fn send<W: ResettableStream>(
    wire: &mut W,
    bytes: &[u8],
    entry: &LogEntry,
) -> std::io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let written = wire.write(rest).await?;
        if written == 0 {
            return Err(std::io::ErrorKind::WriteZero.into());
        }
        entry.sent(written);
        rest = &rest[written..];
    }
    Ok(())
}

async fn play<W: ResettableStream>(
    wire: &mut W,
    steps: Vec<SocketStep>,
    entry: &LogEntry,
) -> std::io::Result<Next> {
    for step in steps {
        match step {
            SocketStep::Send(bytes) => send(wire, &bytes, entry).await?,
            SocketStep::SendTimes(bytes, times) => {
                for _ in 0..times {
                    send(wire, &bytes, entry).await?;
                    tokio::task::yield_now().await;
                }
            }
            SocketStep::SendForever(bytes, pause) => loop {
                send(wire, &bytes, entry).await?;
                wire.flush().await?;
                wait(wire, pause).await?;
            },
            SocketStep::Drip(bytes, pause) => {
                for byte in &bytes {
                    send(wire, &[*byte], entry).await?;
                    wire.flush().await?;
                    wait(wire, pause).await?;
                }
            }
            SocketStep::Pause(pause) => {
                wire.flush().await?;
                wait(wire, pause).await?;
            }
            SocketStep::Hang => {
                wire.flush().await?;
                wait(wire, Duration::MAX).await?;
            }
            SocketStep::Close => return Ok(Next::End),
            SocketStep::Reset => {
                wire.flush().await?;
                wire.arm_reset();
                return Err(std::io::ErrorKind::ConnectionReset.into());
            }
            SocketStep::KeepAlive => {
                wire.flush().await?;
                return Ok(Next::Request);
            }
        }
    }
    Ok(Next::End)
}

/// Waits; returns an error if the client disconnects meanwhile.
async fn wait<W: ResettableStream>(wire: &mut W, pause: Duration) -> std::io::Result<()> {
    if pause.is_zero() {
        tokio::task::yield_now().await;
        return Ok(());
    }
    let mut scratch = [0; 256];
    let disconnected = async {
        // Data that a client sends before its response is complete is ignored.
        while wire.read(&mut scratch).await.is_ok_and(|count| count > 0) {}
    };
    match tokio::time::timeout(pause, disconnected).await {
        Ok(()) => Err(std::io::ErrorKind::BrokenPipe.into()),
        Err(_) => Ok(()),
    }
}
