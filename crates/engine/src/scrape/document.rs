//! The extracted content of a page.

use crawler_fetch::Body;
use crawler_model::{DocumentMeta, Failure, PageDocument};
use serde::Serialize;

use super::content::{Content, HtmlPage};
use super::media::Media;
use super::meta::document_meta;
use super::{ScrapeProblem, ScrapeResponse};

/// Which part of a page is extracted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The main content.
    Main,
    /// The whole body, cleaned.
    Whole,
}

/// The extracted content of a page.
#[derive(Debug)]
pub struct Document {
    response: ScrapeResponse,
    /// Length of the decoded body.
    bytes: u64,
    content: Content,
}

/// The JSON form of a document.
#[derive(Serialize)]
struct DocumentJson<'a> {
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_kind: Option<&'a str>,
    /// The same as `error_kind`; the older name.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    title: Option<&'a str>,
    content: String,
    text: String,
    html: String,
    meta: DocumentMeta,
    links: Vec<String>,
}

impl Document {
    /// Extracts the content of a response. CPU-bound, in time linear in the length of the body: run it on a blocking thread.
    #[doc(hidden)]
    pub fn read(mut response: ScrapeResponse, part: Part) -> Result<Self, ScrapeProblem> {
        let media = Media::of(&response.fetched);
        // Taken, so that the bytes are freed at the end of this function.
        let owned_body = std::mem::replace(&mut response.fetched.body, Body::Unread);
        let body: &[u8] = match &owned_body {
            Body::Html(body) | Body::File(body) => body,
            Body::Unread => &[],
        };
        let (url, content_type) = (&response.url, response.fetched.content_type.as_deref());
        let content = match media {
            Media::Html => Content::Html(Box::new(HtmlPage::read(body, content_type, url, part))),
            Media::Json => Content::Json(Content::decode(body, content_type, url)),
            Media::Text => Content::Text(Content::decode(body, content_type, url)),
            // For an error page that is not text, the error status is reported, not the type.
            Media::Other(_) if response.fetched.page_status().is_error_page() => {
                let failure = Failure::of_status(response.fetched.status);
                return Err(ScrapeProblem::failed(&response.url, failure));
            }
            Media::Other(what) => {
                return Err(ScrapeProblem::NotText {
                    url: response.url,
                    what,
                    content_type: response.fetched.content_type,
                });
            }
        };
        Ok(Self {
            bytes: body.len() as u64,
            response,
            content,
        })
    }

    /// Returns the requested URL, in its normal form.
    pub fn requested(&self) -> &str {
        self.response.requested.as_str()
    }

    /// Returns the URL after redirects.
    pub fn url(&self) -> &str {
        self.response.url.as_str()
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        self.response.fetched.status
    }

    /// Returns the failure that the HTTP status stands for; `None` if it is not an error status.
    pub fn error(&self) -> Option<Failure> {
        let is_error = self.response.fetched.page_status().is_error_page();
        is_error.then(|| Failure::of_status(self.status()))
    }

    /// Returns the same failure as a problem of this page, which names its URL.
    #[doc(hidden)]
    pub fn problem(&self) -> Option<ScrapeProblem> {
        let failure = self.error()?;
        Some(ScrapeProblem::failed(&self.response.url, failure))
    }

    /// Returns the length of the decoded body.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the body was truncated, or its elements are nested too deeply to be read completely.
    pub fn truncated(&self) -> bool {
        self.body_truncated() || matches!(&self.content, Content::Html(page) if page.is_truncated())
    }

    /// Whether the body was truncated.
    pub fn body_truncated(&self) -> bool {
        self.response.fetched.truncated
    }

    /// Whether a browser rendered the page.
    pub fn rendered(&self) -> bool {
        let rendering = self.response.fetched.rendering;
        rendering.is_some_and(|rendering| rendering.rendered)
    }

    /// Whether the page's scripts were still running at the time limit of the browser.
    pub fn render_timed_out(&self) -> bool {
        let rendering = self.response.fetched.rendering;
        rendering.is_some_and(|rendering| rendering.timed_out)
    }

    /// Returns why the page was or was not rendered; `None` if rendering was off.
    pub fn render_reason(&self) -> Option<&'static str> {
        let rendering = self.response.fetched.rendering;
        rendering.map(|rendering| rendering.reason.as_str())
    }

    /// Whether rendering was allowed.
    pub fn may_be_rendered(&self) -> bool {
        self.response.fetched.rendering.is_some()
    }

    /// Returns the title of the page.
    pub fn title(&self) -> Option<&str> {
        match &self.content {
            Content::Html(page) => page.metadata.title.as_deref(),
            _ => None,
        }
    }

    /// Returns the confidence in the choice of the main content, from 0 to 1; `None` if there was no choice.
    pub fn quality(&self) -> Option<f32> {
        match &self.content {
            Content::Html(page) => page.main.as_ref().map(|main| main.quality),
            _ => None,
        }
    }

    /// Whether this is an HTML page without text.
    pub fn is_without_text(&self) -> bool {
        matches!(self.content, Content::Html(_)) && self.text().trim().is_empty()
    }

    /// Whether it is an HTML page with images and without text.
    pub fn has_only_images(&self) -> bool {
        self.is_without_text() && matches!(&self.content, Content::Html(page) if !page.is_blank())
    }

    /// Returns the title and the content as Markdown.
    pub fn markdown(&self) -> String {
        self.content.markdown()
    }

    /// Returns the content as inert HTML.
    pub fn html(&self) -> String {
        self.content.html()
    }

    /// Returns the content as plain text.
    pub fn text(&self) -> String {
        self.content.text()
    }

    /// Returns the http(s) links: absolute, without duplicates, in document order.
    pub fn links(&self) -> Vec<String> {
        self.content.links().kept
    }

    /// Returns the document as a JSON object, on one line unless `pretty`. `error` is the message and the stable kind of
    /// an error page.
    pub fn json(&self, pretty: bool, error: Option<(&str, &str)>) -> String {
        let links = self.content.links();
        let json = DocumentJson {
            url: self.response.url.as_str(),
            error: error.map(|(message, _)| message),
            error_kind: error.map(|(_, kind)| kind),
            kind: error.map(|(_, kind)| kind),
            title: self.title(),
            content: self.markdown(),
            text: self.text(),
            html: self.html(),
            meta: self.meta_of(links.omitted),
            links: links.kept,
        };
        let written = if pretty {
            serde_json::to_string_pretty(&json)
        } else {
            serde_json::to_string(&json)
        };
        // Cannot fail: all fields can be represented in JSON.
        written.unwrap_or_default()
    }

    /// Returns the part that is included in a crawl's report.
    pub(crate) fn page_document(&self) -> PageDocument {
        let title = self.title().map(str::to_owned);
        PageDocument::new(title, self.markdown(), self.html(), self.meta())
    }

    /// Returns the metadata of the page and of the response.
    pub fn meta(&self) -> DocumentMeta {
        self.meta_of(0)
    }

    fn meta_of(&self, links_omitted: u64) -> DocumentMeta {
        let page = match &self.content {
            Content::Html(page) => Some(&**page),
            _ => None,
        };
        document_meta(&self.response, self.bytes, links_omitted, page)
    }
}
