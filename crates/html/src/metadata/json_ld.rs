//! JSON-LD: what the blocks of a page say about it.
//!
//! Blocks come as they are found in the wild: in HTML comments or CDATA marks, with raw line breaks
//! in their strings, several values in a row, rubbish behind the last. What can be read of a block
//! is read; the rest of it is left. Things are found in arrays, in `@graph` and behind `mainEntity`,
//! and a thing that is only named by its `@id` is looked up, one step far.

use std::collections::HashMap;

use serde_json::{Deserializer, Map, Value};

use super::subject::{self, Rank};
use super::text::{MOST_VALUES, decoded, distinct};

/// A longer block is not read.
const LONGEST_BLOCK: usize = 1024 * 1024;
/// No more than this is read of all the blocks together: a parsed value takes many times the
/// memory of its text.
const MOST_TEXT: usize = 2 * LONGEST_BLOCK;

pub(super) type Thing = Map<String, Value>;

/// What the blocks say, in the order of preference.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) types: Vec<String>,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) languages: Vec<String>,
    pub(super) authors: Vec<String>,
    pub(super) published: Vec<String>,
    /// Other dates that are nearly as good: of creation, of upload.
    pub(super) created: Vec<String>,
    pub(super) modified: Vec<String>,
    pub(super) site_names: Vec<String>,
    pub(super) keywords: Vec<String>,
    pub(super) images: Vec<String>,
}

/// Reads the blocks. Of several things of one kind the page is about the one whose URL is the
/// page's own.
pub(super) fn read(
    blocks: &[&str],
    canonical: Option<&str>,
    url: &dyn Fn(&str) -> Option<String>,
) -> Facts {
    let mut budget = MOST_TEXT;
    let mut values = Vec::new();
    for block in blocks {
        if block.len() <= LONGEST_BLOCK.min(budget) {
            budget -= block.len();
            values.extend(parse(block));
        }
    }
    let things = things(&values);
    let graph = Graph::new(&values);
    let mut facts = Facts {
        types: distinct(
            things
                .iter()
                .flat_map(|thing| types(thing))
                .filter_map(decoded),
        ),
        ..Facts::default()
    };
    let own = |thing: &Thing| canonical.is_some_and(|own| subject::has_url(thing, own, url));
    for subject in subject::subjects(&things, &own) {
        facts.take_subject(subject, &graph);
    }
    for site in things
        .iter()
        .filter(|thing| subject::rank(thing) == Some(Rank::Site))
    {
        facts.site_names.extend(graph.texts(site.get("name"), &[]));
        facts
            .site_names
            .extend(graph.texts(site.get("alternateName"), &[]));
    }
    for subject in subject::subjects(&things, &own) {
        facts
            .site_names
            .extend(graph.texts(subject.get("publisher"), &["name"]));
    }
    facts.site_names.truncate(MOST_VALUES);
    facts
}

impl Facts {
    /// Takes from a thing what no better one has said.
    fn take_subject(&mut self, thing: &Thing, graph: &Graph<'_>) {
        let texts = |names: &[&str], inner: &[&str]| -> Vec<String> {
            names
                .iter()
                .map(|name| graph.texts(thing.get(*name), inner))
                .find(|texts| !texts.is_empty())
                .unwrap_or_default()
        };
        let keep = |list: &mut Vec<String>, found: Vec<String>| {
            if list.is_empty() {
                *list = found;
            }
        };
        let first = |found: Vec<String>| found.into_iter().next();
        self.title = self
            .title
            .take()
            .or_else(|| first(texts(&["headline", "name"], &[])));
        self.description = self
            .description
            .take()
            .or_else(|| first(texts(&["description"], &[])));
        keep(
            &mut self.languages,
            texts(&["inLanguage"], &["alternateName", "name"]),
        );
        keep(&mut self.keywords, texts(&["keywords"], &["name"]));
        keep(
            &mut self.images,
            texts(&["image", "thumbnailUrl"], &["url", "contentUrl"]),
        );
        if self.authors.is_empty() {
            self.authors = graph.people(thing.get("author"));
        }
        if self.authors.is_empty() {
            self.authors = graph.people(thing.get("creator"));
        }
        self.published
            .extend(texts(&["datePublished"], &["@value"]));
        self.modified.extend(texts(&["dateModified"], &["@value"]));
        self.created.extend(texts(
            &["dateCreated", "uploadDate", "datePosted"],
            &["@value"],
        ));
    }
}

