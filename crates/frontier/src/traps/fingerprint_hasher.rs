//! The hasher of tables whose keys are fingerprints: these are seeded hashes already.

use std::hash::Hasher;

#[derive(Debug, Default)]
pub(super) struct FingerprintHasher(u64);

impl Hasher for FingerprintHasher {
    fn write_u64(&mut self, fingerprint: u64) {
        self.0 = fingerprint;
    }

    /// Not used for fingerprints.
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
