//! Who may call the service. A key is shown once and never stored: what is kept is its hash.

use std::fmt;

use uuid::Uuid;

use crate::UnixMillis;

/// A key's hash. Keys are long and random, so a fast hash is enough and a lookup by it is safe.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// The hash of a key.
    pub fn of(key: &str) -> Self {
        Self(*blake3::hash(key.as_bytes()).as_bytes())
    }

    /// As stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

/// A key as it is listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiKey {
    /// Its name in the store.
    pub id: Uuid,
    /// What it is called.
    pub name: String,
    /// When it was added.
    pub created_at: UnixMillis,
    /// When it was revoked.
    pub revoked_at: Option<UnixMillis>,
}
