//! API keys of the service. A key is shown once and never stored, only its hash.

use std::fmt;
use std::time::Duration;

use uuid::Uuid;

use crate::{Owner, Quota, UnixMillis};

/// The hash of a key. Keys are long and random, so a fast hash is enough and looking up by it is safe.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// Hashes a key.
    pub fn of(key: &str) -> Self {
        Self(*blake3::hash(key.as_bytes()).as_bytes())
    }

    /// The hash as it is stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

/// What a key may be used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyRole {
    /// Its own jobs.
    User,
    /// The jobs of all owners.
    Admin,
}

impl KeyRole {
    /// The stable spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Admin => "admin",
        }
    }

    /// Parses the stable spelling.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = [Self::User, Self::Admin].into_iter();
        all.find(|role| role.as_str() == name)
    }
}

impl KeyState {
    /// The stable spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
            Self::Replaced => "replaced",
        }
    }
}

/// Whether a key is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyState {
    /// It is accepted.
    Active,
    /// Its time is over.
    Expired,
    /// It was revoked.
    Revoked,
    /// The secret was replaced, and is not accepted any more.
    Replaced,
}

/// A key to add.
#[derive(Clone, PartialEq, Debug)]
pub struct NewKey {
    /// Its name, which is the owner of the jobs that are created with it.
    pub name: Owner,
    /// The hash of its secret.
    pub hash: KeyHash,
    /// What it may be used for.
    pub role: KeyRole,
    /// Time until it expires.
    pub expires_in: Option<Duration>,
    /// The quota of its owner.
    pub quota: Quota,
}

/// A new secret for a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyRotation {
    /// The hash of the new secret.
    pub hash: KeyHash,
    /// How long the secret before it stays valid.
    pub grace: Duration,
    /// Time until the key expires; `None` leaves its expiry unchanged.
    pub expires_in: Option<Duration>,
}

/// An API key as it is listed.
#[derive(Clone, PartialEq, Debug)]
pub struct ApiKey {
    /// Its id.
    pub id: Uuid,
    /// Its name, which is the owner of the jobs that are created with it.
    pub name: Owner,
    /// What it may be used for.
    pub role: KeyRole,
    /// The quota of its owner.
    pub quota: Quota,
    /// Whether it is accepted, by the database's clock.
    pub state: KeyState,
    /// Creation time.
    pub created_at: UnixMillis,
    /// Time from which it is not accepted.
    pub expires_at: Option<UnixMillis>,
    /// Time of its last use, up to a minute old.
    pub last_used_at: Option<UnixMillis>,
    /// Time of revocation.
    pub revoked_at: Option<UnixMillis>,
    /// Until when the secret before the current one is accepted, or was.
    pub previous_until: Option<UnixMillis>,
}
