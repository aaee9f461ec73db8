//! Which of a page's links are printed, and in which spelling.

use crawler_model::{LinkFilter, LinkList, ListedLink};

/// The links that are printed, in document order, duplicates kept, each with its printed text.
pub(crate) fn printed_links(
    links: &LinkList,
    filter: LinkFilter,
) -> impl Iterator<Item = (&str, ListedLink<'_>)> {
    links
        .iter()
        .filter(move |link| {
            (link.facts.web || filter.all_schemes) && (link.facts.in_scope || !filter.in_scope_only)
        })
        .map(move |link| {
            let text = if filter.keep_fragments {
                link.full
            } else {
                link.page
            };
            (text, link)
        })
}
