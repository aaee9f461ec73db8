//! A document's `meta`: what the page says about itself, and how it was fetched.

use std::collections::BTreeMap;

use serde::Serialize;

/// A document's metadata. Serialised, it is one JSON object: the fields in this order, and without those that the page
/// does not have.
#[derive(Clone, PartialEq, Default, Serialize, Debug)]
pub struct DocumentMeta {
    /// Where the page was found, after redirects.
    pub url: String,
    /// The URL that was requested.
    pub requested_url: String,
    /// The HTTP status.
    pub status_code: u16,
    /// The content type as sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// When it was fetched: RFC 3339.
    pub fetched_at: String,
    /// Bytes of body, decoded.
    pub bytes: u64,
    /// Whether a browser rendered it.
    pub rendered: bool,
    /// Why it was rendered or was not, where that was a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub render_reason: Option<&'static str>,
    /// Whether the body was longer than we read.
    #[serde(skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// Links left out of `links` because there were too many.
    #[serde(skip_serializing_if = "is_zero")]
    pub links_omitted: u64,
    /// What only an HTML page has.
    #[serde(flatten)]
    pub page: Option<Box<HtmlMeta>>,
}

/// The metadata that only an HTML page has.
#[derive(Clone, PartialEq, Default, Serialize, Debug)]
pub struct HtmlMeta {
    /// The encoding it was read in.
    pub charset: String,
    /// Confidence in the choice of the main content, 0 to 1, in hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<f64>,
    /// The kind of page that the main content suggests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_kind: Option<&'static str>,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Its canonical URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// Its authors, separated by semicolons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// When it was published, as the page writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_time: Option<String>,
    /// When it was modified, as the page writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_time: Option<String>,
    /// The name of its site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_name: Option<String>,
    /// Its keywords.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Its main image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Its icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub favicon: Option<String>,
    /// Directives for robots.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub robots: Vec<String>,
    /// Types of its JSON-LD objects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub json_ld_types: Vec<String>,
    /// The page in other languages: language → URL.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hreflang: BTreeMap<String, String>,
    /// Its feeds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<String>,
    /// The next page of a series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The previous page of a series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// `og:` properties.
    #[serde(flatten)]
    pub open_graph: BTreeMap<String, String>,
    /// `twitter:` properties.
    #[serde(flatten)]
    pub twitter: BTreeMap<String, String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that the derive calls"
)]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that the derive calls"
)]
fn is_zero(value: &u64) -> bool {
    *value == 0
}
