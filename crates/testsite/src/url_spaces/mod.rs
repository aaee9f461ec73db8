//! Sites to measure trap detection with: honest ones, whose every page is wanted, and ones with a trap, an endless set of
//! URLs beside the pages that are wanted.
//!
//! A [`SiteKind`] makes a [`UrlSpace`] from a seed: the same seed makes the same site. The first half of each list was used to
//! write the detection, the other half only to test it.

mod builder;
mod calendar_date;
mod endless;
mod honest;
mod prose;
mod url_space;

pub use endless::ENDLESS_KINDS;
pub use honest::HONEST_KINDS;
pub use url_space::{SpacePage, UrlSpace};

/// A kind of site.
#[derive(Clone, Copy, Debug)]
pub struct SiteKind {
    /// Its name.
    pub name: &'static str,
    /// Makes a site of this kind from a seed.
    pub make: fn(u64) -> UrlSpace,
}

const fn kind(name: &'static str, make: fn(u64) -> UrlSpace) -> SiteKind {
    SiteKind { name, make }
}
