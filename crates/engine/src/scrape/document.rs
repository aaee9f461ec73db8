//! A page's content, ready to be printed or stored.

use crawler_fetch::Body;
use crawler_model::{DocumentMeta, Failure, PageDocument};
use crawler_weburl::CrawlUrl;
use serde::Serialize;

use super::content::{Content, Page};
use super::media::Media;
use super::meta::document_meta;
use super::{ScrapeProblem, ScrapeResponse};

/// Which part of a page is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The main content.
    Main,
    /// The whole body, cleaned.
    Whole,
}

/// A page's extracted content.
#[derive(Debug)]
pub struct Document {
    answer: ScrapeResponse,
    /// Bytes of body, decoded.
    bytes: u64,
    content: Content,
}

/// A document as JSON.
#[derive(Serialize)]
struct Whole<'a> {
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
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
    /// Extracts the content of a response. Takes time linear in its body and never waits: run it where blocking is fine.
    pub fn read(mut answer: ScrapeResponse, part: Part) -> Result<Self, ScrapeProblem> {
        let media = Media::of(&answer.fetched);
        // The bytes are freed once they are read.
        let taken = std::mem::replace(&mut answer.fetched.body, Body::Unread);
        let body: &[u8] = match &taken {
            Body::Html(body) | Body::File(body) => body,
            Body::Unread => &[],
        };
        let (url, content_type) = (&answer.url, answer.fetched.content_type.as_deref());
        let content = match media {
            Media::Html => Content::Page(Box::new(Page::read(body, content_type, url, part))),
            Media::Json => Content::Json(Content::decode(body, content_type, url)),
            Media::Text => Content::Text(Content::decode(body, content_type, url)),
            // An error page of a type we do not read is an error before it is anything else.
            Media::Other(_) if answer.fetched.status >= 400 => {
                let failure = Failure::of_status(answer.fetched.status);
                return Err(ScrapeProblem::failed(&answer.url, failure));
            }
            Media::Other(what) => {
                return Err(ScrapeProblem::NotText {
                    url: answer.url,
                    what,
                    content_type: answer.fetched.content_type,
                });
            }
        };
        Ok(Self {
            bytes: body.len() as u64,
            answer,
            content,
        })
    }

    /// The URL that was requested.
    pub fn requested(&self) -> &CrawlUrl {
        &self.answer.requested
    }

    /// Where it was found.
    pub fn url(&self) -> &CrawlUrl {
        &self.answer.url
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.answer.fetched.status
    }

    /// Bytes of body, decoded.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the body was longer than we read.
    pub fn truncated(&self) -> bool {
        self.answer.fetched.truncated
    }

    /// Whether a browser rendered it.
    pub fn rendered(&self) -> bool {
        let rendering = self.answer.fetched.rendering;
        rendering.is_some_and(|rendering| rendering.rendered)
    }

    /// Why it was rendered or was not, where that was considered.
    pub fn render_reason(&self) -> Option<&'static str> {
        let rendering = self.answer.fetched.rendering;
        rendering.map(|rendering| rendering.reason.as_str())
    }

    /// Whether rendering was allowed.
    pub fn may_be_rendered(&self) -> bool {
        self.answer.fetched.rendering.is_some()
    }

    /// The page's title.
    pub fn title(&self) -> Option<&str> {
        match &self.content {
            Content::Page(page) => page.metadata.title.as_deref(),
            _ => None,
        }
    }

    /// Confidence in the choice of the main content, 0 to 1; `None` where nothing was chosen.
    pub fn quality(&self) -> Option<f32> {
        match &self.content {
            Content::Page(page) => page.main.as_ref().map(|main| main.quality),
            _ => None,
        }
    }

    /// Whether it is an HTML page without any text.
    pub fn is_without_text(&self) -> bool {
        matches!(self.content, Content::Page(_)) && self.text().trim().is_empty()
    }

    /// The content as Markdown, under its title.
    pub fn markdown(&self) -> String {
        self.content.markdown()
    }

    /// The content as inert HTML.
    pub fn html(&self) -> String {
        self.content.html()
    }

    /// The content as plain text.
    pub fn text(&self) -> String {
        self.content.text()
    }

    /// The web pages linked to, absolute, each once, in document order.
    pub fn links(&self) -> Vec<String> {
        self.content.links().kept
    }

    /// Everything, as one JSON object; on one line unless `pretty`. `error` is the message and the stable kind of an
    /// error page.
    pub fn json(&self, pretty: bool, error: Option<(&str, &str)>) -> String {
        let links = self.content.links();
        let whole = Whole {
            url: self.answer.url.as_str(),
            error: error.map(|(message, _)| message),
            kind: error.map(|(_, kind)| kind),
            title: self.title(),
            content: self.markdown(),
            text: self.text(),
            html: self.html(),
            meta: self.meta_of(links.omitted),
            links: links.kept,
        };
        let written = if pretty {
            serde_json::to_string_pretty(&whole)
        } else {
            serde_json::to_string(&whole)
        };
        // Strings and numbers only: nothing that JSON cannot hold.
        written.unwrap_or_default()
    }

    /// The part that a crawl's report carries.
    pub(crate) fn page_document(&self) -> PageDocument {
        PageDocument {
            title: self.title().map(str::to_owned),
            markdown: self.markdown(),
            html: self.html(),
            meta: self.meta(),
        }
    }

    /// What the page says about itself, and how it was fetched.
    pub fn meta(&self) -> DocumentMeta {
        self.meta_of(0)
    }

    fn meta_of(&self, links_omitted: u64) -> DocumentMeta {
        let page = match &self.content {
            Content::Page(page) => Some(&**page),
            _ => None,
        };
        document_meta(&self.answer, self.bytes, links_omitted, page)
    }
}
