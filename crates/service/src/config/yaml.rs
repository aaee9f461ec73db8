//! The one place that knows YAML: a file's text in, its entries with their lines out.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use super::given::Given;
use super::settings::SETTINGS;

/// A key, its value and where the value stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) section: String,
    pub(super) name: String,
    pub(super) given: Given,
    pub(super) line: u64,
}

/// What could not be read, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Unreadable {
    pub(super) line: Option<u64>,
    pub(super) words: String,
}

/// Reads a file of sections.
pub(super) fn entries(text: &str) -> Result<Vec<Entry>, Unreadable> {
    let only_comments = |line: &str| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#') || line == "---"
    };
    if text.lines().all(only_comments) {
        return Ok(Vec::new());
    }
    let whole: Node = serde_saphyr::from_str(text).map_err(|error| Unreadable {
        line: error.location().map(|location| location.line()),
        words: plain(&error.to_string()),
    })?;
    let Node::Map(sections) = whole else {
        return Err(Unreadable {
            line: None,
            words: "the file must be a map of sections".to_owned(),
        });
    };
    let mut entries = Vec::new();
    for (section, inner) in sections {
        let line = inner.referenced.line();
        match inner.value {
            Node::Map(settings) => {
                for (name, value) in settings {
                    let line = value.referenced.line();
                    let given = match value.value {
                        Node::Given(given) => given,
                        Node::Map(_) => {
                            return Err(Unreadable {
                                line: Some(line),
                                words: format!("{section}.{name}: a map; a value is wanted"),
                            });
                        }
                    };
                    entries.push(Entry {
                        section: section.clone(),
                        name,
                        given,
                        line,
                    });
                }
            }
            // A section with all its settings commented out.
            Node::Given(Given::Text(text)) if text.is_empty() && is_section(&section) => (),
            Node::Given(Given::Text(text)) if text.is_empty() => {
                return Err(Unreadable {
                    line: Some(line),
                    words: format!("{section}: there is no such section"),
                });
            }
            Node::Given(_) => {
                return Err(Unreadable {
                    line: Some(line),
                    words: format!("{section}: a section has settings below it, like http.timeout"),
                });
            }
        }
    }
    Ok(entries)
}

fn is_section(name: &str) -> bool {
    SETTINGS.iter().any(|setting| setting.section == name)
}

/// A library's message without the picture under it.
fn plain(message: &str) -> String {
    let first = message.lines().next().unwrap_or("not valid YAML");
    first.strip_prefix("error: ").unwrap_or(first).to_owned()
}

enum Node {
    Given(Given),
    Map(Vec<(String, Spanned<Node>)>),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl NodeVisitor {
    fn text(value: impl fmt::Display) -> Node {
        Node::Given(Given::Text(value.to_string()))
    }
}

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value, a list or a map")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Self::text(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Self::text(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Self::text(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Self::text(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Self::text(value))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Self::text(""))
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Self::text(""))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        // Read as texts, so that a key of digits keeps its leading zeros.
        let mut texts = Vec::new();
        while let Some(text) = seq.next_element::<String>()? {
            texts.push(text);
        }
        Ok(Node::Given(Given::List(texts)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Map(entries))
    }
}
