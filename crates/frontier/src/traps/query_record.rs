//! What the pages of one path with different queries brought.

use super::page_evidence::{Brought, MAX_QUERY_LEADS, PageEvidence};
use super::phrases::Phrases;
use super::place::{QueryPlace, is_subset};
use super::query_names::IgnorableNames;

/// Pages in a row without anything new that end a list, if each leads to more.
const MAX_EMPTY_PAGING: u32 = 14;
/// The same for the values of one other parameter.
const MAX_EMPTY_VALUES: u32 = 24;
/// The same for combinations of parameters, which end only once there are many of them: a shop has a few hundred.
const MAX_EMPTY_COMBINATIONS: u32 = 14;
const MANY_COMBINATIONS: u32 = 500;
/// Without that many: the pages in a row that end them, if they still lead to more.
const MAX_EMPTY_FEW: u32 = 60;
/// Limit on the sets of names told apart on one path.
const MAX_NAME_SETS: usize = 32;

#[derive(Debug, Default)]
pub(super) struct QueryRecord {
    pub(super) phrases: Phrases,
    pub(super) ignorable: IgnorableNames,
    /// URLs with two or more parameters that were admitted.
    combinations: u32,
    /// Combinations in a row that brought nothing.
    empty: u32,
    query_leads: u32,
    sets: Vec<NameSet>,
}

/// The pages with one set of parameter names.
#[derive(Debug)]
struct NameSet {
    names: Vec<u64>,
    /// Pages in a row that brought nothing.
    empty: u32,
    is_trap: bool,
}

impl QueryRecord {
    /// Counts an admitted URL.
    pub(super) fn note(&mut self, place: &QueryPlace) {
        self.combinations += u32::from(place.names.len() > 1);
    }

    /// Whether links to other queries still make a page one that brings something.
    pub(super) fn counts_queries(&mut self) -> bool {
        self.query_leads += 1;
        self.query_leads <= MAX_QUERY_LEADS
    }

    pub(super) fn take_in(
        &mut self,
        place: &QueryPlace,
        evidence: &PageEvidence,
        brought: Brought,
    ) {
        let is_combination = place.names.len() > 1;
        let grows = evidence.inside > 0;
        match brought {
            Brought::Unknown => (),
            Brought::Something => {
                self.empty = 0;
                for set in &mut self.sets {
                    if is_combination || set.names == place.names {
                        set.empty = 0;
                    }
                }
            }
            Brought::Nothing => {
                if !evidence.is_inside || evidence.is_listed || !(is_combination || grows) {
                    return;
                }
                let Some(set) = set_of(&mut self.sets, &place.names) else {
                    return;
                };
                set.empty += 1;
                if !is_combination {
                    let max = if place.is_paging {
                        MAX_EMPTY_PAGING
                    } else {
                        MAX_EMPTY_VALUES
                    };
                    set.is_trap |= set.empty >= max;
                    return;
                }
                self.empty += 1;
                let many = self.combinations >= MANY_COMBINATIONS;
                if (many && self.empty >= MAX_EMPTY_COMBINATIONS)
                    || (grows && self.empty >= MAX_EMPTY_FEW)
                {
                    for set in self.sets.iter_mut().filter(|set| set.names.len() > 1) {
                        set.is_trap |= set.empty > 0;
                    }
                }
            }
        }
    }

    /// Whether a URL that a page of the same path and some of the same parameters links to is refused.
    pub(super) fn refuses(&self, place: &QueryPlace) -> bool {
        self.sets
            .iter()
            .any(|set| set.is_trap && is_subset(&set.names, &place.names))
    }

    pub(super) fn is_in_doubt(&self) -> bool {
        self.empty > 0 || self.sets.iter().any(|set| set.empty > 0)
    }
}

fn set_of<'s>(sets: &'s mut Vec<NameSet>, names: &[u64]) -> Option<&'s mut NameSet> {
    let at = match sets.iter().position(|set| set.names == names) {
        Some(at) => at,
        None if sets.len() < MAX_NAME_SETS => {
            sets.push(NameSet {
                names: names.to_vec(),
                empty: 0,
                is_trap: false,
            });
            sets.len() - 1
        }
        None => return None,
    };
    sets.get_mut(at)
}
