//! Reproducible pseudo-random numbers: the same seed and index give the same number on every machine and
//! in any order, so that a test can predict the content of a site.

/// Returns the number for a seed and an index (the finalizer of SplitMix64).
pub(crate) fn mix(seed: u64, index: u64) -> u64 {
    let mut z = seed
        .wrapping_add(index.wrapping_mul(0x9E37_79B9_7F4A_7C15))
        .wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Returns a number below `limit`, which must not be zero.
pub(crate) fn below(limit: u32, seed: u64, index: u64) -> u32 {
    u32::try_from(mix(seed, index) % u64::from(limit)).unwrap_or_default()
}
