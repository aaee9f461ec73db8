//! Scans a page for links, resolves them and computes their keys. The frontier decides which are followed.

use std::borrow::Cow;

use crawler_model::{CrawlRules, LinkFacts, LinkList};
use crawler_weburl::{CrawlUrl, Resolved, Resolver, ScopeVerdict, UrlKey};

/// Limit on the text of a page's links in bytes; higher if the body limit is.
const MIN_TEXT_LIMIT: usize = 16 << 20;

/// Returns the links of a page fetched from `page`, in document order.
pub fn find_links(
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
    let first = scan(body, encoding, &mut resolver, Base::Unknown, plan);
    match first {
        Ok(links) => links,
        // The base also applies to the links before it.
        Err(LateBase) => scan(body, encoding, &mut resolver, Base::Known, plan).unwrap_or_default(),
    }
}

/// Whether the resolver has the page's base.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Unknown,
    Known,
}

/// A base was found after links that were resolved without it.
struct LateBase;

/// Scans a page once. The first valid base applies to the whole page. Few pages have one, and fewer after a link, so pages
/// are not searched for it beforehand.
fn scan(
    body: &[u8],
    encoding: &'static encoding_rs::Encoding,
    resolver: &mut Resolver<'_>,
    base: Base,
    plan: &CrawlRules,
) -> Result<LinkList, LateBase> {
    let text_limit =
        MIN_TEXT_LIMIT.max(usize::try_from(plan.fetch.max_body).unwrap_or(usize::MAX) / 2);
    let mut links = LinkList::with_typical_capacity();
    let mut base = base;
    let (mut found_link, mut is_late) = (false, false);
    let is_complete = crawler_html::scan_links(body, encoding, |part| {
        let link = match part {
            crawler_html::ScanEvent::Link(link) => link,
            crawler_html::ScanEvent::Base(href) => {
                if base == Base::Unknown && resolver.set_base(href) {
                    base = Base::Known;
                    is_late = found_link;
                }
                return;
            }
        };
        if is_late {
            return;
        }
        found_link = true;
        // A short relative link can become a long absolute one: without a limit, a small hostile page could produce
        // a huge list.
        if links.text_len() > text_limit {
            links.omit();
            return;
        }
        let facts = LinkFacts {
            nofollow: link.nofollow,
            download: link.download,
            ..LinkFacts::default()
        };
        add_link(&mut links, resolver, link.href, facts, plan);
    });
    if !is_complete {
        links.set_incomplete();
    }
    if is_late { Err(LateBase) } else { Ok(links) }
}

/// Resolves one reference and adds it to the list; an invalid URL is dropped.
pub(crate) fn add_link(
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

/// Ties the lifetime of a closure's result to its argument, which type inference does not do.
pub(crate) fn query_encoder<F: for<'t> Fn(&'t str) -> Cow<'t, [u8]>>(encode: F) -> F {
    encode
}

/// Returns the top-level domain (`jp`, `ru`, …), a hint for charset detection.
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
        let list = find_links(
            body,
            Some(content_type),
            &CrawlUrl::parse(page).unwrap(),
            &plan,
        );
        list.iter().map(|link| link.full.to_owned()).collect()
    }

    #[test]
    fn links_are_in_document_order_with_duplicates() {
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
    fn the_first_valid_base_applies_to_links_before_it() {
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
        let list = find_links(
            body.as_bytes(),
            None,
            &CrawlUrl::parse(&page).unwrap(),
            &plan,
        );
        assert!(
            list.text_len() < MIN_TEXT_LIMIT + 10_000,
            "{}",
            list.text_len()
        );
        assert_eq!(list.len() as u64 + list.omitted(), 100_000);
    }
}
