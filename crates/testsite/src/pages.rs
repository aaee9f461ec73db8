//! A site written down as a table: path to answer, everything else (robots.txt too) is 404.

use std::collections::HashMap;

use crate::{Answer, Request, Site};

/// A table of answers. A target with a query is looked up whole first, then by its path.
#[derive(Debug, Clone, Default)]
pub struct Pages {
    answers: HashMap<String, Answer>,
}

impl Pages {
    /// A site of 404s.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the answer for a path, or a path with its query.
    #[must_use]
    pub fn page(mut self, target: &str, answer: Answer) -> Self {
        self.answers.insert(target.to_owned(), answer);
        self
    }

    /// A page of HTML.
    #[must_use]
    pub fn html(self, target: &str, body: &str) -> Self {
        self.page(target, Answer::html(body.to_owned()))
    }

    /// A page of HTML that holds these links and nothing else of interest.
    #[must_use]
    pub fn links(self, target: &str, links: &[&str]) -> Self {
        let body = list_of_links(links.iter().copied());
        self.page(target, Answer::html(body))
    }

    /// A permanent redirect.
    #[must_use]
    pub fn redirect(self, target: &str, location: &str) -> Self {
        self.page(target, Answer::redirect(301, location))
    }

    /// The robots.txt of the site.
    #[must_use]
    pub fn robots(self, text: &str) -> Self {
        self.page("/robots.txt", Answer::text(text.to_owned()))
    }
}

impl Site for Pages {
    fn answer(&self, request: &Request) -> Answer {
        self.answers
            .get(request.target())
            .or_else(|| self.answers.get(request.path()))
            .cloned()
            .unwrap_or_else(|| Answer::status(404))
    }
}

/// A small page with one anchor per link.
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
