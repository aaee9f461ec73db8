//! [`Fetch`] over HTTP: the response head decides how much of the body is read.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::SystemTime;

use crawler_model::site_rules::{PageStatus, has_body};
use crawler_model::{Deadlines, Failure, FetchRules};
use crawler_weburl::CrawlUrl;
use http::header::{CONTENT_TYPE, HeaderName, LOCATION};
use http::{HeaderMap, StatusCode};
use hyper::body::Body as _;
use rustls::pki_types::CertificateDer;

use crate::body_buffer::BodyBuffer;
use crate::body_reader;
use crate::content_type::ContentKind;
use crate::dialer::Dialer;
use crate::exchange::{Exchange, OpenResponse};
use crate::http_connection::HttpConnection;
use crate::pool::Pool;
use crate::proxy::Proxy;
use crate::request_builder::RequestBuilder;
use crate::request_timer::RequestTimer;
use crate::resolver::{AddressSource, LookupFn, NameResolution, Resolver};
use crate::retry_after::retry_after;
use crate::tls::{Tls, Trust};
use crate::{Accept, Body, Egress, Fetch, FetchRequest, FetchSetupError, Fetched, Guard};

/// Fetches over HTTP/1.1 and HTTP/2 with one connection pool. Shared behind an `Arc`.
pub struct HttpFetch {
    /// Sends requests over pooled connections.
    pub(crate) exchange: Exchange,
    /// Deadlines of a page.
    pub(crate) deadlines: Deadlines,
    max_body: u64,
    sniff: fn(&[u8]) -> bool,
}

/// How much of a body is read.
enum BodyPlan {
    /// Nothing; `is_page`: because of its type, not its status.
    Skip { is_page: bool },
    /// Up to a cap; with `sniff`, only if its first bytes look like HTML.
    Read {
        cap: u64,
        sniff: Option<fn(&[u8]) -> bool>,
    },
}

/// A file with at least this size cap gets more time.
const LARGE_FILE: u64 = 4 << 20;
/// Factor for the total deadline of a large file.
const LARGE_FILE_TIME_FACTOR: u32 = 12;

impl HttpFetch {
    /// Creates a fetcher for a crawl. `workers` is the number of concurrent fetches; `sniff` decides whether the first
    /// bytes look like HTML, for responses without a content type.
    pub fn new(
        rules: &FetchRules,
        workers: usize,
        guard: Guard,
        sniff: fn(&[u8]) -> bool,
    ) -> Result<Self, FetchSetupError> {
        Self::build(
            rules,
            workers,
            guard,
            sniff,
            Trust::System,
            AddressSource::System,
        )
    }

    /// Like [`Self::new`], but resolves names with `lookup` only.
    #[doc(hidden)]
    pub fn resolving(
        rules: &FetchRules,
        workers: usize,
        guard: Guard,
        sniff: fn(&[u8]) -> bool,
        lookup: LookupFn,
    ) -> Result<Self, FetchSetupError> {
        let source = AddressSource::Custom(lookup);
        Self::build(rules, workers, guard, sniff, Trust::System, source)
    }

    /// Like [`Self::new`], but trusts these root certificates only.
    #[doc(hidden)]
    pub fn trusting(
        rules: &FetchRules,
        workers: usize,
        guard: Guard,
        sniff: fn(&[u8]) -> bool,
        roots: Vec<CertificateDer<'static>>,
    ) -> Result<Self, FetchSetupError> {
        let trust = Trust::Only(roots);
        Self::build(rules, workers, guard, sniff, trust, AddressSource::System)
    }

