//! [`Fetch`] over HTTP: the answer's head decides how much of its body is read.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::SystemTime;

use http::header::{CONTENT_TYPE, HeaderName, LOCATION};
use http::{HeaderMap, StatusCode};
use hyper::body::Body as _;
use model::{Deadlines, Failure, FetchRules};
use rustls::pki_types::CertificateDer;

use crate::alarm::Alarm;
use crate::body_intake::BodyIntake;
use crate::content_type::Kind;
use crate::dialer::Dialer;
use crate::exchange::{Answer, Exchange};
use crate::link::Link;
use crate::pool::Pool;
use crate::proxy::Proxy;
use crate::reading;
use crate::request_head::RequestHead;
use crate::resolver::{LookUp, Resolver, Source};
use crate::retry_after::retry_after;
use crate::tls::{Tls, Trust};
use crate::{Body, Egress, Fetch, FetchRequest, FetchSetupError, Fetched, Guard, Want};

/// Fetches over HTTP/1.1 and HTTP/2, with one pool of connections. Shared behind an `Arc`.
pub struct HttpFetch {
    /// Connections and the heads sent over them.
    pub(crate) exchange: Exchange,
    /// How long things may take.
    pub(crate) deadlines: Deadlines,
    max_body: u64,
    sniff: fn(&[u8]) -> bool,
}

/// How far a body is read.
enum Plan {
    /// Not at all; `is_page`: because of its type and not its status.
    Skip { is_page: bool },
    /// Up to a cap, and with `sniff` only if its first bytes look like HTML.
    Read {
        cap: u64,
        sniff: Option<fn(&[u8]) -> bool>,
    },
}

/// A file that may be this long is given more time.
const LARGE_FILE: u64 = 4 << 20;
/// How many times the total of a page.
const LARGE_FILE_PATIENCE: u32 = 12;

impl HttpFetch {
    /// A fetcher for a crawl. `workers` is how many fetches run at once; `sniff` tells whether first
    /// bytes look like HTML, for answers that do not name their type.
    pub fn new(
        rules: &FetchRules,
        workers: usize,
        guard: Guard,
        sniff: fn(&[u8]) -> bool,
    ) -> Result<Self, FetchSetupError> {
        Self::build(rules, workers, guard, sniff, Trust::System, Source::System)
    }

    /// The same, asking nobody but `look_up` for addresses.
    #[doc(hidden)]
    pub fn resolving(
        rules: &FetchRules,
        workers: usize,
        guard: Guard,
        sniff: fn(&[u8]) -> bool,
        look_up: LookUp,
    ) -> Result<Self, FetchSetupError> {
        let source = Source::Given(look_up);
        Self::build(rules, workers, guard, sniff, Trust::System, source)
    }

    /// The same, trusting these certificates and no others.
    #[doc(hidden)]
    pub fn trusting(
        rules: &FetchRules,
        workers: usize,
        guard: Guard,
        sniff: fn(&[u8]) -> bool,
        roots: Vec<CertificateDer<'static>>,
    ) -> Result<Self, FetchSetupError> {
        let trust = Trust::Only(roots);
        Self::build(rules, workers, guard, sniff, trust, Source::System)
    }

