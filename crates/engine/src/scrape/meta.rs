//! Builds a document's `meta`: the metadata of the page and of the response.

use crawler_html::Metadata;
use crawler_model::{DocumentMeta, HtmlMeta, rfc3339_seconds};

use super::ScrapeResponse;
use super::content::Page;

/// Returns the metadata of a response; `bytes` is the length of the decoded body.
pub(super) fn document_meta(
    response: &ScrapeResponse,
    bytes: u64,
    links_omitted: u64,
    page: Option<&Page>,
) -> DocumentMeta {
    let fetched = &response.fetched;
    DocumentMeta {
        url: response.url.to_string(),
        requested_url: response.requested.to_string(),
        status_code: fetched.status,
        content_type: fetched.content_type.clone(),
        fetched_at: rfc3339_seconds(response.fetched_at),
        bytes,
        rendered: fetched
            .rendering
            .is_some_and(|rendering| rendering.rendered),
        render_reason: fetched.rendering.map(|rendering| rendering.reason.as_str()),
        render_timed_out: fetched
            .rendering
            .is_some_and(|rendering| rendering.timed_out),
        truncated: fetched.truncated || page.is_some_and(Page::is_truncated),
        links_omitted,
        page: page.map(|page| Box::new(html_meta(page))),
    }
}

fn html_meta(page: &Page) -> HtmlMeta {
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
    HtmlMeta {
        charset: page.charset(),
        quality: main.map(|main| (f64::from(main.quality) * 100.0).round() / 100.0),
        page_kind: main.map(|main| main.kind.name()),
        description,
        language,
        canonical,
        author: (!author.is_empty()).then(|| author.join("; ")),
        published_time: published,
        modified_time: modified,
        site_name,
        keywords,
        image,
        favicon,
        robots,
        json_ld_types,
        hreflang: alternates.into_iter().collect(),
        feeds,
        next,
        previous,
        open_graph,
        twitter,
    }
}
