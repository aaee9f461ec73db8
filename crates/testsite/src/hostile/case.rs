//! A behavior together with its implementation.

use std::collections::HashMap;
use std::fmt;

use super::{Behavior, Expect};
use crate::{Request, SiteResponse};

/// A request below the path of a behavior.
pub(super) struct Visit<'a> {
    pub(super) request: &'a Request,
    /// The target after `/<name>/`.
    pub(super) rest: &'a str,
    /// Number of earlier requests for this target.
    pub(super) visits: u64,
}

type RespondFn = Box<dyn Fn(&Visit<'_>) -> SiteResponse + Send + Sync>;

pub(super) struct Case {
    pub(super) behavior: Behavior,
    pages: HashMap<String, SiteResponse>,
    handler: RespondFn,
}

impl fmt::Debug for Case {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.behavior.fmt(out)
    }
}

/// Creates a case that starts at `/<name>/in`. `handler` responds to all its paths except those set by [`Case::expects_page`] and
/// [`Case::page`].
pub(super) fn case(
    name: &'static str,
    expect: Expect,
    why: &'static str,
    handler: impl Fn(&Visit<'_>) -> SiteResponse + Send + Sync + 'static,
) -> Case {
    Case {
        behavior: Behavior {
            name,
            path: format!("/{name}/in"),
            expect,
            also: Vec::new(),
            max_pages: None,
            why,
        },
        pages: HashMap::new(),
        handler: Box::new(handler),
    }
}

/// Creates a case with one response at `/<name>/in`, and 404 elsewhere.
pub(super) fn fixed(
    name: &'static str,
    expect: Expect,
    why: &'static str,
    response: SiteResponse,
) -> Case {
    case(name, expect, why, move |visit| {
        if visit.rest.split('?').next() == Some("in") {
            response.clone()
        } else {
            SiteResponse::status(404)
        }
    })
}

impl Case {
    pub(super) fn respond(&self, visit: &Visit<'_>) -> SiteResponse {
        match self.pages.get(visit.rest) {
            Some(page) => page.clone(),
            None => (self.handler)(visit),
        }
    }

    /// Starts at another path.
    pub(super) fn at(mut self, rest: &str) -> Self {
        self.behavior.path = self.below(rest);
        self
    }

    /// Adds an expectation for another path.
    pub(super) fn also(mut self, rest: &str, expect: Expect) -> Self {
        let path = self.below(rest);
        self.behavior.also.push((path, expect));
        self
    }

    /// Adds a page without links that must be found.
    pub(super) fn expects_page(self, rest: &str) -> Self {
        let page = SiteResponse::html("<!doctype html><title>landed</title><p>Here.");
        self.page(rest, page)
            .also(rest, Expect::Fetched { links: 0 })
    }

    /// Adds a response for another path, without an expectation.
    pub(super) fn page(mut self, rest: &str, response: SiteResponse) -> Self {
        self.pages.insert(rest.to_owned(), response);
        self
    }

    /// Sets the maximum acceptable number of requests.
    pub(super) fn at_most(mut self, pages: usize) -> Self {
        self.behavior.max_pages = Some(pages);
        self
    }

    fn below(&self, rest: &str) -> String {
        format!("/{}/{rest}", self.behavior.name)
    }
}

pub(super) const ONE_LINK: Expect = Expect::Fetched { links: 1 };
pub(super) const PROTOCOL: Expect = Expect::Failed("protocol");
pub(super) const RESET: Expect = Expect::Failed("reset");
pub(super) const TIMEOUT: Expect = Expect::Failed("timeout");
pub(super) const DECODE: Expect = Expect::Failed("decode");

/// A small page with one link to a healthy page.
pub(super) const PAGE: &str =
    "<!doctype html><title>page</title><p>Text. <a href=\"/healthy/0\">healthy</a></p>\n";

/// Returns a page with this markup.
pub(super) fn page_of(markup: &str) -> SiteResponse {
    SiteResponse::html(format!("<!doctype html><title>page</title>\n{markup}\n"))
}

/// Returns a raw response: header lines (each with its line end) and body. It announces that the connection will be closed,
/// so that one case does not affect the next request.
pub(super) fn response(head: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n{head}\r\n")
            .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Returns [`PAGE`] as a raw response with a correct length and these header lines.
pub(super) fn good_response(head: &str) -> Vec<u8> {
    let head = format!("Content-Length: {}\r\n{head}", PAGE.len());
    response(&head, PAGE.as_bytes())
}
