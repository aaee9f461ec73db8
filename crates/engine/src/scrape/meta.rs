//! A document's `meta`: what the page says about itself, and how it was had.

use std::collections::BTreeMap;

use fetch::Fetched;
use html::Metadata;
use serde::Serialize;

use super::Answer;
use super::content::Page;
use super::timestamp::rfc3339;

/// The fields in the order they are written; what a page does not say is left out.
#[derive(Serialize)]
pub(super) struct Meta<'a> {
    url: &'a str,
    requested_url: &'a str,
    status_code: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<&'a str>,
    fetched_at: String,
    bytes: u64,
    rendered: bool,
    /// Why it was rendered, or was not, where that was a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    render_reason: Option<&'static str>,
    #[serde(skip_serializing_if = "is_false")]
    truncated: bool,
    /// Links left out of `links`: there were more than anybody follows.
    #[serde(skip_serializing_if = "is_zero")]
    links_omitted: u64,
    #[serde(flatten)]
    page: Option<PageMeta<'a>>,
}

/// What only a page of HTML has.
#[derive(Serialize)]
struct PageMeta<'a> {
    charset: String,
    /// How sure the choice of the main content is, in hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_time: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modified_time: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site_name: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    keywords: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    favicon: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    robots: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    json_ld_types: &'a [String],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    hreflang: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    feeds: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<&'a str>,
    #[serde(flatten)]
    open_graph: &'a BTreeMap<String, String>,
    #[serde(flatten)]
    twitter: &'a BTreeMap<String, String>,
}

impl<'a> Meta<'a> {
    pub(super) fn new(
        answer: &'a Answer,
        fetched: &'a Fetched,
        bytes: u64,
        links_omitted: u64,
        page: Option<&'a Page>,
    ) -> Self {
        Self {
            url: answer.url.as_str(),
            requested_url: answer.requested.as_str(),
            status_code: fetched.status,
            content_type: fetched.content_type.as_deref(),
            fetched_at: rfc3339(answer.fetched_at),
            bytes,
            rendered: fetched
                .rendering
                .is_some_and(|rendering| rendering.rendered),
            render_reason: fetched.rendering.map(|rendering| rendering.reason.as_str()),
            truncated: fetched.truncated,
            links_omitted,
            page: page.map(PageMeta::new),
        }
    }
}

impl<'a> PageMeta<'a> {
    fn new(page: &'a Page) -> Self {
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
        } = &page.metadata;
        let main = page.main.as_ref();
        Self {
            charset: page.charset(),
            quality: main.map(|main| (f64::from(main.quality) * 100.0).round() / 100.0),
            page_kind: main.map(|main| main.kind.name()),
            description: description.as_deref(),
            language: language.as_deref(),
            canonical: canonical.as_deref(),
            author: (!author.is_empty()).then(|| author.join("; ")),
            published_time: published.as_deref(),
            modified_time: modified.as_deref(),
            site_name: site_name.as_deref(),
            keywords,
            image: image.as_deref(),
            favicon: favicon.as_deref(),
            robots,
            json_ld_types,
            hreflang: alternates
                .iter()
                .map(|(language, url)| (language.as_str(), url.as_str()))
                .collect(),
            feeds,
            next: next.as_deref(),
            previous: previous.as_deref(),
            open_graph,
            twitter,
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the shape that the derive asks for"
)]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the shape that the derive asks for"
)]
fn is_zero(value: &u64) -> bool {
    *value == 0
}