    fn build(
        rules: &FetchRules,
        workers: usize,
        guard: Guard,
        sniff: fn(&[u8]) -> bool,
        trust: Trust,
        source: AddressSource,
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
                request_builder: RequestBuilder::new(rules)?,
                proxies,
                next_proxy: AtomicUsize::new(0),
            },
            deadlines: rules.deadlines,
            max_body: rules.max_body,
            sniff,
        })
    }

    /// Resolves names in another way.
    #[must_use]
    pub fn with_name_resolution(mut self, resolution: NameResolution) -> Self {
        self.exchange.dialer.resolver = Resolver::new(resolution.into());
        self
    }

    /// Resolves the host of a URL, with the cache of the dialer, and returns why that failed. Names that are not resolved here,
    /// because they are refused or there is a proxy, succeed.
    pub async fn check_name(&self, url: &CrawlUrl) -> Result<(), Failure> {
        let (exchange, host) = (&self.exchange, url.parts().host());
        if !exchange.proxies.is_empty() || !exchange.dialer.guard.allows_name(host) {
            return Ok(());
        }
        exchange.dialer.resolver.addresses(host).await.map(drop)
    }

    /// Returns an [`Egress`], which gives another HTTP client access to the dialer, guard, proxies and headers.
    pub fn egress(self: &Arc<Self>) -> Egress {
        Egress::new(Arc::clone(self))
    }

    /// Resolves the host of a URL, with the cache of the dialer; `None` if it has no address or a proxy resolves it.
    pub async fn addresses(&self, url: &CrawlUrl) -> Option<Arc<[IpAddr]>> {
        let exchange = &self.exchange;
        if !exchange.proxies.is_empty() {
            return None;
        }
        let resolver = &exchange.dialer.resolver;
        resolver.addresses(url.parts().host()).await.ok()
    }

    fn plan(&self, accept: Accept, status: StatusCode, content_type: Option<&str>) -> BodyPlan {
        let status = status.as_u16();
        // A redirect has no page, whether or not it has a `Location`.
        let page_status = PageStatus::of(status, false);
        let is_success = page_status == PageStatus::Success;
        let read = |cap, sniff| BodyPlan::Read { cap, sniff };
        match accept {
            _ if !has_body(status) => BodyPlan::Skip { is_page: false },
            Accept::Document if is_success || page_status.is_error_page() => {
                match ContentKind::of(content_type) {
                    ContentKind::Html | ContentKind::Text | ContentKind::Unnamed => {
                        read(self.max_body, None)
                    }
                    ContentKind::Other => BodyPlan::Skip { is_page: true },
                }
            }
            _ if !is_success => BodyPlan::Skip { is_page: false },
            Accept::File { max_bytes } => read(max_bytes, None),
            Accept::Page | Accept::Document => match ContentKind::of(content_type) {
                ContentKind::Html => read(self.max_body, None),
                ContentKind::Unnamed => read(self.max_body, Some(self.sniff)),
                ContentKind::Text | ContentKind::Other => BodyPlan::Skip { is_page: true },
            },
        }
    }
}

impl HttpFetch {
    /// A large file gets more total time than a page; the other deadlines are the same.
    fn deadlines_for(&self, accept: Accept) -> Deadlines {
        let factor = match accept {
            Accept::File { max_bytes } if max_bytes >= LARGE_FILE => LARGE_FILE_TIME_FACTOR,
            _ => 1,
        };
        Deadlines {
            total: self.deadlines.total * factor,
            ..self.deadlines
        }
    }
}

impl Fetch for HttpFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let mut timer = RequestTimer::new(self.deadlines_for(request.accept));
        let response = self
            .exchange
            .send(request.url.parts(), request.requested, &mut timer);
        let OpenResponse {
            response,
            mut connection,
            origin_pool,
        } = response.await?;
        let (head, mut body) = response.into_parts();
        let content_type = first(&head.headers, &CONTENT_TYPE);
        let body_read = match self.plan(request.accept, head.status, content_type.as_deref()) {
            BodyPlan::Skip { is_page } => {
                body_reader::skip(&mut connection, &mut body, !is_page).await
            }
            BodyPlan::Read { cap, sniff } => {
                let buffer = BodyBuffer::new(&head.headers, cap, body.size_hint().exact())?;
                body_reader::read(&mut connection, &mut body, buffer, sniff, &mut timer).await?
            }
        };
        if body_read.ended
            && let HttpConnection::H1(mut h1) = connection
            && h1.is_reusable().await
        {
            self.exchange.pool.put_back(&origin_pool, h1);
        }
        Ok(Fetched {
            status: head.status.as_u16(),
            location: first(&head.headers, &LOCATION),
            retry_after: retry_after(&head.headers, SystemTime::now()),
            body: match (body_read.bytes, request.accept) {
                (None, _) => Body::Unread,
                (Some(bytes), Accept::Page) => Body::Html(bytes),
                (Some(bytes), Accept::Document)
                    if match ContentKind::of(content_type.as_deref()) {
                        ContentKind::Html => true,
                        ContentKind::Unnamed => (self.sniff)(&bytes),
                        ContentKind::Text | ContentKind::Other => false,
                    } =>
                {
                    Body::Html(bytes)
                }
                (Some(bytes), Accept::File { .. } | Accept::Document) => Body::File(bytes),
            },
            content_type,
            wire_bytes: body_read.wire_bytes,
            truncated: body_read.truncated,
            moved_by_script: false,
            rendering: None,
            elapsed: timer.elapsed(),
        })
    }
}

/// Returns a header as text: UTF-8, or else Latin-1.
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
