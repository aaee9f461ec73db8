//! One request and the head of its answer: which connection, and when to try once more.
//!
//! A request that provably never reached the server is sent again, a few times. One whose connection was
//! lost is sent again once, and only if the connection came out of the pool, where it may have gone
//! stale. All else is the frontier's to retry.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::{Response, StatusCode};
use hyper::body::Incoming;
use model::{FailKind, Failure};
use weburl::UrlRef;

use crate::Asked;
use crate::alarm::{Alarm, Phase};
use crate::dialer::Dialer;
use crate::fault::Again;
use crate::h1::{H1, MAX_HEADERS};
use crate::h2::H2;
use crate::lane::Lane;
use crate::link::Link;
use crate::pool::Pool;
use crate::proxy::Proxy;
use crate::request_head::{Form, RequestHead};

/// Times a request that was never taken up is sent.
const MOST_SENDS: u32 = 6;

/// Everything it takes to get an answer's head.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// Makes connections.
    pub(crate) dialer: Dialer,
    /// Keeps them.
    pub(crate) pool: Pool,
    /// Writes requests.
    pub(crate) head: RequestHead,
    /// Taking turns.
    pub(crate) proxies: Vec<Proxy>,
    /// Whose turn it is.
    pub(crate) next_proxy: AtomicUsize,
}

/// An answer's head, and the connection its body will come over.
pub(crate) struct Answer {
    /// The head, and the body's near end.
    pub(crate) response: Response<Incoming>,
    /// The connection.
    pub(crate) link: Link,
    /// Where the connection belongs.
    pub(crate) lane: Arc<Lane>,
}

impl Exchange {
    /// Sends the request for a URL and waits for the answer's head.
    pub(crate) async fn answer(
        &self,
        url: UrlRef<'_>,
        asked: Option<&Asked>,
        alarm: &mut Alarm,
    ) -> Result<Answer, Failure> {
        let turn = self.proxy_turn();
        let proxy = turn.map(|turn| &self.proxies[turn]);
        let lane = self.pool.lane(url, turn)?;
        let mut fresh = false;
        let mut sends = 0;
        loop {
            let (mut link, reused) = self.link(url, proxy, &lane, fresh, alarm).await?;
            if let Link::Stream(turn) = &link
                && reused
                && !turn.connection().is_alive()
            {
                // It went away while we waited for our turn on it: nothing was sent, so nothing counts.
                lane.retire(turn.connection());
                continue;
            }
            let form = match (&link, proxy) {
                (Link::Stream(_), _) => Form::H2,
                (Link::Own(_), Some(proxy)) if !url.is_https() => Form::Absolute {
                    authorization: proxy.authorization.as_ref(),
                },
                (Link::Own(_), _) => Form::Origin { host: &lane.host },
            };
            let ask = self.head.ask(url, asked, form)?;
            sends += 1;
            let fault = match alarm.within(Phase::Head, link.send(ask)).await? {
                Ok(response) => {
                    check(&response, proxy.is_some())?;
                    return Ok(Answer {
                        response,
                        link,
                        lane,
                    });
                }
                Err(fault) => fault,
            };
            let may = match fault.again {
                Again::Here | Again::Elsewhere => sends < MOST_SENDS,
                Again::IfReused => reused && !fresh,
                Again::Never => false,
            };
            if !may {
                return Err(fault.failure);
            }
            if fault.again != Again::Here {
                if let Link::Stream(turn) = &link {
                    lane.retire(turn.connection());
                }
                fresh = true;
            }
        }
    }

    /// Whose turn it is among the proxies; `None` when there is none.
    pub(crate) fn proxy_turn(&self) -> Option<usize> {
        let count = self.proxies.len();
        (count > 0).then(|| self.next_proxy.fetch_add(1, Ordering::Relaxed) % count)
    }

    /// A connection, and whether others used it before: out of the pool unless it has to be fresh.
    async fn link(
        &self,
        url: UrlRef<'_>,
        proxy: Option<&Proxy>,
        lane: &Lane,
        fresh: bool,
        alarm: &mut Alarm,
    ) -> Result<(Link, bool), Failure> {
        if url.is_https()
            && let Some(shared) = lane.shared()
        {
            let turn = alarm.within(Phase::Turn, shared.turn()).await?;
            return Ok((Link::Stream(turn), true));
        }
        while !fresh && let Some(mut h1) = lane.pop() {
            if h1.is_alive().await {
                return Ok((Link::Own(h1), true));
            }
        }
        let dialled = if url.is_https() && !lane.speaks_h1() {
            let first = self.first_dial(url, proxy, lane);
            alarm.within(Phase::Connect, first).await??
        } else {
            let dial = self.dial(url, proxy, lane);
            alarm.within(Phase::Connect, dial).await??
        };
        match dialled {
            Dialled::Own(h1) => Ok((Link::Own(h1), false)),
            Dialled::Shared(h2, reused) => {
                let turn = alarm.within(Phase::Turn, h2.turn()).await?;
                Ok((Link::Stream(turn), reused))
            }
        }
    }

    /// Dials an origin whose protocol is not known, alone; or has what somebody else dialled meanwhile.
    async fn first_dial(
        &self,
        url: UrlRef<'_>,
        proxy: Option<&Proxy>,
        lane: &Lane,
    ) -> Result<Dialled, Failure> {
        let ended = lane.dials_ended();
        let turn = lane.first_dial().await;
        if let Some(h2) = lane.shared() {
            return Ok(Dialled::Shared(h2, true));
        }
        if let Some(failure) = lane.failed_since(ended) {
            return Err(failure);
        }
        if lane.speaks_h1() {
            // A connection for each, and so each for itself.
            drop(turn);
            return self.dial(url, proxy, lane).await;
        }
        let dialled = self.dial(url, proxy, lane).await;
        lane.dial_ended(dialled.as_ref().err().cloned());
        dialled
    }

    async fn dial(
        &self,
        url: UrlRef<'_>,
        proxy: Option<&Proxy>,
        lane: &Lane,
    ) -> Result<Dialled, Failure> {
        let wire = self.dialer.dial(url, proxy).await?;
        lane.set_speaks_h1(!wire.speaks_h2());
        if wire.speaks_h2() {
            let h2 = H2::open(wire).await.map_err(|fault| fault.failure)?;
            lane.share(&h2);
            Ok(Dialled::Shared(h2, false))
        } else {
            let h1 = H1::open(wire).await.map_err(|fault| fault.failure)?;
            Ok(Dialled::Own(h1))
        }
    }
}

/// What came of a dial.
enum Dialled {
    Own(Box<H1>),
    /// Also whether it was somebody else's.
    Shared(Arc<H2>, bool),
}

/// What must not be in an answer's head.
fn check(response: &Response<Incoming>, by_proxy: bool) -> Result<(), Failure> {
    // HTTP/1 counts while it reads; HTTP/2 does not.
    if response.headers().len() > MAX_HEADERS {
        let words = "the answer's head is too large";
        return Err(Failure::new(FailKind::Protocol, words));
    }
    if by_proxy && response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
        let words = "the proxy refused the request (407)";
        return Err(Failure::new(FailKind::Connect, words));
    }
    Ok(())
}
