//! Authorizes requests by API key, from the configuration or the store. If there are no keys at all, requests from this
//! machine are allowed.
//!
//! A key of the store is looked up on every request, so revoking it takes effect immediately. Whether the store has any
//! keys is cached briefly; an unavailable store does not allow access.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crawler_model::lock;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use crawler_fetch::EgressTarget;
use crawler_store::{
    Access, ApiKey, KeyHash, KeyRole, KeyState, Owner, Quota, Store, StoreError, UnixMillis,
};
use http::request::Parts;
use http::{HeaderMap, StatusCode, header};
use uuid::Uuid;

use super::app::App;
use super::client_address::client_address;
use super::key_throttle::KeyThrottle;
use super::moment::rfc3339;
use super::problem::Problem;
use crate::config::{Secret, ServerSection};

/// How long it is cached whether the store has keys.
const CACHE_TIME: Duration = Duration::from_secs(2);
/// How often the last use of a key is written: more than the minute that the store demands.
const USE_INTERVAL: Duration = Duration::from_secs(61);

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
    /// When the use of each key of the store was last written.
    used: Mutex<HashMap<Uuid, Instant>>,
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
            used: Mutex::default(),
        }
    }

    /// Looks a key up in the store. The keys of throttled clients are looked up one at a time, unless they are known.
    async fn look_up<S: Store>(
        &self,
        store: &S,
        hash: KeyHash,
        is_throttled: bool,
    ) -> Result<Option<ApiKey>, StoreError> {
        let is_known = || {
            let known = lock(&self.known);
            known.get(&hash).is_some_and(|at| at.elapsed() < KNOWN_TIME)
        };
        let _turn = if is_throttled && !is_known() {
            Some(self.lookup.lock().await)
        } else {
            None
        };
        let key = store.key(hash).await?;
        let is_valid = key
            .as_ref()
            .is_some_and(|key| key.state == KeyState::Active);
        let mut known = lock(&self.known);
        if !is_valid {
            known.remove(&hash);
        } else if known.len() < MAX_KNOWN || known.contains_key(&hash) {
            known.insert(hash, Instant::now());
        } else {
            known.retain(|_, at| at.elapsed() < KNOWN_TIME);
        }
        Ok(key)
    }

    /// Returns the owner of a configured key: `config-` and the first digits of its hash. The key is compared with all of them,
    /// in constant time.
    fn owner_of(&self, key: &str) -> Option<Owner> {
        let hash_of_key = blake3::hash(key.as_bytes());
        let same = self.configured.iter().filter(|hash| **hash == hash_of_key);
        let known = same.count() > 0;
        known.then(|| Owner::parse(&name_of(&hash_of_key)))?
    }

    /// Whether a key of the configuration has this name.
    pub(super) fn configures(&self, owner: &Owner) -> bool {
        let mut configured = self.configured.iter();
        configured.any(|hash| name_of(hash) == owner.as_str())
    }

    /// Writes the time of a key's last use, unless that was done a short time ago. The request does not wait for it.
    fn note_use<S: Store>(&self, store: &S, id: Uuid) {
        let now = Instant::now();
        let mut used = lock(&self.used);
        let before = used.get(&id).copied();
        if before.is_some_and(|before| now.duration_since(before) < USE_INTERVAL) {
            return;
        }
        used.insert(id, now);
        drop(used);
        let store = store.clone();
        tokio::spawn(async move {
            if let Err(error) = store.key_used(id).await {
                tracing::debug!(key_id = %id, %error, "cannot write the last use of a key");
            }
        });
    }

    /// Returns whether the store has keys, including revoked ones; the last known result if the store is unavailable.
    async fn any_stored<S: Store>(&self, store: &S) -> Result<bool, StoreError> {
        let before = *lock(&self.stored);
        if let Some((at, any)) = before
            && at.elapsed() < CACHE_TIME
        {
            return Ok(any);
        }
        let any = match (has_any(store).await, before) {
            (Ok(any), _) | (Err(_), Some((_, any))) => any,
            (Err(error), None) => return Err(error),
        };
        let mut stored = lock(&self.stored);
        *stored = Some((Instant::now(), any));
        Ok(any)
    }
}

/// The name of a configured key.
fn name_of(hash: &blake3::Hash) -> String {
    format!("{}{}", Owner::CONFIGURED_PREFIX, &hash.to_hex()[..8])
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
    let credentials = Credentials::of(&request, &app.keys().trusted_proxies);
    match authorize(&app, &credentials).await {
        Ok(caller) => {
            let owner = caller.owner.clone();
            super::metrics::count_request(&owner);
            request.extensions_mut().insert(caller);
            let mut response = next.run(request).await;
            // For the log.
            response.extensions_mut().insert(owner);
            response
        }
        Err(problem) => problem.into_response(),
    }
}

