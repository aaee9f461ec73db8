//! A site defined by a table of responses; everything else, including robots.txt, is 404.

use std::collections::HashMap;

use crate::{Request, Site, SiteResponse};

/// A table of responses. A target with a query is looked up as a whole first, then by its path.
#[derive(Debug, Clone, Default)]
pub struct Pages {
    responses: HashMap<String, SiteResponse>,
}

impl Pages {
    /// Creates a site without pages.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the response for a path, with or without a query.
    #[must_use]
    pub fn page(mut self, target: &str, response: SiteResponse) -> Self {
        self.responses.insert(target.to_owned(), response);
        self
    }

    /// Adds an HTML page.
    #[must_use]
    pub fn html(self, target: &str, body: &str) -> Self {
        self.page(target, SiteResponse::html(body.to_owned()))
    }

    /// Adds an HTML page with these links.
    #[must_use]
    pub fn links(self, target: &str, links: &[&str]) -> Self {
        let body = list_of_links(links.iter().copied());
        self.page(target, SiteResponse::html(body))
    }

    /// Adds a permanent redirect.
    #[must_use]
    pub fn redirect(self, target: &str, location: &str) -> Self {
        self.page(target, SiteResponse::redirect(301, location))
    }

    /// Sets robots.txt.
    #[must_use]
    pub fn robots(self, text: &str) -> Self {
        self.page("/robots.txt", SiteResponse::text(text.to_owned()))
    }
}

impl Site for Pages {
    fn respond(&self, request: &Request) -> SiteResponse {
        self.responses
            .get(request.target())
            .or_else(|| self.responses.get(request.path()))
            .cloned()
            .unwrap_or_else(|| SiteResponse::status(404))
    }
}

/// Returns a small page with one anchor per link.
pub(crate) fn list_of_links<L: AsRef<str>>(links: impl IntoIterator<Item = L>) -> String {
    let mut body = String::from("<!doctype html><title>links</title><ul>\n");
    for link in links {
        let link = link.as_ref();
        body.push_str("<li><a href=\"");
        body.push_str(link);
        body.push_str("\">link</a>\n");
    }
    body.push_str("</ul>\n");
    body
}
