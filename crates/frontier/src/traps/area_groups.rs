//! Areas that only lead to each other, by links or by redirects: they are judged as one.
//!
//! One of them alone always leads elsewhere. The area of pages that only redirect belongs to the area that they lead to.

use crawler_model::PageReport;
use crawler_weburl::{KeyPolicy, UrlRef};

use super::area::area;
use super::area_record::AreaRecord;
use super::page_evidence::PageEvidence;
use super::page_links::known_links;
use super::{Records, Traps, record_of};
use crate::seen::Seen;

/// Limit on the areas that are found to lead to each other.
const MAX_AREAS: usize = 8;
/// Limit on the areas that are part of a group.
const MAX_GROUPED: usize = 1_000;

/// The groups of areas, by area.
#[derive(Debug, Default)]
pub(super) struct AreaGroups(Records<u64>);

impl AreaGroups {
    /// The group of an area, or the area itself.
    pub(super) fn of(&self, area: u64) -> u64 {
        if self.0.is_empty() {
            return area;
        }
        self.0.get(&area).copied().unwrap_or(area)
    }

    /// Makes a group of an area and those it leads to, if all of them only lead to each other.
    pub(super) fn join(&mut self, area: u64, records: &mut Records<AreaRecord>) -> Option<u64> {
        let members = self.circle(area, records)?;
        if self.0.len() + members.len() > MAX_GROUPED {
            return None;
        }
        let group = AreaRecord::of_group(members.iter().filter_map(|area| records.remove(area)));
        for of_area in self.0.values_mut() {
            if members.contains(of_area) {
                *of_area = area;
            }
        }
        self.0
            .extend(members.into_iter().map(|member| (member, area)));
        records.insert(area, group);
        Some(area)
    }

    /// The areas that can be reached from one, if it is known of each where it leads, and each leads back.
    fn circle(&self, area: u64, records: &Records<AreaRecord>) -> Option<Vec<u64>> {
        let mut members = vec![area];
        let mut at = 0;
        while let Some(member) = members.get(at) {
            let lead = &records.get(member)?.lead;
            if !lead.is_known() {
                return None;
            }
            for next in lead.areas.iter().map(|next| self.of(*next)) {
                if !members.contains(&next) {
                    members.push(next);
                }
            }
            if members.len() > MAX_AREAS {
                return None;
            }
            at += 1;
        }
        // All can be reached from the first; each must lead back to it.
        let mut leads_back = vec![area];
        loop {
            let before = leads_back.len();
            for member in &members {
                let lead = &records.get(member)?.lead;
                let is_back = |next: &u64| leads_back.contains(&self.of(*next));
                if !leads_back.contains(member) && lead.areas.iter().any(is_back) {
                    leads_back.push(*member);
                }
            }
            if leads_back.len() == before {
                break;
            }
        }
        (members.len() > 1 && leads_back.len() == members.len()).then_some(members)
    }
}

impl Traps {
    /// Takes in a fetched page as one of its area.
    pub(super) fn take_in_of_area(
        &mut self,
        report: &PageReport,
        evidence: &mut PageEvidence,
        others: u32,
        keys: &KeyPolicy,
        seen: &Seen,
    ) {
        let via = report.via.as_deref().and_then(UrlRef::split);
        let via = via.map(|via| self.area(via, keys));
        // A plain page that leads to nothing new is counted wherever it was found: most pages are such.
        evidence.is_in_area =
            evidence.place.is_none() && evidence.area_new.is_empty() || via == Some(evidence.area);
        let origin = if self.origins.is_empty() {
            None
        } else {
            self.origins.remove(&keys.key(report.url.parts()))
        };
        let groups = &self.groups;
        let known = |areas: &[u64]| {
            known_links(report, evidence, origin, keys, seen, |url| {
                areas.contains(&groups.of(area(url, keys.seed)))
            })
        };
        let Some(record) = record_of(&mut self.areas, evidence.area) else {
            return;
        };
        let text = report.text.as_deref();
        let new = text.map(|text| record.phrases.take_in(text, &mut self.phrases));
        record.take_in(evidence, new, others, || known(&[evidence.area]));
        record.take_in_lead(evidence, |lead| known(&lead.areas));
        self.refuses_some |= record.refuses();
        self.has_doubt |= record.is_in_doubt();
        self.join_areas(evidence.area);
    }

    /// Makes a group of an area and those it leads to, if they only lead to each other.
    pub(super) fn join_areas(&mut self, area: u64) {
        let record = self.areas.get(&area);
        if record.is_some_and(|record| record.lead.is_known())
            && let Some(group) = self.groups.join(area, &mut self.areas)
            && let Some(record) = self.areas.get(&group)
        {
            self.refuses_some |= record.refuses();
            self.has_doubt |= record.is_in_doubt();
        }
    }
}

#[cfg(test)]
mod tests {
    use crawler_weburl::UrlKey;

    use super::*;

    /// Records of areas, of which each has pages that lead to another one.
    fn records(leads: &[(u64, u64)], pages: u64) -> Records<AreaRecord> {
        let mut records = Records::<AreaRecord>::default();
        for (from, to) in leads {
            let record = records.entry(*from).or_default();
            for page in 0..pages {
                let mut evidence = PageEvidence::new(None, *from);
                evidence.count(UrlKey(from * 100 + page), None, *to);
                record.take_in_lead(&evidence, |_| Vec::new());
            }
        }
        records
    }

    #[test]
    fn areas_are_one_if_each_only_leads_to_the_others() {
        for (leads, pages, is_group) in [
            (&[(1, 2), (2, 1)][..], 3, true),
            (&[(1, 2), (2, 3), (3, 1)], 3, true),
            (&[(1, 2), (2, 1)], 2, false),
            (&[(1, 2), (2, 1), (1, 3)], 3, false),
            (&[(1, 2), (2, 3), (3, 2)], 3, false),
            (&[(1, 1)], 3, false),
        ] {
            let (mut groups, mut records) = (AreaGroups::default(), records(leads, pages));
            let group = groups.join(1, &mut records);
            assert_eq!(group, is_group.then_some(1), "{leads:?}, {pages} pages");
            assert_eq!(groups.of(2) == groups.of(1), is_group, "{leads:?}");
        }
    }

    #[test]
    fn a_page_that_leads_nowhere_or_to_a_known_page_ends_the_row() {
        let lead = |known: &[u64], is_end: bool| {
            let mut records = records(&[(1, 2), (2, 1)], 3);
            let record = records.get_mut(&2).unwrap();
            let mut evidence = PageEvidence::new(None, 2);
            if !is_end {
                evidence.count(UrlKey(9), None, 1);
            }
            record.take_in_lead(&evidence, |_| known.to_vec());
            AreaGroups::default().join(1, &mut records)
        };
        assert_eq!(lead(&[], false), Some(1));
        assert_eq!(lead(&[5], false), None);
        assert_eq!(lead(&[], true), None);
    }
}
