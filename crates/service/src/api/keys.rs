//! Who may call: one of the keys of the configuration or of the store; with no key anywhere, whoever is on this machine.
//!
//! Keys of the store are asked for on every request, so a revoked one is useless at once. Whether the store has any is
//! remembered for a moment; a store that is away does not open the door.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use store::{ApiKey, KeyHash, Store, StoreError};

use super::app::App;
use super::problem::Problem;
use crate::config::Secret;

/// How long it is remembered whether the store has keys.
const REMEMBERED: Duration = Duration::from_secs(2);

/// The hashes of the configured keys, and whether there are others.
pub(super) struct Keys {
    configured: Vec<blake3::Hash>,
    stored: Mutex<Option<(Instant, bool)>>,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Keys({})", self.configured.len())
    }
}

impl Keys {
    pub(super) fn new(keys: &[Secret]) -> Self {
        let hash = |key: &Secret| blake3::hash(key.reveal().as_bytes());
        Self {
            configured: keys.iter().map(hash).collect(),
            stored: Mutex::new(None),
        }
    }

    /// Whether this is a configured key. Hashes are compared in constant time, and always all of them.
    fn has(&self, key: &str) -> bool {
        let sent = blake3::hash(key.as_bytes());
        let same = self.configured.iter().filter(|hash| **hash == sent);
        same.count() > 0
    }

    /// Whether the store has keys, revoked ones too. What was known before holds while the store is away.
    async fn any_stored<S: Store>(&self, store: &S) -> Result<bool, StoreError> {
        let before = *self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, any)) = before
            && at.elapsed() < REMEMBERED
        {
            return Ok(any);
        }
        let any = match (any_ever(store).await, before) {
            (Ok(any), _) | (Err(_), Some((_, any))) => any,
            (Err(error), None) => return Err(error),
        };
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        *stored = Some((Instant::now(), any));
        Ok(any)
    }
}

/// Whether the store ever had a key: revoking the last one locks the door, it does not open it.
async fn any_ever<S: Store>(store: &S) -> Result<bool, StoreError> {
    Ok(!store.keys().await?.is_empty())
}

/// Whether the store has a key that is not revoked.
pub(super) async fn any_in_use<S: Store>(store: &S) -> Result<bool, StoreError> {
    let in_use = |key: &ApiKey| key.revoked_at.is_none();
    Ok(store.keys().await?.iter().any(in_use))
}

/// Lets callers with a key through. With no key at all the service listens on loopback only, and a page in somebody's
/// browser must not reach it under a name of its own.
pub(super) async fn check<S: Store>(
    State(app): State<App<S>>,
    request: Request,
    next: Next,
) -> Response {
    let caller = Caller::of(&request);
    match judge(&app, &caller).await {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// What a request says about who sends it.
struct Caller {
    key: Option<String>,
    sent_something: bool,
    is_local: bool,
}

impl Caller {
    fn of(request: &Request) -> Self {
        let headers = request.headers();
        Self {
            key: bearer(headers).map(str::to_owned),
            sent_something: headers.contains_key(header::AUTHORIZATION),
            is_local: is_local(request),
        }
    }
}

async fn judge<S: Store>(app: &App<S>, caller: &Caller) -> Result<(), Problem> {
    let keys = app.keys();
    if let Some(key) = &caller.key {
        if keys.has(key) {
            return Ok(());
        }
        // By its hash: how long the lookup takes says nothing about a key.
        if app.store().verify_key(KeyHash::of(key)).await?.is_some() {
            return Ok(());
        }
    }
    let config = app.config();
    let listens = [Some(config.server.addr), config.worker.metrics_addr];
    let on_loopback = listens.iter().flatten().all(|addr| addr.ip().is_loopback());
    let open = on_loopback && keys.configured.is_empty();
    if open && !keys.any_stored(app.store()).await? {
        if caller.is_local {
            return Ok(());
        }
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "host_refused",
            "without keys only requests of this machine, to localhost, 127.0.0.1 or [::1], are answered; behind a proxy keys \
             are needed (crawler keys add NAME)",
        )
        .at("Host"));
    }
    let words = if caller.key.is_none() && caller.sent_something {
        "write Bearer before the key: Authorization: Bearer <key>"
    } else if caller.sent_something {
        "the key is not one of ours"
    } else {
        "send a key: Authorization: Bearer <key>"
    };
    Err(Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", words).at("Authorization"))
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let sent = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, key) = sent.split_once(' ')?;
    let key = key.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !key.is_empty()).then_some(key)
}

/// Whether it comes from this machine, as far as a request can tell: not under another name, and not passed on by a proxy
/// for somebody else.
fn is_local(request: &Request) -> bool {
    let passed_on = [
        "forwarded",
        "via",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-real-ip",
    ];
    if passed_on
        .iter()
        .any(|name| request.headers().contains_key(*name))
    {
        return false;
    }
    let sent = request.headers().get(header::HOST);
    let host = match sent {
        Some(host) => host.to_str().ok(),
        None => request.uri().authority().map(http::uri::Authority::as_str),
    };
    let Some(host) = host else {
        return true;
    };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
