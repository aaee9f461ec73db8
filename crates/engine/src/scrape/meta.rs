//! Builds a document's `meta`: the metadata of the page and of the response.

use crawler_html::Metadata;
use crawler_model::{DocumentMeta, HtmlMeta, rfc3339_seconds};

use super::ScrapeResponse;
use super::content::HtmlPage;

/// Returns the metadata of a response; `bytes` is the length of the decoded body.
pub(super) fn document_meta(
    response: &ScrapeResponse,
    bytes: u64,
    links_omitted: u64,
    page: Option<&HtmlPage>,
) -> DocumentMeta {
    let fetched = &response.fetched;
    let rendering = fetched.rendering;
    let mut meta = DocumentMeta::default();
    meta.url = response.url.to_string();
    meta.requested_url = response.requested.to_string();
    meta.status_code = fetched.status;
    meta.content_type.clone_from(&fetched.content_type);
    meta.fetched_at = rfc3339_seconds(response.fetched_at);
    meta.bytes = bytes;
    meta.rendered = rendering.is_some_and(|rendering| rendering.rendered);
    meta.render_reason = rendering.map(|rendering| rendering.reason.as_str());
    meta.render_timed_out = rendering.is_some_and(|rendering| rendering.timed_out);
    meta.truncated = fetched.truncated || page.is_some_and(HtmlPage::is_truncated);
    meta.links_omitted = links_omitted;
    meta.page = page.map(|page| Box::new(html_meta(page)));
    meta
}

fn html_meta(page: &HtmlPage) -> HtmlMeta {
    let Metadata {
        title: _,
        description,
        language,
        canonical,
        author,
        published,
        modified,
        site_name,
        keywords,
        favicon,
        robots,
        open_graph,
        twitter,
        json_ld_types,
        alternates,
        feeds,
        image,
        next,
        previous,
    } = page.metadata.clone();
    let main = page.main.as_ref();
    let mut meta = HtmlMeta::default();
    meta.charset = page.charset();
    meta.quality = main.map(|main| (f64::from(main.quality) * 100.0).round() / 100.0);
    meta.page_kind = main.map(|main| main.kind.name());
    meta.description = description;
    meta.language = language;
    meta.canonical = canonical;
    meta.author = (!author.is_empty()).then(|| author.join("; "));
    meta.published_time = published;
    meta.modified_time = modified;
    meta.site_name = site_name;
    meta.keywords = keywords;
    meta.image = image;
    meta.favicon = favicon;
    meta.robots = robots;
    meta.json_ld_types = json_ld_types;
    meta.hreflang = alternates.into_iter().collect();
    meta.feeds = feeds;
    meta.next = next;
    meta.previous = previous;
    meta.open_graph = open_graph;
    meta.twitter = twitter;
    meta
}
