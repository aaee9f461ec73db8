//! The attributes of formatting elements, put away while the builder works.
//!
//! A formatting element left open (`<b>`, `<a>`) is cloned into every block that follows, and each
//! new one is compared with all that are open. The builder copies and sorts the whole list of
//! attributes every time, so a few tags with hundreds of attributes cost seconds. It never looks
//! at them otherwise. So it gets a number in their place, the same for the same attributes, and
//! clones share what the number stands for.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
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
    pub(super) fn put(&mut self, draft: &mut Draft, attributes: &mut Vec<Attribute>) {
        if attributes.is_empty() {
            return;
        }
        let range = draft.keep(attributes);
        let mut key = self.hasher.hash_one(attributes.len());
        for attribute in attributes.iter() {
            let parts = (key, &*attribute.name.local, &*attribute.value);
            key = self.hasher.hash_one(parts);
        }
        let new = number(self.ranges.len());
        let stashed = match self.numbers.entry(key) {
            Entry::Occupied(known) if draft.same(self.ranges[*known.get() as usize], range) => {
                draft.unkeep(range);
                *known.get()
            }
            Entry::Occupied(_) => {
                self.ranges.push(range);
                new
            }
            Entry::Vacant(vacant) => {
                self.ranges.push(range);
                *vacant.insert(new)
            }
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
