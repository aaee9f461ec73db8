//! Redirects: a link that leads to one is judged like a link to its target.

use crawler_model::{Discovery, PageReport, RefuseReason};
use crawler_weburl::{KeyPolicy, UrlKey, UrlRef};

use super::area_record::AreaRecord;
use super::page_evidence::PageEvidence;
use super::place::page_of;
use super::{MIN_AREA_DEPTH, Traps, record_of};
use crate::seen::Seen;

/// Limit on the redirects whose targets were not fetched yet that are remembered.
const MAX_ORIGINS: usize = 4_096;
/// Limit on the targets of redirects that are fetched before other pages.
const MAX_RETURNS: u32 = 16;

impl Traps {
    /// Starts to collect what a redirect tells about its area. A link that led to a redirect is judged like one to its target.
    pub(crate) fn redirect_evidence(
        &self,
        report: &PageReport,
        target: UrlRef<'_>,
        keys: &KeyPolicy,
    ) -> Option<PageEvidence> {
        let url = report.url.parts();
        let is_judged = report.depth >= MIN_AREA_DEPTH && self.knows_all == Some(true);
        // What a sitemap lists is followed wherever it leads.
        let is_listed = || self.listed.contains(keys.key(url));
        if !is_judged || report.found != Discovery::Link || is_listed() {
            return None;
        }
        let via = report.via.as_deref().filter(|_| report.hops == 0);
        let via = via.and_then(UrlRef::split);
        let is_return = via.is_some_and(|via| via.as_str() == page_of(target));
        Some(PageEvidence {
            is_redirect: true,
            found_on: via.map(|via| keys.key(via)),
            is_return,
            is_first: is_return && self.returns < MAX_RETURNS,
            ..PageEvidence::new(None, self.area(url, keys))
        })
    }

    /// Takes in a redirect whose target was admitted, or known.
    pub(crate) fn take_in_redirect(
        &mut self,
        evidence: &PageEvidence,
        target: UrlKey,
        refused: Option<RefuseReason>,
    ) {
        let Some(record) = record_of(&mut self.areas, evidence.area) else {
            return;
        };
        match refused {
            None => {
                record.take_in_new_target(evidence);
                self.returns += u32::from(evidence.is_first);
                if self.origins.len() >= MAX_ORIGINS {
                    self.origins.clear();
                }
                self.origins
                    .extend(evidence.found_on.map(|via| (target, via)));
                self.join_areas(evidence.area);
            }
            Some(RefuseReason::Seen) => record.take_in_known_target(target.0),
            Some(RefuseReason::TrapSession) => {
                record.take_in_copy();
                self.has_copying |= record.leads_to_copies();
                self.refuses_some |= record.leads_to_copies();
            }
            Some(_) => (),
        }
    }

    /// Why a redirect's target is refused although it was admitted: the link was followed before the trap was found. `area`: its area, if
    /// that of the redirect is the same.
    pub(super) fn refusal_of_target(
        &self,
        url: UrlRef<'_>,
        area: Option<u64>,
        keys: &KeyPolicy,
    ) -> Option<RefuseReason> {
        let key = keys.key(url);
        // Only of redirects that were found on a page: a sitemap may list others.
        let origin = self.origins.get(&key)?;
        if self.listed.contains(key) {
            return None;
        }
        let stripped = self.ignorable.key_without_ignorable(url, keys);
        if stripped == Some(*origin) {
            return Some(RefuseReason::TrapSession);
        }
        self.refusal(None, area)
    }

    /// Whether a page with this key, without parameters that change nothing, is fetched anyway.
    pub(super) fn is_copy(&self, key: UrlKey, source: &PageEvidence, seen: &Seen) -> bool {
        if source.is_redirect {
            // Other known pages may be redirects to this one.
            return source.found_on == Some(key);
        }
        seen.contains(key) || self.first_of.contains_key(&key)
    }

    /// Whether the URLs of an area redirect to copies of known pages.
    pub(super) fn leads_to_copies(&self, area: u64) -> bool {
        let record = || self.areas.get(&area);
        self.has_copying && record().is_some_and(AreaRecord::leads_to_copies)
    }
}
