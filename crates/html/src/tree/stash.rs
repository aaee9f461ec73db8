//! The attributes of formatting elements, put away while the builder works.
//!
//! A formatting element left open (`<b>`, `<a>`) is cloned into every block that follows, and each
//! new one is compared with all that are open. The builder copies and sorts the whole list of
//! attributes every time, so a few tags with hundreds of attributes cost seconds. It never looks
//! at them otherwise. So it gets a number in their place, the same for the same attributes, and
//! clones share what the number stands for.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name, ns};

use super::draft::Draft;
use super::names::number;

/// Attributes by number.
#[derive(Debug, Default)]
pub(super) struct Stash {
    hasher: RandomState,
    numbers: HashMap<u64, u32>,
    ranges: Vec<(u32, u32)>,
}

impl Stash {
    /// Keeps the attributes in the draft and leaves their number in their place.
    ///
    /// The builder does look whether a `font` has a `color`, `face` or `size`, which decides
    /// whether it may stand in svg; where one was there, one is left.
    ///
    /// Those kept `apart` get a number of their own. For links, which [`super::links`] has to tell
    /// from each other; the builder never has two of them to compare, as one closes the one before.
    pub(super) fn put(&mut self, draft: &mut Draft, attributes: &mut Vec<Attribute>, apart: bool) {
        if attributes.is_empty() {
            return;
        }
        let range = draft.keep(attributes);
        let stashed = if apart {
            self.number(range)
        } else {
            self.shared_number(draft, attributes, range)
        };
        let styled = attributes.iter().any(|attribute| {
            matches!(
                attribute.name.local,
                local_name!("color") | local_name!("face") | local_name!("size")
            )
        });
        attributes.clear();
        attributes.push(Attribute {
            name: mark(),
            value: StrTendril::from(stashed.to_string()),
        });
        if styled {
            attributes.push(Attribute {
                name: QualName::new(None, ns!(), local_name!("color")),
                value: StrTendril::new(),
            });
        }
    }

    fn number(&mut self, range: (u32, u32)) -> u32 {
        self.ranges.push(range);
        number(self.ranges.len() - 1)
    }

    /// The number of the first range that holds the same; what was kept again is given back.
    fn shared_number(
        &mut self,
        draft: &mut Draft,
        attributes: &[Attribute],
        range: (u32, u32),
    ) -> u32 {
        let mut key = self.hasher.hash_one(attributes.len());
        for attribute in attributes {
            let parts = (key, &*attribute.name.local, &*attribute.value);
            key = self.hasher.hash_one(parts);
        }
        if let Some(known) = self.numbers.get(&key).copied() {
            if draft.same(self.ranges[known as usize], range) {
                draft.unkeep(range);
                return known;
            }
            return self.number(range);
        }
        let new = self.number(range);
        self.numbers.insert(key, new);
        new
    }

    /// The range of the attributes a number was left for; `None` if these are attributes.
    pub(super) fn get(&self, attributes: &[Attribute]) -> Option<(u32, u32)> {
        let first = attributes.first()?;
        if first.name.ns != ns!(xmlns) || first.name.local != local_name!("id") {
            return None;
        }
        let stashed: usize = first.value.parse().ok()?;
        self.ranges.get(stashed).copied()
    }
}

/// The name of the attribute that carries the number. No page can write it: its namespace is given
/// to `xmlns` and `xmlns:xlink` alone.
fn mark() -> QualName {
    QualName::new(None, ns!(xmlns), local_name!("id"))
}
