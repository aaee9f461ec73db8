//! How far links are followed from the seed.

/// How far links are followed from the seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DepthLimit {
    /// No limit.
    Unlimited,
    /// Up to this many links from the seed; 0 is only the seed.
    Links(u32),
}

impl DepthLimit {
    /// Returns the maximum depth; `None` is no limit.
    pub fn max_depth(self) -> Option<u32> {
        match self {
            Self::Unlimited => None,
            Self::Links(depth) => Some(depth),
        }
    }
}

/// `None` is no limit.
impl From<Option<u32>> for DepthLimit {
    fn from(depth: Option<u32>) -> Self {
        depth.map_or(Self::Unlimited, Self::Links)
    }
}
