//! A page's links. Keys are left out: they are recomputed from the plan.

use crawler_model::{LinkFacts, LinkList};
use crawler_weburl::{KeyPolicy, UrlKey, UrlRef};

use super::{BytesIn, BytesOut, Damaged};

const NOFOLLOW: u8 = 1;
const DOWNLOAD: u8 = 2;
const WEB: u8 = 4;
const IN_SCOPE: u8 = 8;
/// A fragment's length follows.
const FRAGMENT: u8 = 16;

pub(super) fn write_links(out: &mut BytesOut, links: &LinkList) {
    out.number(links.len() as u64);
    out.number(links.omitted());
    for link in links.iter() {
        let facts = link.facts;
        let fragment = link.full.len() - link.page.len();
        let bit = |fact: bool, bit: u8| if fact { bit } else { 0 };
        out.byte(
            bit(facts.nofollow, NOFOLLOW)
                | bit(facts.download, DOWNLOAD)
                | bit(facts.web, WEB)
                | bit(facts.in_scope, IN_SCOPE)
                | bit(fragment > 0, FRAGMENT),
        );
        out.text(link.full);
        if fragment > 0 {
            out.number(fragment as u64);
        }
    }
}

pub(super) fn read_links(bytes: &mut BytesIn<'_>, keys: &KeyPolicy) -> Result<LinkList, Damaged> {
    let mut links = LinkList::default();
    let count = bytes.count()?;
    let omitted = bytes.number()?;
    for _ in 0..count {
        let bits = bytes.byte()?;
        let full = bytes.text()?;
        let fragment = if bits & FRAGMENT == 0 {
            0
        } else {
            usize::try_from(bytes.number()?).map_err(|_| Damaged("a fragment"))?
        };
        let page_len = full.len().checked_sub(fragment);
        let page = page_len
            .and_then(|length| full.get(..length))
            .ok_or(Damaged("a fragment"))?;
        let facts = LinkFacts {
            nofollow: bits & NOFOLLOW != 0,
            download: bits & DOWNLOAD != 0,
            web: bits & WEB != 0,
            in_scope: bits & IN_SCOPE != 0,
        };
        let key = if facts.web {
            keys.key(UrlRef::split(page).ok_or(Damaged("a link"))?)
        } else {
            UrlKey(0)
        };
        links.push(full, page.len(), key, facts);
    }
    links.omit_many(omitted);
    Ok(links)
}
