//! Stashes the attributes of formatting elements while the builder works.
//!
//! A formatting element left open (`<b>`, `<a>`) is cloned into every block that follows, and each new one is
//! compared with all that are open. The builder copies and sorts the whole attribute list every time, so a few
//! tags with hundreds of attributes cost seconds, although it never uses the attributes otherwise. So it gets
//! a number in their place, the same for the same attributes, and clones share what the number stands for.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name, ns};

use super::draft::Draft;
use super::names::number;

/// Attribute ranges by number.
#[derive(Debug, Default)]
pub(super) struct AttributeStash {
    hasher: RandomState,
    numbers: HashMap<u64, u32>,
    ranges: Vec<(u32, u32)>,
}

impl AttributeStash {
    /// Stores the attributes in the draft and leaves their number in their place.
    ///
    /// The builder does check whether a `font` has a `color`, `face` or `size`, which decides whether it may
    /// be inside svg; if there was one, one is left.
    ///
    /// With `apart`, the attributes get a number of their own. This is for links, which [`super::links`] has
    /// to tell apart; the builder never compares two links, because one closes the previous one.
    pub(super) fn put(&mut self, draft: &mut Draft, attributes: &mut Vec<Attribute>, apart: bool) {
        if attributes.is_empty() {
            return;
        }
        let range = draft.store_attributes(attributes);
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
            name: number_attribute(),
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

    /// The number of the first range with the same content; the duplicate is discarded.
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
            if draft.same_attributes(self.ranges[known as usize], range) {
                draft.discard_attributes(range);
                return known;
            }
            return self.number(range);
        }
        let new = self.number(range);
        self.numbers.insert(key, new);
        new
    }

    /// The range that a number stands for; `None` if these are ordinary attributes.
    pub(super) fn get(&self, attributes: &[Attribute]) -> Option<(u32, u32)> {
        let first = attributes.first()?;
        if first.name.ns != ns!(xmlns) || first.name.local != local_name!("id") {
            return None;
        }
        let stashed: usize = first.value.parse().ok()?;
        self.ranges.get(stashed).copied()
    }
}

/// The name of the attribute that carries the number. No page can write it: its namespace is only given to
/// `xmlns` and `xmlns:xlink`.
fn number_attribute() -> QualName {
    QualName::new(None, ns!(xmlns), local_name!("id"))
}
