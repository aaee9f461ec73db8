//! Reads the JSON-LD blocks of a page.
//!
//! Real blocks are untidy: wrapped in HTML comments or CDATA, with raw line breaks in strings, several values
//! in a row, garbage after the last. What can be parsed of a block is used and the rest ignored. Things are
//! found in arrays, in `@graph` and under `mainEntity`; a thing given only by its `@id` is looked up, one step
//! deep.

use std::collections::HashMap;

use serde_json::{Deserializer, Map, Value};

use super::subject::{self, SubjectRank};
use super::text::{MAX_VALUES, decoded, distinct};

/// A longer block is not read.
const MAX_BLOCK: usize = 1024 * 1024;
/// Limit for all blocks together: a parsed value takes many times the memory of its text.
const MAX_TOTAL: usize = 2 * MAX_BLOCK;

pub(super) type Thing = Map<String, Value>;

/// What the blocks declare, in order of preference.
#[derive(Debug, Default)]
pub(super) struct JsonLdFacts {
    pub(super) types: Vec<String>,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) languages: Vec<String>,
    pub(super) authors: Vec<String>,
    pub(super) published: Vec<String>,
    /// Other suitable dates: of creation, of upload.
    pub(super) created: Vec<String>,
    pub(super) modified: Vec<String>,
    pub(super) site_names: Vec<String>,
    pub(super) keywords: Vec<String>,
    pub(super) images: Vec<String>,
}

/// Reads the blocks. Of several things of one kind, the page is about the one with the page's own URL.
pub(super) fn read(
    blocks: &[&str],
    canonical: Option<&str>,
    url: &dyn Fn(&str) -> Option<String>,
) -> JsonLdFacts {
    let mut budget = MAX_TOTAL;
    let mut values = Vec::new();
    for block in blocks {
        if block.len() <= MAX_BLOCK.min(budget) {
            budget -= block.len();
            values.extend(parse(block));
        }
    }
    let things = things(&values);
    let graph = Graph::new(&values);
    let mut facts = JsonLdFacts {
        types: distinct(
            things
                .iter()
                .flat_map(|thing| types(thing))
                .filter_map(decoded),
        ),
        ..JsonLdFacts::default()
    };
    let own = |thing: &Thing| canonical.is_some_and(|own| subject::has_url(thing, own, url));
    for subject in subject::subjects(&things, &own) {
        facts.take_subject(subject, &graph);
    }
    for site in things
        .iter()
        .filter(|thing| subject::rank(thing) == Some(SubjectRank::Site))
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
    facts.site_names.truncate(MAX_VALUES);
    facts
}

impl JsonLdFacts {
    /// Takes from a thing what no better one has provided.
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

/// The values of a block, as many as can be parsed from its start.
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
    // Control characters are not allowed in strings, and elsewhere a space is just as good.
    read(&text.replace(|c: char| c.is_ascii_control(), " "))
}

/// The block without the comment or CDATA markers that hide it from old browsers.
fn unwrapped(block: &str) -> &str {
    const OPENING: &[&str] = &["<!--", "<![CDATA[", "/*", "*/", "//", "\u{feff}"];
    let mut text = block.trim_start();
    while let Some(rest) = OPENING.iter().find_map(|mark| text.strip_prefix(mark)) {
        text = rest.trim_start();
    }
    text
}

/// The things that the page describes: at the top level, in arrays and graphs, and under `mainEntity`.
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

/// The type names of a thing, without the vocabulary's address.
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
                        // Prefer the most complete description of a thing.
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

    /// The most complete description of a thing that is only referred to here.
    fn look_up(&self, thing: &Thing) -> Option<&'v Thing> {
        let id = thing.get("@id")?.as_str()?;
        self.0.get(id).copied()
    }

    /// The texts of a value: the value itself, those in an array, and for a thing the first of the `inner`
    /// properties that is a text.
    fn texts(&self, value: Option<&'v Value>, inner: &[&str]) -> Vec<String> {
        self.leaves(value, |thing| {
            let found = inner.iter().find_map(|name| text_in(thing.get(*name)?));
            found.and_then(decoded)
        })
    }

    /// The names of people or organizations.
    fn people(&self, value: Option<&'v Value>) -> Vec<String> {
        self.leaves(value, |thing| {
            let part = |name: &str| thing.get(name).and_then(text_in);
            let name = part("name").and_then(decoded);
            name.or_else(|| {
                let joined = format!("{} {}", part("givenName")?, part("familyName")?);
                decoded(&joined)
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
            && texts.len() < MAX_VALUES
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

/// The value as text, or its first element as text if it is an array.
fn text_in(value: &Value) -> Option<&str> {
    match value {
        Value::Array(values) => values.first()?.as_str(),
        value => value.as_str(),
    }
}
