//! What the links of a fetched page tell.

use std::collections::HashSet;

use crawler_model::{Outcome, PageReport};
use crawler_weburl::{KeyPolicy, UrlKey, UrlRef};

use super::calendar::DatePage;
use super::page_evidence::{Brought, PageEvidence};
use super::phrases::NewText;
use super::place::Place;
use crate::seen::Seen;

/// What a page brought, with its links and, if it was read, its text.
pub(super) fn brought(
    report: &PageReport,
    evidence: &PageEvidence,
    text: Option<NewText>,
) -> Brought {
    let is_html = matches!(report.outcome, Outcome::Fetched { html: true });
    if evidence.pages_outside > 0 || !is_html {
        return Brought::Something;
    }
    text.map_or(Brought::Unknown, |text| text.brought)
}

/// Whether a URL belongs to the same place as the page it was found on.
pub(super) fn is_inside(url: UrlRef<'_>, via: UrlRef<'_>, keys: &KeyPolicy) -> bool {
    match (Place::of(via, keys.seed), Place::of(url, keys.seed)) {
        (Some(from), Some(to)) => from.contains(&to),
        _ => false,
    }
}

/// The first day of the last page of its calendar that a page links to.
pub(super) fn last_linked(report: &PageReport, date: DatePage, keys: &KeyPolicy) -> Option<u32> {
    let links = report.links.iter().filter(|link| link.facts.in_scope);
    let dates = links.filter_map(|link| DatePage::of(link.parts()?, keys.seed));
    let of_calendar = dates.filter(|other| other.calendar == date.calendar);
    of_calendar
        .filter_map(|other| other.days)
        .map(|(first, _)| first)
        .max()
}

/// Whether a page links to a new page that is neither a date nor a query.
pub(super) fn leads_elsewhere(report: &PageReport, keys: &KeyPolicy, seen: &Seen) -> bool {
    let mut new = report
        .links
        .iter()
        .filter(|link| link.facts.in_scope && !seen.contains(link.key));
    new.any(|link| {
        let url = link.parts();
        url.is_some_and(|url| Place::of(url, keys.seed).is_none())
    })
}

/// The keys of the pages of some areas that a page links to and that were known before, besides itself and those it was found on.
pub(super) fn known_links(
    report: &PageReport,
    evidence: &PageEvidence,
    origin: Option<UrlKey>,
    keys: &KeyPolicy,
    seen: &Seen,
    is_in_areas: impl Fn(UrlRef<'_>) -> bool,
) -> Vec<u64> {
    let own = keys.key(report.url.parts());
    let via = report.via.as_deref().and_then(UrlRef::split);
    let via = via.map(|via| keys.key(via));
    let outside = evidence.outside.iter().map(|(key, _)| *key);
    let new: HashSet<UrlKey> = evidence.area_new.iter().copied().chain(outside).collect();
    let mut known: Vec<u64> = report
        .links
        .iter()
        .filter(|link| link.key != own && Some(link.key) != via && Some(link.key) != origin)
        .filter(|link| seen.contains(link.key) && !new.contains(&link.key))
        .filter(|link| link.parts().is_some_and(&is_in_areas))
        .map(|link| link.key.0)
        .collect();
    known.sort_unstable();
    known.dedup();
    known
}
