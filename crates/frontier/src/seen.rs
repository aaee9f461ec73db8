//! The seen set: which URLs were admitted before.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use crawler_weburl::UrlKey;

/// Every key that was ever admitted: eight bytes each, no strings.
#[derive(Debug, Default)]
pub struct Seen {
    keys: HashSet<u64, BuildHasherDefault<KeyIsHash>>,
}

impl Seen {
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Inserts a key and returns whether it was new.
    pub fn insert(&mut self, key: UrlKey) -> bool {
        self.keys.insert(key.0)
    }

    /// Whether the key was inserted before.
    pub fn contains(&self, key: UrlKey) -> bool {
        self.keys.contains(&key.0)
    }
}

/// A key is a seeded fingerprint already: hashing it again would only cost time.
#[derive(Debug, Default)]
pub(crate) struct KeyIsHash(u64);

impl Hasher for KeyIsHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

impl Extend<UrlKey> for Seen {
    fn extend<I: IntoIterator<Item = UrlKey>>(&mut self, keys: I) {
        self.keys.extend(keys.into_iter().map(|key| key.0));
    }
}