/// The values in a block, as many as can be read from its start.
fn parse(block: &str) -> Vec<Value> {
    let text = unwrapped(block);
    let read = |text: &str| -> Vec<Value> {
        Deserializer::from_str(text)
            .into_iter::<Value>()
            .map_while(Result::ok)
            .filter(|value| value.is_object() || value.is_array())
            .collect()
    };
    let values = read(text);
    if !values.is_empty() || !text.contains(|c: char| c.is_ascii_control()) {
        return values;
    }
    // a control character is not allowed in a string, and a space is as good anywhere else
    read(&text.replace(|c: char| c.is_ascii_control(), " "))
}

/// The block without what hides it from browsers older than its authors.
fn unwrapped(block: &str) -> &str {
    const OPENING: &[&str] = &["<!--", "<![CDATA[", "/*", "*/", "//", "\u{feff}"];
    let mut text = block.trim_start();
    while let Some(rest) = OPENING.iter().find_map(|mark| text.strip_prefix(mark)) {
        text = rest.trim_start();
    }
    text
}

/// The things that the page describes: at the top, in arrays and graphs, and behind `mainEntity`.
fn things(values: &[Value]) -> Vec<&Thing> {
    let mut things = Vec::new();
    let mut open: Vec<&Value> = values.iter().rev().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(values) => open.extend(values.iter().rev()),
            Value::Object(thing) => {
                for name in ["mainEntityOfPage", "mainEntity", "@graph"] {
                    open.extend(thing.get(name));
                }
                if thing.contains_key("@type") {
                    things.push(thing);
                }
            }
            _ => {}
        }
    }
    things
}

/// The names of a thing's types, without the vocabulary's address.
pub(super) fn types(thing: &Thing) -> impl Iterator<Item = &str> {
    let (one, many) = match thing.get("@type") {
        Some(Value::String(name)) => (Some(name.as_str()), None),
        Some(Value::Array(names)) => (None, Some(names)),
        _ => (None, None),
    };
    let many = many.into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(many).map(|name| {
        let short = name.rsplit(['/', '#']).next().unwrap_or(name);
        short.strip_prefix("schema:").unwrap_or(short).trim()
    })
}

/// All things by their `@id`.
struct Graph<'v>(HashMap<&'v str, &'v Thing>);

impl<'v> Graph<'v> {
    fn new(values: &'v [Value]) -> Self {
        let mut by_id = HashMap::new();
        let mut open: Vec<&Value> = values.iter().rev().collect();
        while let Some(value) = open.pop() {
            match value {
                Value::Array(values) => open.extend(values.iter().rev()),
                Value::Object(thing) => {
                    open.extend(thing.values());
                    if let Some(Value::String(id)) = thing.get("@id")
                        && thing.len() > 1
                    {
                        // a fuller account of the same thing is the better one
                        let known = by_id.entry(id.as_str()).or_insert(thing);
                        if thing.len() > known.len() {
                            *known = thing;
                        }
                    }
                }
                _ => {}
            }
        }
        Self(by_id)
    }

    /// The fuller account of a thing that is only named here.
    fn look_up(&self, thing: &Thing) -> Option<&'v Thing> {
        let id = thing.get("@id")?.as_str()?;
        self.0.get(id).copied()
    }

    /// The texts of a value: itself, those in an array, and of a thing its first of the `inner`
    /// properties that is a text.
    fn texts(&self, value: Option<&'v Value>, inner: &[&str]) -> Vec<String> {
        self.leaves(value, |thing| {
            let found = inner.iter().find_map(|name| text_in(thing.get(*name)?));
            found.and_then(decoded)
        })
    }

    /// The names of people, or of what else may write.
    fn people(&self, value: Option<&'v Value>) -> Vec<String> {
        self.leaves(value, |thing| {
            let part = |name: &str| thing.get(name).and_then(text_in);
            let whole = part("name").and_then(decoded);
            whole.or_else(|| {
                let full = format!("{} {}", part("givenName")?, part("familyName")?);
                decoded(&full)
            })
        })
    }

    fn leaves(
        &self,
        value: Option<&'v Value>,
        of_thing: impl Fn(&Thing) -> Option<String>,
    ) -> Vec<String> {
        let mut texts = Vec::new();
        let mut open: Vec<&Value> = value.into_iter().collect();
        while let Some(value) = open.pop()
            && texts.len() < MOST_VALUES
        {
            match value {
                Value::Array(values) => open.extend(values.iter().rev()),
                Value::Object(thing) => {
                    let known = of_thing(thing);
                    texts.extend(known.or_else(|| of_thing(self.look_up(thing)?)));
                }
                Value::String(text) => texts.extend(decoded(text)),
                Value::Number(number) => texts.push(number.to_string()),
                _ => {}
            }
        }
        texts
    }
}

/// The text a value is, or the first in it if it is a list.
fn text_in(value: &Value) -> Option<&str> {
    match value {
        Value::Array(values) => values.first()?.as_str(),
        value => value.as_str(),
    }
}