/// Who made a request. Handlers take it as an argument; [`require_key`] provides it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Caller {
    /// The owner of the jobs that the caller creates.
    pub(super) owner: Owner,
    /// What the caller may see.
    pub(super) role: KeyRole,
    /// What the owner may use: the quota of the key, or else that of the configuration.
    pub(super) quota: Quota,
    /// The key, if it is one of the store.
    pub(super) key: Option<KeyHash>,
}

impl Caller {
    pub(super) fn new(owner: Owner, role: KeyRole, quota: Quota) -> Self {
        Self {
            owner,
            role,
            quota,
            key: None,
        }
    }

    /// Whose jobs the caller may see.
    pub(super) fn access(&self) -> Access {
        match self.role {
            KeyRole::User => Access::Owner(self.owner.clone()),
            KeyRole::Admin => Access::AllOwners,
        }
    }
}

impl<A: Sync> FromRequestParts<A> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &A) -> Result<Self, Problem> {
        // Missing only on a route without `require_key`.
        let caller = parts.extensions.get::<Self>().cloned();
        caller.ok_or_else(Problem::internal)
    }
}

/// Credentials and origin of a request.
struct Credentials {
    key: Option<String>,
    has_authorization: bool,
    is_local: bool,
    address: IpAddr,
}

impl Credentials {
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

async fn authorize<S: Store>(app: &App<S>, sent: &Credentials) -> Result<Caller, Problem> {
    let keys = app.keys();
    let quota = app.config().quotas.quota();
    let wait = keys.throttle.wait(sent.address);
    if let Some(key) = &sent.key {
        if let Some(owner) = keys.owner_of(key) {
            return Ok(Caller::new(owner, KeyRole::User, quota));
        }
        // Looked up by its hash: the duration reveals nothing about the key.
        let hash = KeyHash::of(key);
        if let Some(key) = keys.look_up(app.store(), hash, wait.is_some()).await? {
            let caller = accept(app, key)?;
            let key = Some(hash);
            return Ok(Caller { key, ..caller });
        }
    }
    let config = app.config();
    let listens = [Some(config.server.addr), config.worker.metrics_addr];
    let on_loopback = listens.iter().flatten().all(|addr| addr.ip().is_loopback());
    let open = on_loopback && keys.configured.is_empty();
    if open && !keys.any_stored(app.store()).await? {
        if sent.is_local {
            // Nobody else has access.
            return Ok(Caller::new(Owner::local(), KeyRole::Admin, quota));
        }
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "host_refused",
            "without API keys only requests from this machine to localhost, 127.0.0.1 or [::1] are allowed; behind a proxy, \
             create a key with `crawler keys add NAME`",
        )
        .at("Host"));
    }
    if sent.key.is_some() {
        if let Some(wait) = wait {
            let message = "too many API keys from this address were not valid; try again later";
            let status = StatusCode::TOO_MANY_REQUESTS;
            let problem = Problem::new(status, "too_many_wrong_keys", message);
            return Err(problem.at("Authorization").retry_after(wait));
        }
        keys.throttle.record(sent.address);
    }
    let message = if sent.key.is_none() && sent.has_authorization {
        "the header must have the form Authorization: Bearer <key>"
    } else if sent.has_authorization {
        "the API key is not valid"
    } else {
        "an API key is required: Authorization: Bearer <key>"
    };
    Err(unauthorized(message))
}

fn unauthorized(message: impl Into<String>) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message).at("Authorization")
}

/// Accepts a key of the store if it is active. Otherwise it is not throttled as a guess: its secret is known.
fn accept<S: Store>(app: &App<S>, key: ApiKey) -> Result<Caller, Problem> {
    match key.state {
        KeyState::Active => {
            app.keys().note_use(app.store(), key.id);
            let quota = key.quota.or(&app.config().quotas.quota());
            Ok(Caller::new(key.name, key.role, quota))
        }
        state => {
            let (owner, reason) = (key.name.as_str(), state.as_str());
            tracing::info!(owner, reason, "refused an API key");
            Err(unauthorized(refusal(&key)))
        }
    }
}

/// Why a key of the store is not accepted. Whoever sends its secret had it when it was valid, so the reason is no secret.
fn refusal(key: &ApiKey) -> String {
    let at = |time: Option<UnixMillis>| time.map(rfc3339).unwrap_or_default();
    match key.state {
        KeyState::Replaced => format!(
            "the secret of this API key was replaced, and this one is not valid since {}; use the new secret",
            at(key.previous_until)
        ),
        KeyState::Revoked => format!("the API key was revoked at {}", at(key.revoked_at)),
        KeyState::Active | KeyState::Expired => format!(
            "the API key expired at {}; ask the operator for a new one (`crawler keys rotate`)",
            at(key.expires_at)
        ),
    }
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
