//! Whose turn at the tabs of the browser a page uses, the same in every process that asks a render process.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// The number that stands for an owner at the tabs. Two owners with the same number would share their turns, which is unlikely and
/// does no harm.
pub(crate) fn tab_owner(owner: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(owner)
}
