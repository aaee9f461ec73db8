//! One HTTP/1.1 connection: reads request heads, asks the site, writes what it says. Written by
//! hand because the answers of a hostile site are exactly what an HTTP library refuses to send.

use std::io::IoSlice;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use memchr::memmem;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::answer::{Kind, Reply};
use crate::journal::{Entry, Journal};
use crate::{Request, Site, Step};

/// A request head longer than this ends the connection.
const HEAD_LIMIT: usize = 1 << 20;
/// Bodies up to this size are copied behind their head; longer ones leave from where they are.
const COPIED: usize = 16 << 10;

/// A stream that can be told to end with a reset.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Unpin + Send {
    /// Makes the coming drop of the stream a reset.
    fn arm_reset(&self);
}

impl Wire for TcpStream {
    fn arm_reset(&self) {
        self.set_zero_linger().ok();
    }
}

/// What every connection of a server needs.
#[derive(Clone)]
pub(crate) struct Hall {
    pub(crate) site: Arc<dyn Site>,
    pub(crate) journal: Arc<Journal>,
    pub(crate) address: SocketAddr,
    pub(crate) secure: bool,
}

/// Whether the connection goes on after an answer.
enum Next {
    Request,
    End,
}

/// Serves requests until one side has enough.
pub(crate) async fn serve<W: Wire>(mut wire: W, hall: Hall) {
    let mut inbox = BytesMut::with_capacity(8 << 10);
    let mut outbox = Vec::with_capacity(8 << 10);
    while let Some(request) = read_request(&mut wire, &mut inbox, &hall).await {
        let entry = hall.journal.open(&request);
        let answer = hall.site.answer(&request);
        if !answer.delay.is_zero() {
            tokio::time::sleep(answer.delay).await;
        }
        let next = match answer.kind {
            Kind::Reply(reply) => {
                write_reply(&mut wire, &mut outbox, &request, &reply, &entry).await
            }
            Kind::Script(steps) => play(&mut wire, steps, &entry).await,
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

pub(crate) async fn read_request<W: Wire>(
    wire: &mut W,
    inbox: &mut BytesMut,
    hall: &Hall,
) -> Option<Request> {
    let mut scanned = 0;
    let end = loop {
        if let Some(found) = find_head_end(&inbox[scanned..]) {
            break scanned + found;
        }
        scanned = inbox.len().saturating_sub(3);
        if inbox.len() > HEAD_LIMIT || wire.read_buf(inbox).await.ok()? == 0 {
            return None;
        }
    };
    let head = inbox.split_to(end);
    inbox.advance(4);
    let mut request = Request::parse(&head, Vec::new(), hall.address, hall.secure)?;
    if let Some(length) = request.header("content-length") {
        let length: usize = length.parse().ok()?;
        while inbox.len() < length {
            if wire.read_buf(inbox).await.ok()? == 0 {
                return None;
            }
        }
        let body = inbox.split_to(length).to_vec();
        request = Request::parse(&head, body, hall.address, hall.secure)?;
    }
    Some(request)
}

fn find_head_end(bytes: &[u8]) -> Option<usize> {
    memmem::find(bytes, b"\r\n\r\n")
}

async fn write_reply<W: Wire>(
    wire: &mut W,
    outbox: &mut Vec<u8>,
    request: &Request,
    reply: &Reply,
    entry: &Entry,
) -> std::io::Result<Next> {
    let keep_alive = request.keeps_alive();
    outbox.clear();
    reply.write_head(outbox, keep_alive);
    let with_body = request.method() != "HEAD" && !reply.bodiless();
    let body = if with_body { &reply.body[..] } else { &[] };
    if body.len() <= COPIED {
        outbox.extend_from_slice(body);
        wire.write_all(outbox).await?;
        entry.sent(outbox.len());
    } else {
        let both = [IoSlice::new(outbox), IoSlice::new(body)];
        let written = wire.write_vectored(&both).await?;
        entry.sent(written);
        send(wire, outbox.get(written..).unwrap_or_default(), entry).await?;
        let written = written.saturating_sub(outbox.len());
        send(wire, &body[written..], entry).await?;
    }
    wire.flush().await?;
    Ok(if keep_alive { Next::Request } else { Next::End })
}

/// Writes and counts piece by piece, so that the journal knows how much a client really took.
async fn send<W: Wire>(wire: &mut W, bytes: &[u8], entry: &Entry) -> std::io::Result<()> {
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

async fn play<W: Wire>(wire: &mut W, steps: Vec<Step>, entry: &Entry) -> std::io::Result<Next> {
    for step in steps {
        match step {
            Step::Send(bytes) => send(wire, &bytes, entry).await?,
            Step::SendTimes(bytes, times) => {
                for _ in 0..times {
                    send(wire, &bytes, entry).await?;
                    tokio::task::yield_now().await;
                }
            }
            Step::SendForever(bytes, pause) => loop {
                send(wire, &bytes, entry).await?;
                wire.flush().await?;
                rest(wire, pause).await?;
            },
            Step::Drip(bytes, pause) => {
                for byte in &bytes {
                    send(wire, &[*byte], entry).await?;
                    wire.flush().await?;
                    rest(wire, pause).await?;
                }
            }
            Step::Pause(pause) => {
                wire.flush().await?;
                rest(wire, pause).await?;
            }
            Step::Hang => {
                wire.flush().await?;
                rest(wire, Duration::MAX).await?;
            }
            Step::Close => return Ok(Next::End),
            Step::Reset => {
                wire.flush().await?;
                wire.arm_reset();
                return Err(std::io::ErrorKind::ConnectionReset.into());
            }
            Step::KeepAlive => {
                wire.flush().await?;
                return Ok(Next::Request);
            }
        }
    }
    Ok(Next::End)
}

/// Waits, but no longer than the client stays: an error says that it left.
async fn rest<W: Wire>(wire: &mut W, pause: Duration) -> std::io::Result<()> {
    if pause.is_zero() {
        tokio::task::yield_now().await;
        return Ok(());
    }
    let mut scratch = [0; 256];
    let gone = async {
        // What a client sends before its answer is complete is nothing we need.
        while wire.read(&mut scratch).await.is_ok_and(|count| count > 0) {}
    };
    match tokio::time::timeout(pause, gone).await {
        Ok(()) => Err(std::io::ErrorKind::BrokenPipe.into()),
        Err(_) => Ok(()),
    }
}
