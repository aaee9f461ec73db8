//! Reproducible random numbers.

/// A sequence of random numbers.
pub(crate) struct TestRng {
    state: u64,
}

impl TestRng {
    /// The sequence for one input of a run.
    pub(crate) fn new(seed: u64, input: u64) -> Self {
        let mut rng = Self {
            state: seed ^ input.wrapping_mul(0xA24B_AED4_963E_E407),
        };
        rng.number();
        rng
    }

    /// The next number: splitmix64.
    pub(crate) fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below the bound, which is not zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.number() % bound as u64).unwrap()
    }

    /// True with a probability of one in `bound`.
    pub(crate) fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    /// One of the given values.
    pub(crate) fn pick<'t, T: ?Sized>(&mut self, these: &[&'t T]) -> &'t T {
        these[self.below(these.len())]
    }
}
