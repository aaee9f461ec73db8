//! A behaviour together with the code that shows it.

use std::collections::HashMap;
use std::fmt;

use super::{Behaviour, Expect};
use crate::{Answer, Request};

/// A request below a behaviour's path.
pub(super) struct Visit<'a> {
    pub(super) request: &'a Request,
    /// The target after `/<name>/`.
    pub(super) rest: &'a str,
    /// How often this target was asked for before.
    pub(super) visits: u64,
}

type Act = Box<dyn Fn(&Visit<'_>) -> Answer + Send + Sync>;

pub(super) struct Case {
    pub(super) behaviour: Behaviour,
    pages: HashMap<String, Answer>,
    act: Act,
}

impl fmt::Debug for Case {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.behaviour.fmt(out)
    }
}

/// A case whose every path is answered by `act`, except those given by [`Case::lands`]. It begins
/// at `/<name>/in`.
pub(super) fn case(
    name: &'static str,
    expect: Expect,
    why: &'static str,
    act: impl Fn(&Visit<'_>) -> Answer + Send + Sync + 'static,
) -> Case {
    Case {
        behaviour: Behaviour {
            name,
            path: format!("/{name}/in"),
            expect,
            also: Vec::new(),
            max_pages: None,
            why,
        },
        pages: HashMap::new(),
        act: Box::new(act),
    }
}

/// A case with one answer at `/<name>/in`, and 404 elsewhere.
pub(super) fn fixed(name: &'static str, expect: Expect, why: &'static str, answer: Answer) -> Case {
    case(name, expect, why, move |visit| {
        if visit.rest.split('?').next() == Some("in") {
            answer.clone()
        } else {
            Answer::status(404)
        }
    })
}

impl Case {
    pub(super) fn answer(&self, visit: &Visit<'_>) -> Answer {
        match self.pages.get(visit.rest) {
            Some(page) => page.clone(),
            None => (self.act)(visit),
        }
    }

    /// Begins at another path.
    pub(super) fn at(mut self, rest: &str) -> Self {
        self.behaviour.path = self.below(rest);
        self
    }

    /// Another path with its expectation.
    pub(super) fn also(mut self, rest: &str, expect: Expect) -> Self {
        let path = self.below(rest);
        self.behaviour.also.push((path, expect));
        self
    }

    /// A page without links that must be found here.
    pub(super) fn lands(self, rest: &str) -> Self {
        let page = Answer::html("<!doctype html><title>landed</title><p>Here.");
        self.page(rest, page)
            .also(rest, Expect::Fetched { links: 0 })
    }

    /// An answer for one more path, with no expectation of its own.
    pub(super) fn page(mut self, rest: &str, answer: Answer) -> Self {
        self.pages.insert(rest.to_owned(), answer);
        self
    }

    /// The most requests that are acceptable.
    pub(super) fn at_most(mut self, pages: usize) -> Self {
        self.behaviour.max_pages = Some(pages);
        self
    }

    fn below(&self, rest: &str) -> String {
        format!("/{}/{rest}", self.behaviour.name)
    }
}

pub(super) const ONE_LINK: Expect = Expect::Fetched { links: 1 };
pub(super) const PROTOCOL: Expect = Expect::Failed("protocol");
pub(super) const RESET: Expect = Expect::Failed("reset");
pub(super) const TIMEOUT: Expect = Expect::Failed("timeout");
pub(super) const DECODE: Expect = Expect::Failed("decode");

/// A small page with one link, to a healthy page.
pub(super) const PAGE: &str =
    "<!doctype html><title>page</title><p>Text. <a href=\"/healthy/0\">healthy</a></p>\n";

/// A page around this markup.
pub(super) fn page_of(markup: &str) -> Answer {
    Answer::html(format!("<!doctype html><title>page</title>\n{markup}\n"))
}

/// A response written out: head lines (each with its line end) and body. It names the close that
/// follows, so that one case does not disturb the next request of its connection.
pub(super) fn response(head: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n{head}\r\n")
            .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// [`PAGE`] as a response with a correct length and these head lines before it.
pub(super) fn good_response(head: &str) -> Vec<u8> {
    let head = format!("Content-Length: {}\r\n{head}", PAGE.len());
    response(&head, PAGE.as_bytes())
}
