//! API keys: roles, quotas, expiry, rotation and revocation.

use std::time::Duration;

use super::StoreFixture;
use super::builders::{fast, owner};
use crate::{
    ApiKey, ApiKeys, KeyHash, KeyRole, KeyRotation, KeyState, NewKey, Quota, StoreError, UnixMillis,
};

fn new_key(name: &str, secret: &str) -> NewKey {
    NewKey {
        name: owner(name),
        hash: KeyHash::of(secret),
        role: KeyRole::User,
        expires_in: None,
        quota: Quota::default(),
    }
}

async fn find<S: ApiKeys>(store: &S, secret: &str) -> Option<ApiKey> {
    store.key(KeyHash::of(secret)).await.expect("a read")
}

async fn state<S: ApiKeys>(store: &S, secret: &str) -> Option<KeyState> {
    find(store, secret).await.map(|key| key.state)
}

/// Keys are looked up by hash; a revoked key is still listed.
pub async fn keys_are_active_until_revoked<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let key = store.add_key(new_key("laptop", "secret-1")).await;
    let key = key.expect("a key");
    let second = store.add_key(new_key("server", "secret-2")).await;
    second.expect("a key");
    let taken = store.add_key(new_key("laptop", "secret-3")).await;
    assert!(matches!(taken, Err(StoreError::Conflict(_))));
    let found = find(&store, "secret-1").await;
    assert_eq!(found.map(|key| key.name), Some(owner("laptop")));
    assert_eq!(find(&store, "secret-3").await, None);
    assert!(store.revoke_key(key.id).await.expect("revoked"));
    assert!(!store.revoke_key(key.id).await.expect("revoked"));
    assert_eq!(state(&store, "secret-1").await, Some(KeyState::Revoked));
    assert_eq!(state(&store, "secret-2").await, Some(KeyState::Active));
    let keys = store.keys().await.expect("keys");
    let states: Vec<KeyState> = keys.iter().map(|key| key.state).collect();
    assert_eq!(states, [KeyState::Revoked, KeyState::Active]);
}

/// Role, quota and expiry are returned as they were stored, and a key expires by the database's clock.
pub async fn keys_have_a_role_a_quota_and_an_expiry<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let mut quota = Quota::default();
    quota.set("open_jobs=3").expect("a quota");
    let admin = NewKey {
        role: KeyRole::Admin,
        expires_in: Some(Duration::from_hours(1)),
        quota,
        ..new_key("admin", "secret-1")
    };
    let added = store.add_key(admin).await.expect("a key");
    assert_eq!(find(&store, "secret-1").await, Some(added.clone()));
    assert_eq!((added.role, added.quota), (KeyRole::Admin, quota));
    assert_eq!(added.state, KeyState::Active);
    let lifetime = added.expires_at.map(|at| at.0 - added.created_at.0);
    assert_eq!(lifetime, Some(3_600_000));
    let over = NewKey {
        expires_in: Some(Duration::ZERO),
        ..new_key("guest", "secret-2")
    };
    store.add_key(over).await.expect("a key");
    assert_eq!(state(&store, "secret-2").await, Some(KeyState::Expired));
    let keys = store.keys().await.expect("keys");
    assert_eq!(keys[1].state, KeyState::Expired);
}

/// A rotated key keeps everything but its secret; the secret before it ends at once or after its grace period.
pub async fn a_rotated_key_keeps_its_name<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let key = store.add_key(new_key("laptop", "secret-1")).await;
    let key = key.expect("a key");
    let rotate = async |secret: &str, grace| {
        let rotation = KeyRotation {
            hash: KeyHash::of(secret),
            grace,
            expires_in: None,
        };
        store.rotate_key(key.id, rotation).await.expect("a write")
    };
    assert!(rotate("secret-2", Duration::ZERO).await);
    // It is still known, but not accepted.
    let replaced = find(&store, "secret-1").await.expect("the key");
    assert_eq!(replaced.state, KeyState::Replaced);
    assert!(replaced.previous_until >= Some(key.created_at));
    let rotated = find(&store, "secret-2").await.expect("the key");
    let expected = ApiKey {
        previous_until: replaced.previous_until,
        ..key.clone()
    };
    assert_eq!(rotated, expected);
    assert!(rotate("secret-3", Duration::from_hours(1)).await);
    let previous = find(&store, "secret-2").await.expect("the key");
    assert_eq!(previous.state, KeyState::Active);
    let hour = UnixMillis(key.created_at.0 + 3_600_000);
    assert!(previous.previous_until >= Some(hour));
    assert_eq!(find(&store, "secret-3").await, Some(previous));
    // Only the last two secrets are ever known.
    assert!(rotate("secret-4", Duration::from_hours(1)).await);
    assert_eq!(find(&store, "secret-2").await, None);
    assert_eq!(state(&store, "secret-3").await, Some(KeyState::Active));
    assert!(store.revoke_key(key.id).await.expect("revoked"));
    assert_eq!(state(&store, "secret-3").await, Some(KeyState::Revoked));
    assert!(!rotate("secret-5", Duration::ZERO).await);
}

/// A rotation can renew an expired key.
pub async fn a_rotation_renews_an_expired_key<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let over = NewKey {
        expires_in: Some(Duration::ZERO),
        ..new_key("guest", "secret-1")
    };
    let key = store.add_key(over).await.expect("a key");
    let rotation = KeyRotation {
        hash: KeyHash::of("secret-2"),
        grace: Duration::ZERO,
        expires_in: Some(Duration::from_hours(1)),
    };
    assert!(store.rotate_key(key.id, rotation).await.expect("a write"));
    assert_eq!(state(&store, "secret-2").await, Some(KeyState::Active));
}

/// The time of the last use is written at most once a minute.
pub async fn the_last_use_of_a_key_is_stored<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let key = store.add_key(new_key("laptop", "secret")).await;
    let key = key.expect("a key");
    assert_eq!(key.last_used_at, None);
    store.key_used(key.id).await.expect("a write");
    let first = find(&store, "secret")
        .await
        .and_then(|key| key.last_used_at);
    assert!(first >= Some(key.created_at));
    store.key_used(key.id).await.expect("a write");
    let second = find(&store, "secret")
        .await
        .and_then(|key| key.last_used_at);
    assert_eq!(second, first);
}
