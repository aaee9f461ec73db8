//! A document's `meta`: the metadata of the page and of the response.

use std::collections::BTreeMap;

use serde::Serialize;

/// A document's metadata. Serialized as one JSON object with the fields in this order, without those that the page does
/// not have.
#[derive(Clone, PartialEq, Default, Serialize, Debug)]
#[non_exhaustive]
pub struct DocumentMeta {
    /// URL of the page, after redirects.
    pub url: String,
    /// The requested URL.
    pub requested_url: String,
    /// The HTTP status.
    pub status_code: u16,
    /// The content type as sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Time of the fetch (RFC 3339).
    pub fetched_at: String,
    /// Length of the decoded body.
    pub bytes: u64,
    /// Whether a browser rendered it.
    pub rendered: bool,
    /// Why it was or was not rendered; `None` if rendering was off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub render_reason: Option<&'static str>,
    /// Whether its scripts were still running at the time limit of the browser: the page may be incomplete.
    #[serde(skip_serializing_if = "is_false")]
    pub render_timed_out: bool,
    /// Whether the body was truncated.
    #[serde(skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// Number of links omitted from `links` because there were too many.
    #[serde(skip_serializing_if = "is_zero")]
    pub links_omitted: u64,
    /// Metadata that only an HTML page has.
    #[serde(flatten)]
    pub page: Option<Box<HtmlMeta>>,
}

/// Metadata that only an HTML page has.
#[derive(Clone, PartialEq, Default, Serialize, Debug)]
#[non_exhaustive]
pub struct HtmlMeta {
    /// Encoding used to decode it.
    pub charset: String,
    /// Confidence in the choice of the main content, from 0 to 1, rounded to hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<f64>,
    /// Kind of page, guessed from its main content.
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
    /// Time of publication, as written on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_time: Option<String>,
    /// Time of the last modification, as written on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_time: Option<String>,
    /// Name of its site.
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
    /// Robots directives.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub robots: Vec<String>,
    /// Types of its JSON-LD objects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub json_ld_types: Vec<String>,
    /// Other language versions of the page, by language.
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

impl DocumentMeta {
    /// Returns the length of all texts together.
    pub(crate) fn text_len(&self) -> usize {
        let response = self.url.len() + self.requested_url.len() + len(self.content_type.as_ref());
        response + self.page.as_ref().map_or(0, |page| page.text_len())
    }
}

impl HtmlMeta {
    fn text_len(&self) -> usize {
        let texts = [
            &self.description,
            &self.language,
            &self.canonical,
            &self.author,
            &self.published_time,
            &self.modified_time,
            &self.site_name,
            &self.image,
            &self.favicon,
            &self.next,
            &self.previous,
        ];
        let lists = [
            &self.keywords,
            &self.robots,
            &self.json_ld_types,
            &self.feeds,
        ];
        let maps = [&self.hreflang, &self.open_graph, &self.twitter];
        let entries = maps.into_iter().flatten();
        texts
            .into_iter()
            .map(|text| len(text.as_ref()))
            .sum::<usize>()
            + lists.into_iter().flatten().map(String::len).sum::<usize>()
            + entries
                .map(|(name, value)| name.len() + value.len())
                .sum::<usize>()
    }
}

fn len(text: Option<&String>) -> usize {
    text.map_or(0, String::len)
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "signature required by the derive"
)]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "signature required by the derive"
)]
fn is_zero(value: &u64) -> bool {
    *value == 0
}
