//! Authorizes requests by API key, from the configuration or the store. If there are no keys at all, requests from this
//! machine are allowed.
//!
//! A key of the store is looked up on every request, so revoking it takes effect immediately. Whether the store has any
//! keys is cached briefly; an unavailable store does not allow access.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use crawler_fetch::EgressTarget;
use crawler_store::{KeyHash, Store, StoreError};
use http::{HeaderMap, StatusCode, header};

use super::app::App;
use super::client_address::client_address;
use super::key_throttle::KeyThrottle;
use super::problem::Problem;
use crate::config::{Secret, ServerSection};

/// How long it is cached whether the store has keys.
const CACHE_TIME: Duration = Duration::from_secs(2);

/// How long a key counts as valid for the throttling of lookups, and how many such keys are remembered.
const KNOWN_TIME: Duration = Duration::from_mins(10);
const MAX_KNOWN: usize = 4_096;

/// The hashes of the configured keys, and whether the store has keys.
pub(super) struct Authenticator {
    configured: Vec<blake3::Hash>,
    stored: Mutex<Option<(Instant, bool)>>,
    throttle: KeyThrottle,
    trusted_proxies: Vec<EgressTarget>,
    /// Keys of the store that were valid recently. They are looked up all the same.
    known: Mutex<HashMap<KeyHash, Instant>>,
    /// Held during the lookup of a key of a throttled client, so that wrong keys do not occupy the store.
    lookup: tokio::sync::Mutex<()>,
}

impl std::fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Authenticator({})", self.configured.len())
    }
}

impl Authenticator {
    pub(super) fn new(server: &ServerSection) -> Self {
        let hash = |key: &Secret| blake3::hash(key.reveal().as_bytes());
        let proxies = server.trusted_proxies.iter();
        Self {
            configured: server.api_keys.iter().map(hash).collect(),
            stored: Mutex::new(None),
            throttle: KeyThrottle::new(),
            trusted_proxies: proxies
                .filter_map(|entry| EgressTarget::parse(entry))
                .collect(),
            known: Mutex::default(),
            lookup: tokio::sync::Mutex::default(),
        }
    }

    /// Looks a key up in the store. The keys of throttled clients are looked up one at a time, unless they are known.
    async fn look_up<S: Store>(
        &self,
        store: &S,
        hash: KeyHash,
        is_throttled: bool,
    ) -> Result<bool, StoreError> {
        let is_known = || {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.get(&hash).is_some_and(|at| at.elapsed() < KNOWN_TIME)
        };
        let _turn = if is_throttled && !is_known() {
            Some(self.lookup.lock().await)
        } else {
            None
        };
        let is_valid = store.verify_key(hash).await?.is_some();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_valid {
            known.remove(&hash);
        } else if known.len() < MAX_KNOWN || known.contains_key(&hash) {
            known.insert(hash, Instant::now());
        } else {
            known.retain(|_, at| at.elapsed() < KNOWN_TIME);
        }
        Ok(is_valid)
    }

    /// Returns whether this is a configured key. It is compared with all of them, in constant time.
    fn has(&self, key: &str) -> bool {
        let hash_of_key = blake3::hash(key.as_bytes());
        let same = self.configured.iter().filter(|hash| **hash == hash_of_key);
        same.count() > 0
    }

    /// Returns whether the store has keys, including revoked ones; the last known result if the store is unavailable.
    async fn any_stored<S: Store>(&self, store: &S) -> Result<bool, StoreError> {
        let before = *self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, any)) = before
            && at.elapsed() < CACHE_TIME
        {
            return Ok(any);
        }
        let any = match (has_any(store).await, before) {
            (Ok(any), _) | (Err(_), Some((_, any))) => any,
            (Err(error), None) => return Err(error),
        };
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        *stored = Some((Instant::now(), any));
        Ok(any)
    }
}

/// Returns whether the store has ever had a key: revoking the last one must not make the API public.
async fn has_any<S: Store>(store: &S) -> Result<bool, StoreError> {
    Ok(!store.keys().await?.is_empty())
}

/// Middleware that requires a key. Without any key the service listens on loopback only, and the `Host` header is
/// checked to prevent DNS rebinding by a page in a local browser.
pub(super) async fn require_key<S: Store>(
    State(app): State<App<S>>,
    mut request: Request,
    next: Next,
) -> Response {
    let caller = Caller::of(&request, &app.keys().trusted_proxies);
    match authorize(&app, &caller).await {
        Ok(id) => {
            request.extensions_mut().insert(id);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    }
}

/// Who made a request: the hash of a valid API key, or nothing if no key was required.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct CallerId(Option<KeyHash>);

impl CallerId {
    /// Bytes that differ between callers.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], KeyHash::as_bytes)
    }
}

/// Credentials and origin of a request.
struct Caller {
    key: Option<String>,
    has_authorization: bool,
    is_local: bool,
    address: IpAddr,
}

impl Caller {
    fn of(request: &Request, trusted_proxies: &[EgressTarget]) -> Self {
        let headers = request.headers();
        Self {
            key: bearer(headers).map(str::to_owned),
            has_authorization: headers.contains_key(header::AUTHORIZATION),
            is_local: is_local(request),
            address: client_address(request, trusted_proxies),
        }
    }
}

async fn authorize<S: Store>(app: &App<S>, caller: &Caller) -> Result<CallerId, Problem> {
    let keys = app.keys();
    let wait = keys.throttle.wait(caller.address);
    if let Some(key) = &caller.key {
        let hash = KeyHash::of(key);
        // Looked up by its hash: the duration reveals nothing about the key.
        if keys.has(key) || keys.look_up(app.store(), hash, wait.is_some()).await? {
            return Ok(CallerId(Some(hash)));
        }
    }
    let config = app.config();
    let listens = [Some(config.server.addr), config.worker.metrics_addr];
    let on_loopback = listens.iter().flatten().all(|addr| addr.ip().is_loopback());
    let open = on_loopback && keys.configured.is_empty();
    if open && !keys.any_stored(app.store()).await? {
        if caller.is_local {
            return Ok(CallerId::default());
        }
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "host_refused",
            "without API keys only requests from this machine to localhost, 127.0.0.1 or [::1] are allowed; behind a proxy, \
             create a key with `crawler keys add NAME`",
        )
        .at("Host"));
    }
    if caller.key.is_some() {
        if let Some(wait) = wait {
            let message = "too many API keys from this address were not valid; try again later";
            let status = StatusCode::TOO_MANY_REQUESTS;
            let problem = Problem::new(status, "too_many_wrong_keys", message);
            return Err(problem.at("Authorization").retry_after(wait));
        }
        keys.throttle.record(caller.address);
    }
    let message = if caller.key.is_none() && caller.has_authorization {
        "the header must have the form Authorization: Bearer <key>"
    } else if caller.has_authorization {
        "the API key is not valid"
    } else {
        "an API key is required: Authorization: Bearer <key>"
    };
    Err(Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message).at("Authorization"))
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let sent = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, key) = sent.split_once(' ')?;
    let key = key.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !key.is_empty()).then_some(key)
}

/// Returns whether a request seems to come from this machine: it names a loopback host and was not forwarded by a
/// proxy.
fn is_local(request: &Request) -> bool {
    let forwarded_headers = [
        "forwarded",
        "via",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-real-ip",
    ];
    if forwarded_headers
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