    fn build(
        rules: &FetchRules,
        workers: usize,
        guard: Guard,
        sniff: fn(&[u8]) -> bool,
        trust: Trust,
        source: Source,
    ) -> Result<Self, FetchSetupError> {
        let parse = |(at, typed): (usize, &String)| {
            Proxy::parse(typed).ok_or(FetchSetupError::Proxy(at + 1))
        };
        let proxies: Vec<Proxy> = rules
            .proxies
            .iter()
            .enumerate()
            .map(parse)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            exchange: Exchange {
                dialer: Dialer {
                    guard,
                    resolver: Resolver::new(source),
                    tls: Tls::new(trust),
                },
                pool: Pool::new(proxies.len(), workers),
                head: RequestHead::new(rules)?,
                proxies,
                next_proxy: AtomicUsize::new(0),
            },
            deadlines: rules.deadlines,
            max_body: rules.max_body,
            sniff,
        })
    }

    /// The way out for somebody who speaks for himself: the same dialer, guard, proxies and headers.
    pub fn egress(self: &Arc<Self>) -> Egress {
        Egress::new(Arc::clone(self))
    }

    fn plan(&self, want: Want, status: StatusCode, content_type: Option<&str>) -> Plan {
        let has_body = !matches!(
            status,
            StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::NOT_MODIFIED
        );
        let has_page = status.is_success() && has_body;
        let read = |cap, sniff| Plan::Read { cap, sniff };
        match want {
            Want::Document if has_body && !status.is_redirection() => {
                match Kind::of(content_type) {
                    Kind::Html | Kind::Text | Kind::Unnamed => read(self.max_body, None),
                    Kind::Other => Plan::Skip { is_page: true },
                }
            }
            _ if !has_page => Plan::Skip { is_page: false },
            Want::File { max_bytes } => read(max_bytes, None),
            Want::Page | Want::Document => match Kind::of(content_type) {
                Kind::Html => read(self.max_body, None),
                Kind::Unnamed => read(self.max_body, Some(self.sniff)),
                Kind::Text | Kind::Other => Plan::Skip { is_page: true },
            },
        }
    }
}

impl HttpFetch {
    /// A large file may take longer in all than a page; it must still begin and go on as promptly.
    fn deadlines_for(&self, want: Want) -> Deadlines {
        let times = match want {
            Want::File { max_bytes } if max_bytes >= LARGE_FILE => LARGE_FILE_PATIENCE,
            _ => 1,
        };
        Deadlines {
            total: self.deadlines.total * times,
            ..self.deadlines
        }
    }
}

impl Fetch for HttpFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let mut alarm = Alarm::new(self.deadlines_for(request.want));
        let answer = self
            .exchange
            .answer(request.url.parts(), request.asked, &mut alarm);
        let Answer {
            response,
            mut link,
            lane,
        } = answer.await?;
        let (head, mut body) = response.into_parts();
        let content_type = first(&head.headers, &CONTENT_TYPE);
        let reading = match self.plan(request.want, head.status, content_type.as_deref()) {
            Plan::Skip { is_page } => reading::skip(&mut link, &mut body, !is_page).await,
            Plan::Read { cap, sniff } => {
                let intake = BodyIntake::new(&head.headers, cap, body.size_hint().exact())?;
                reading::read(&mut link, &mut body, intake, sniff, &mut alarm).await?
            }
        };
        if reading.ended
            && let Link::Own(mut h1) = link
            && h1.is_reusable().await
        {
            self.exchange.pool.put_back(&lane, h1);
        }
        Ok(Fetched {
            status: head.status.as_u16(),
            location: first(&head.headers, &LOCATION),
            retry_after: retry_after(&head.headers, SystemTime::now()),
            body: match (reading.bytes, request.want) {
                (None, _) => Body::Unread,
                (Some(bytes), Want::Page) => Body::Html(bytes),
                (Some(bytes), Want::Document)
                    if match Kind::of(content_type.as_deref()) {
                        Kind::Html => true,
                        Kind::Unnamed => (self.sniff)(&bytes),
                        Kind::Text | Kind::Other => false,
                    } =>
                {
                    Body::Html(bytes)
                }
                (Some(bytes), Want::File { .. } | Want::Document) => Body::File(bytes),
            },
            content_type,
            wire_bytes: reading.wire_bytes,
            truncated: reading.truncated,
            moved_by_script: false,
            rendering: None,
            elapsed: alarm.elapsed(),
        })
    }
}

/// A header as text: UTF-8, or Latin-1 where it is not.
fn first(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let bytes = headers.get(name)?.as_bytes();
    Some(match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    })
}

impl fmt::Debug for HttpFetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpFetch")
            .field("deadlines", &self.deadlines)
            .field("max_body", &self.max_body)
            .finish_non_exhaustive()
    }
}
