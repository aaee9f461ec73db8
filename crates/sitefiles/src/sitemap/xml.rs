//! XML sitemaps and feeds: a walk over the tokens that tracks only the open elements.
//!
//! Lenient, since these files are often malformed: prefixes are ignored, a bare `&` is text, a
//! closing tag closes what it can. A location is reported when its element closes, so half of one
//! never is.

use std::io::BufRead;
use std::ops::ControlFlow;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::location_sender::{LocationSender, MAX_LOCATION, SitemapLocation};
use super::tag::Tag;
use super::token::TokenGuard;
use super::utf8::Utf8;
use super::{SitemapError, SitemapKind, SitemapSummary, entity};

/// Maximum nesting depth; a feed has about six levels.
const MAX_DEPTH: usize = 64;

/// Why the walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The root element closed.
    Complete,
    /// The maximum number of locations was reached.
    Full,
    /// No more tokens can be read: damage, or the end of the bytes.
    Truncated,
    /// The root element is unknown or missing.
    Unknown,
    Entities,
}

pub(super) fn read(
    source: Utf8<'_>,
    sender: LocationSender<impl FnMut(SitemapLocation<'_>)>,
) -> Result<SitemapSummary, SitemapError> {
    let mut reader = Reader::from_reader(TokenGuard::new(source));
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;

    let mut walk = Walk::new(sender);
    let end = walk.run(&mut reader);
    let guard = reader.into_inner();
    let cut = end == End::Full || guard.source.cut() || guard.overrun();
    match (end, walk.kind) {
        (End::Entities, _) => Err(SitemapError::EntityBomb),
        (End::Unknown, _) => Err(SitemapError::NotASitemap),
        (_, None) if cut => Err(SitemapError::TooLarge),
        (_, None) => Err(SitemapError::NotASitemap),
        (_, Some(kind)) => Ok(SitemapSummary {
            kind,
            locations: walk.sender.locations,
            cut,
            malformed: walk.crossed || guard.source.broken() || (end == End::Truncated && !cut),
        }),
    }
}

struct Walk<F> {
    sender: LocationSender<F>,
    kind: Option<SitemapKind>,
    open: Vec<Tag>,
    /// The text of the location element we are in.
    location: String,
    /// A closing tag did not match the innermost open element.
    crossed: bool,
}

impl<F: FnMut(SitemapLocation<'_>)> Walk<F> {
    fn new(sender: LocationSender<F>) -> Self {
        Walk {
            sender,
            kind: None,
            open: Vec::new(),
            location: String::new(),
            crossed: false,
        }
    }

    fn run<R: BufRead>(&mut self, reader: &mut Reader<TokenGuard<R>>) -> End {
        let mut token = Vec::new();
        loop {
            token.clear();
            reader.get_mut().next_token();
            let Ok(event) = reader.read_event_into(&mut token) else {
                return End::Truncated;
            };
            if let ControlFlow::Break(end) = self.step(&event) {
                return end;
            }
        }
    }

    fn step(&mut self, event: &Event<'_>) -> ControlFlow<End> {
        match event {
            Event::Start(element) => self.start(element),
            Event::Empty(element) => {
                self.start(element)?;
                self.end(Tag::of(element.local_name().as_ref()))
            }
            Event::End(element) => self.end(Tag::of(element.local_name().as_ref())),
            Event::Text(text) => self.push(|location| location.push_str(text)),
            Event::CData(text) => self.push(|location| location.push_str(text)),
            Event::GeneralRef(name) => self.push(|location| entity::push(name, location)),
            Event::DocType(declared) if declared.contains("<!ENTITY") => {
                ControlFlow::Break(End::Entities)
            }
            Event::Eof => ControlFlow::Break(End::Truncated),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {
                ControlFlow::Continue(())
            }
        }
    }

    fn start(&mut self, element: &BytesStart<'_>) -> ControlFlow<End> {
        let name = element.local_name();
        if self.kind.is_none() {
            self.kind = SitemapKind::of_root(name.as_ref());
            if self.kind.is_none() {
                return ControlFlow::Break(End::Unknown);
            }
        }
        if self.open.len() == MAX_DEPTH {
            return ControlFlow::Break(End::Truncated);
        }
        let tag = Tag::of(name.as_ref());
        self.open.push(tag);
        if tag.holds_location() {
            self.location.clear();
        }
        match (self.kind, self.open.as_slice()) {
            (Some(SitemapKind::Atom), [.., Tag::Entry, Tag::Link]) => self.send_link(element),
            _ => ControlFlow::Continue(()),
        }
    }

    fn end(&mut self, tag: Tag) -> ControlFlow<End> {
        let Some(at) = self.open.iter().rposition(|open| *open == tag) else {
            self.crossed = true;
            return ControlFlow::Continue(());
        };
        self.crossed |= at + 1 != self.open.len();
        self.open.truncate(at + 1);
        let sent = self.send_location();
        self.open.pop();
        if tag.holds_location() {
            self.location.clear();
        }
        if sent.is_continue() && self.open.is_empty() {
            return ControlFlow::Break(End::Complete);
        }
        sent
    }

    fn push(&mut self, append: impl FnOnce(&mut String)) -> ControlFlow<End> {
        let inside = self.open.last().is_some_and(|tag| tag.holds_location());
        if inside && self.location.len() <= MAX_LOCATION {
            append(&mut self.location);
        }
        ControlFlow::Continue(())
    }

    /// Reports the element that is about to close, if it is a location in the right context:
    /// `image:loc` is also a `loc`, but not in a `url`.
    fn send_location(&mut self) -> ControlFlow<End> {
        use SitemapKind::{Index, Rss, UrlSet};
        let location = self.location.trim();
        let found = match (self.kind, self.open.as_slice()) {
            (Some(UrlSet | Index), [.., Tag::Url, Tag::Loc])
            | (Some(Rss), [.., Tag::Item, Tag::Link]) => SitemapLocation::Page(location),
            (Some(UrlSet | Index), [.., Tag::Sitemap, Tag::Loc]) => {
                SitemapLocation::Sitemap(location)
            }
            _ => return ControlFlow::Continue(()),
        };
        if location.is_empty() || location.len() > MAX_LOCATION {
            return ControlFlow::Continue(());
        }
        self.sender.send(found).map_break(|()| End::Full)
    }

    /// Reports the URL of an Atom link to the entry's own page.
    fn send_link(&mut self, element: &BytesStart<'_>) -> ControlFlow<End> {
        let mut alternate = true;
        let mut address = None;
        for attribute in element.attributes().with_checks(false).flatten() {
            match attribute.key.as_ref() {
                "rel" => alternate = attribute.value.trim().eq_ignore_ascii_case("alternate"),
                "href" => address = Some(attribute.value),
                _ => {}
            }
        }
        let address = address.filter(|address| alternate && address.len() <= MAX_LOCATION);
        entity::push_unescaped(&address.unwrap_or_default(), &mut self.location);
        let address = self.location.trim();
        if address.is_empty() {
            return ControlFlow::Continue(());
        }
        self.sender
            .send(SitemapLocation::Page(address))
            .map_break(|()| End::Full)
    }
}
