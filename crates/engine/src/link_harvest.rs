//! A page's links: scanned, resolved, keyed. Pure; deciding about them is the frontier's.

use std::borrow::Cow;

use crawler_model::{CrawlRules, LinkFacts, LinkList};
use crawler_weburl::{CrawlUrl, Resolved, Resolver, ScopeVerdict, UrlKey};

/// Minimum budget for a page's links, in bytes of text; larger pages may have more.
const LEAST_TEXT: usize = 16 << 20;

/// The links of a page fetched from `page`, in document order.
pub fn harvest(
    body: &[u8],
    content_type: Option<&str>,
    page: &CrawlUrl,
    plan: &CrawlRules,
) -> LinkList {
    let label = content_type.and_then(crawler_html::charset_label);
    let encoding = crawler_html::charset(body, label, top_level_domain(page)).encoding;
    let encode = query_encoder(|text| encoding.encode(text).0);
    let mut resolver = Resolver::new(page);
    if encoding != encoding_rs::UTF_8 {
        resolver = resolver.with_query_encoding(&encode);
    }
    let first = read(body, encoding, &mut resolver, Base::Unknown, plan);
    match first {
        Ok(links) => links,
        // There are links before it, and it applies to them too.
        Err(LateBase) => read(body, encoding, &mut resolver, Base::Known, plan).unwrap_or_default(),
    }
}

/// Whether the page's base is known to the resolver.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Unknown,
    Known,
}

/// A base was found behind links that were resolved without it.
struct LateBase;

/// Reads a page once. The first valid base counts for the whole page; few have one, and fewer behind a link, so no page is
/// searched for it beforehand.
fn read(
    body: &[u8],
    encoding: &'static encoding_rs::Encoding,
    resolver: &mut Resolver<'_>,
    base: Base,
    plan: &CrawlRules,
) -> Result<LinkList, LateBase> {
    let most_text = LEAST_TEXT.max(usize::try_from(plan.fetch.max_body).unwrap_or(usize::MAX) / 2);
    let mut links = LinkList::roomy();
    let mut base = base;
    let (mut met_link, mut is_late) = (false, false);
    crawler_html::scan_links(body, encoding, |part| {
        let link = match part {
            crawler_html::ScanEvent::Link(link) => link,
            crawler_html::ScanEvent::Base(href) => {
                if base == Base::Unknown && resolver.set_base(href) {
                    base = Base::Known;
                    is_late = met_link;
                }
                return;
            }
        };
        if is_late {
            return;
        }
        met_link = true;
        // A short relative link becomes a long absolute one: without a bound, a small hostile page
        // would be a large list.
        if links.text_len() > most_text {
            links.omit();
            return;
        }
        let facts = LinkFacts {
            nofollow: link.nofollow,
            download: link.download,
            ..LinkFacts::default()
        };
        take_in(&mut links, resolver, link.href, facts, plan);
    });
    if is_late { Err(LateBase) } else { Ok(links) }
}

/// Resolves one reference into the list; anything that is not a URL is dropped.
pub(crate) fn take_in(
    links: &mut LinkList,
    resolver: &Resolver<'_>,
    href: &str,
    facts: LinkFacts,
    plan: &CrawlRules,
) {
    match resolver.resolve(href, links.buffer()) {
        Resolved::Web(url) => {
            let key = plan.keys.key(url);
            let facts = LinkFacts {
                web: true,
                in_scope: plan.scope.verdict(url) == ScopeVerdict::In,
                ..facts
            };
            let page_len = url.as_str().len();
            links.keep(page_len, key, facts);
        }
        Resolved::Other => {
            let len = links.unkept().len();
            links.keep(len, UrlKey(0), facts);
        }
        Resolved::Invalid => links.drop_unkept(),
    }
}

/// Ties a closure's result to its argument, which inference alone does not.
pub(crate) fn query_encoder<F: for<'t> Fn(&'t str) -> Cow<'t, [u8]>>(encode: F) -> F {
    encode
}

/// A hint for detecting the charset: `jp`, `ru` …
pub(crate) fn top_level_domain(page: &CrawlUrl) -> Option<&str> {
    let (_, last) = page.parts().host().rsplit_once('.')?;
    let last = &page.as_str()[page.as_str().find(last)?..][..last.len()];
    last.bytes()
        .all(|byte| byte.is_ascii_lowercase())
        .then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crawler_model::{CrawlPlan, CrawlSpec};

    fn links(page: &str, content_type: &str, body: &[u8]) -> Vec<String> {
        let spec = CrawlSpec {
            seed: page.into(),
            ..CrawlSpec::default()
        };
        let plan = CrawlPlan::resolve(&spec, "crawler/0", 1).unwrap();
        let harvested = harvest(
            body,
            Some(content_type),
            &CrawlUrl::parse(page).unwrap(),
            &plan,
        );
        harvested.iter().map(|link| link.full.to_owned()).collect()
    }

    #[test]
    fn in_document_order_with_duplicates() {
        let body =
            b"<a href=/b>b</a> <a href='/a?x=1&amp;y=2#f'>a</a> <a href=/b>again</a><a>none</a>";
        assert_eq!(
            links("http://a.example/dir/", "text/html", body),
            [
                "http://a.example/b",
                "http://a.example/a?x=1&y=2#f",
                "http://a.example/b"
            ]
        );
    }

    #[test]
    fn the_first_valid_base_counts_for_links_before_it() {
        let body = b"<a href=x>1</a><base href='data:,'><base href='/base/'><base href='/no/'><a href=y>2</a>";
        assert_eq!(
            links("http://a.example/dir/", "text/html", body),
            ["http://a.example/base/x", "http://a.example/base/y"]
        );
    }

    #[test]
    fn queries_keep_the_pages_charset() {
        let body = b"<a href='/?q=\xfc'>latin-1</a>";
        assert_eq!(
            links("http://a.example/", "text/html; charset=iso-8859-1", body),
            ["http://a.example/?q=%FC"]
        );
    }

    #[test]
    fn a_small_page_cannot_become_a_huge_list() {
        let page = format!("http://a.example/{}/", "x".repeat(2_000));
        let body = "<a href=y>".repeat(100_000);
        let spec = CrawlSpec {
            seed: page.clone(),
            ..CrawlSpec::default()
        };
        let plan = CrawlPlan::resolve(&spec, "crawler/0", 1).unwrap();
        let list = harvest(
            body.as_bytes(),
            None,
            &CrawlUrl::parse(&page).unwrap(),
            &plan,
        );
        assert!(list.text_len() < LEAST_TEXT + 10_000, "{}", list.text_len());
        assert_eq!(list.len() as u64 + list.omitted(), 100_000);
    }
}
