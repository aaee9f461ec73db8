//! Idempotency keys: a request that is repeated with its key finds the job that it created.

use crate::{JobId, QuotaExceeded};

/// The key of a request that creates a job, kept with the job and for as long as it exists. Only hashes are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdempotencyKey {
    key: [u8; 32],
    request: [u8; 32],
}

impl IdempotencyKey {
    /// The key that `caller` sent with `request`. Callers do not share keys.
    pub fn new(caller: &[u8], key: &str, request: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(caller.len() as u64).to_le_bytes());
        hasher.update(caller);
        hasher.update(key.as_bytes());
        Self {
            key: *hasher.finalize().as_bytes(),
            request: *blake3::hash(request).as_bytes(),
        }
    }

    /// Hash of the caller and the key, which is unique among jobs.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Hash of the request that the key belongs to.
    pub fn request(&self) -> &[u8] {
        &self.request
    }

    /// What a request with this key gets, given the job that has the key and the hash of the request that created it.
    pub fn found(&self, job: JobId, request: &[u8]) -> JobCreation {
        if self.request == request {
            JobCreation::Existing(job)
        } else {
            JobCreation::KeyReused
        }
    }
}

/// The result of creating a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobCreation {
    /// The job was created.
    Created,
    /// The same request was made before with the same key; this is its job.
    Existing(JobId),
    /// Another request was made before with the same key; nothing was created.
    KeyReused,
    /// A quota of the owner does not allow the job; nothing was created.
    QuotaExceeded(QuotaExceeded),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_do_not_share_keys() {
        let of = |caller: &str, key| IdempotencyKey::new(caller.as_bytes(), key, b"{}");
        assert_eq!(of("a", "key").key(), of("a", "key").key());
        for (caller, key) in [("b", "key"), ("", "akey"), ("ak", "ey"), ("a", "key2")] {
            assert_ne!(
                of("a", "key").key(),
                of(caller, key).key(),
                "{caller} {key}"
            );
        }
    }

    #[test]
    fn a_key_belongs_to_one_request() {
        let (key, job) = (IdempotencyKey::new(b"", "key", b"{}"), JobId::fresh());
        let same = IdempotencyKey::new(b"", "key", b"{}");
        let other = IdempotencyKey::new(b"", "key", b"[]");
        assert_eq!(key.found(job, same.request()), JobCreation::Existing(job));
        assert_eq!(key.found(job, other.request()), JobCreation::KeyReused);
    }
}
