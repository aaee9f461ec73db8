//! Ends responses that take long, such as event streams and exports, when their key is revoked or has expired.

use std::collections::HashMap;
use std::future::pending;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crawler_model::lock;
use crawler_store::{KeyHash, KeyState, Store};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::app::App;
use super::auth::Caller;

/// Interval at which the key of a response is checked, and how long a result is used for the other responses of the key.
const CHECK_INTERVAL: Duration = Duration::from_secs(3);

/// When the keys of responses were last checked, and whether they were valid.
#[derive(Default, Debug)]
pub(super) struct KeyChecks(Mutex<HashMap<KeyHash, (Instant, bool)>>);

impl KeyChecks {
    /// Whether a key is valid, or was a few seconds ago.
    async fn is_valid<S: Store>(&self, store: &S, key: KeyHash) -> bool {
        {
            let mut checks = lock(&self.0);
            checks.retain(|_, (at, _)| at.elapsed() < CHECK_INTERVAL);
            if let Some((_, is_valid)) = checks.get(&key) {
                return *is_valid;
            }
            // Until its result is known, this check is the only one.
            checks.insert(key, (Instant::now(), true));
        }
        let Ok(found) = store.key(key).await else {
            // The store is unavailable; the key is checked again.
            return true;
        };
        let is_valid = found.is_some_and(|key| key.state == KeyState::Active);
        lock(&self.0).insert(key, (Instant::now(), is_valid));
        is_valid
    }
}

/// Completes when the key of the caller is no longer valid, at most ten seconds later.
pub(super) fn key_end<S: Store>(app: &App<S>, caller: &Caller) -> BoxFuture<'static, ()> {
    let Some(key) = caller.key else {
        // Keys of the configuration are valid as long as the process runs.
        return pending().boxed();
    };
    let app = app.clone();
    let checking = async move {
        while app.pause(CHECK_INTERVAL).await {
            if !app.key_checks().is_valid(app.store(), key).await {
                tracing::info!("ended a response: its API key is no longer valid");
                return;
            }
        }
        // The service stops, which ends responses in its own way.
        pending::<()>().await;
    };
    checking.boxed()
}
