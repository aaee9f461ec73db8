//! The places of a worker process: who holds how many, and who may have more.
//!
//! Tasks are divided in turns, but a place is held for as long as a page takes: owners with slow pages would end up with all of them. So
//! each owner has a share of the places, by weight, that binds while others want more. What an owner holds beyond its share does
//! not count against the others: they may have their shares at once, not only when its pages end. Shares shrink with each owner that
//! comes, so that alone would have no bound: at most twice as many tasks are held as there are places.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The places of a worker process, and the owners that hold or want some.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PlaceShares {
    places: i64,
    owners: BTreeMap<Arc<str>, OwnerPlaces>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct OwnerPlaces {
    weight: i64,
    held: i64,
}

impl PlaceShares {
    /// So many places that nobody holds.
    pub fn new(places: usize) -> Self {
        Self {
            places: i64::try_from(places).unwrap_or(i64::MAX),
            owners: BTreeMap::new(),
        }
    }

    /// Records that an owner of this weight holds `count` more places; with 0, that it wants some.
    pub fn hold(&mut self, owner: &str, weight: i64, count: i64) {
        if let Some(known) = self.owners.get_mut(owner) {
            known.held += count;
            return;
        }
        let weight = weight.clamp(1, 100);
        let known = OwnerPlaces {
            weight,
            held: count,
        };
        self.owners.insert(owner.into(), known);
    }

    /// Number of owners.
    pub fn owners(&self) -> usize {
        self.owners.len()
    }

    /// How many places an owner may have while others want more.
    fn share(&self, owner: OwnerPlaces) -> i64 {
        let weights: i64 = self.owners.values().map(|owner| owner.weight).sum();
        let product = self.places.saturating_mul(owner.weight);
        // Rounded up, so that everybody may have a place.
        product / weights.max(1) + i64::from(product % weights.max(1) > 0)
    }

    /// How many places an owner has left of its share.
    pub fn left_of_share(&self, owner: &str) -> i64 {
        let owner = self.owners.get(owner);
        owner.map_or(0, |owner| (self.share(*owner) - owner.held).max(0))
    }

    /// The places for owners that hold less than their shares.
    pub fn free_for_shares(&self) -> i64 {
        let owners = self.owners.values();
        let counted: i64 = owners.map(|owner| owner.held.min(self.share(*owner))).sum();
        let bound = self.places.saturating_mul(2) - self.held();
        (self.places - counted).min(bound).max(0)
    }

    fn held(&self) -> i64 {
        self.owners.values().map(|owner| owner.held).sum()
    }

    /// The places that nobody holds.
    pub fn free(&self) -> i64 {
        (self.places - self.held()).max(0)
    }

    /// Whether an owner may have another place: one of its share, or with `spare`, one that nobody else wants.
    pub fn has_room(&self, owner: &str, spare: bool) -> bool {
        if spare {
            self.free() > 0
        } else {
            self.free_for_shares() > 0 && self.left_of_share(owner) > 0
        }
    }
}

/// How many tasks a claim may take, and for whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimRoom {
    /// Maximum number of tasks.
    pub max: usize,
    /// The places that the tasks are for.
    pub places: PlaceShares,
}

impl From<usize> for ClaimRoom {
    /// Room for so many tasks of anyone.
    fn from(max: usize) -> Self {
        Self {
            max,
            places: PlaceShares::new(max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_beyond_a_share_does_not_count_against_others() {
        let mut shares = PlaceShares::new(8);
        shares.hold("slow", 1, 8);
        assert_eq!((shares.free(), shares.free_for_shares()), (0, 0));
        assert!(!shares.has_room("slow", true));
        shares.hold("new", 1, 0);
        assert_eq!((shares.free(), shares.free_for_shares()), (0, 4));
        assert_eq!(shares.left_of_share("new"), 4);
        assert!(shares.has_room("new", false) && !shares.has_room("slow", false));
        shares.hold("new", 1, 4);
        assert!(!shares.has_room("new", false) && !shares.has_room("new", true));
        // However many come, at most twice the number of places are held.
        for number in 0..20 {
            let name = format!("o{number}");
            shares.hold(&name, 1, 0);
            if shares.has_room(&name, false) {
                shares.hold(&name, 1, 1);
            }
        }
        assert_eq!(shares.held(), 16);
    }

    #[test]
    fn shares_are_by_weight_and_rounded_up() {
        let mut shares = PlaceShares::new(8);
        shares.hold("heavy", 3, 0);
        assert_eq!(shares.left_of_share("heavy"), 8, "alone");
        shares.hold("light", 1, 0);
        assert_eq!(shares.left_of_share("heavy"), 6);
        assert_eq!(shares.left_of_share("light"), 2);
        for number in 0..100 {
            shares.hold(&format!("o{number}"), 1, 0);
        }
        assert_eq!(shares.left_of_share("light"), 1);
        assert_eq!(shares.left_of_share("unknown"), 0);
    }
}
