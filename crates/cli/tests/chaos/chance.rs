//! Chance that repeats: a seed gives the same faults in the same order.

/// A sequence of numbers (SplitMix64).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.number() % (most - least + 1)
    }

    pub(crate) fn shuffle<T>(&mut self, these: &mut [T]) {
        for last in (1..these.len()).rev() {
            let other = usize::try_from(self.between(0, last as u64)).unwrap();
            these.swap(last, other);
        }
    }
}
