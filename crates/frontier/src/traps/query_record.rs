//! What the pages of one path with different queries brought.

use super::page_evidence::{Brought, EMPTY, PageEvidence};
use super::phrases::Phrases;
use super::place::{QueryPlace, is_subset};

/// Pages in a row without anything new that end a list, if each leads to more.
const MAX_EMPTY_PAGING: u32 = 14;
/// The same for other parameters.
const MAX_EMPTY: u32 = 20;
/// Pages that bring little end it if the site has so many times as many others.
const OTHERS_PER_LITTLE: u32 = 4;
/// Limit on the sets of names told apart on one path.
const MAX_NAME_SETS: usize = 32;

#[derive(Debug, Default)]
pub(super) struct QueryRecord {
    pub(super) phrases: Phrases,
    sets: Vec<NameSet>,
}

/// The pages with one set of parameter names.
#[derive(Debug)]
struct NameSet {
    names: Vec<u64>,
    /// Pages in a row that brought nothing.
    empty: u32,
    /// Pages in a row that brought little or nothing.
    little: u32,
    is_trap: bool,
}

impl QueryRecord {
    /// Takes in a page. `others`: URLs of the site outside of its area.
    pub(super) fn take_in(
        &mut self,
        place: &QueryPlace,
        evidence: &PageEvidence,
        brought: Brought,
        others: u32,
    ) {
        match brought {
            Brought::Unknown => (),
            Brought::Something => {
                if let Some(set) = self.sets.iter_mut().find(|set| set.names == place.names) {
                    (set.empty, set.little) = (0, 0);
                }
            }
            Brought::Little | Brought::Nothing | Brought::Shell => {
                if !evidence.is_inside || evidence.is_listed || evidence.inside == 0 {
                    return;
                }
                let Some(set) = set_of(&mut self.sets, &place.names) else {
                    return;
                };
                let max = if place.is_paging {
                    MAX_EMPTY_PAGING
                } else {
                    MAX_EMPTY
                };
                set.empty += brought.emptiness();
                set.little += 1;
                set.is_trap |= set.empty >= max * EMPTY
                    || (set.little >= max && others / OTHERS_PER_LITTLE >= set.little);
            }
        }
    }

    /// Whether what a page links to on the same path, with its own parameters and perhaps more, is refused.
    pub(super) fn refuses(&self, from: &QueryPlace) -> bool {
        let is_in = |set: &NameSet| set.is_trap && is_subset(&set.names, &from.names);
        self.sets.iter().any(is_in)
    }

    /// Whether anything on this path is refused.
    pub(super) fn is_trap(&self) -> bool {
        self.sets.iter().any(|set| set.is_trap)
    }

    pub(super) fn is_in_doubt(&self) -> bool {
        self.sets.iter().any(|set| set.little > 0)
    }
}

fn set_of<'s>(sets: &'s mut Vec<NameSet>, names: &[u64]) -> Option<&'s mut NameSet> {
    let at = match sets.iter().position(|set| set.names == names) {
        Some(at) => at,
        None if sets.len() < MAX_NAME_SETS => {
            sets.push(NameSet {
                names: names.to_vec(),
                empty: 0,
                little: 0,
                is_trap: false,
            });
            sets.len() - 1
        }
        None => return None,
    };
    sets.get_mut(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(names: &[u64]) -> QueryPlace {
        QueryPlace {
            path: 1,
            names: names.to_vec(),
            is_paging: names == [PAGE],
        }
    }

    const CATEGORY: u64 = 1;
    const PAGE: u64 = 2;

    #[test]
    fn an_endless_list_does_not_end_others_on_the_same_path() {
        let mut record = QueryRecord::default();
        record.sets.push(NameSet {
            names: vec![PAGE],
            empty: 0,
            little: 0,
            is_trap: true,
        });
        assert!(record.refuses(&place(&[PAGE])));
        assert!(record.refuses(&place(&[CATEGORY, PAGE])));
        assert!(
            !record.refuses(&place(&[CATEGORY])),
            "page 2 of a category is found on page 1"
        );
    }
}
