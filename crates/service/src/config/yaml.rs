//! Parses a YAML file into settings with their line numbers. No other module handles YAML.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use super::raw_value::RawValue;
use super::settings::SETTINGS;

/// A setting in the file, and the line of its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct YamlEntry {
    pub(super) section: String,
    pub(super) name: String,
    pub(super) given: RawValue,
    pub(super) line: u64,
}

/// Why a file cannot be parsed, and the line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct YamlError {
    pub(super) line: Option<u64>,
    pub(super) message: String,
}

/// Parses the text of a configuration file.
pub(super) fn entries(text: &str) -> Result<Vec<YamlEntry>, YamlError> {
    let only_comments = |line: &str| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#') || line == "---"
    };
    if text.lines().all(only_comments) {
        return Ok(Vec::new());
    }
    let root: Node = serde_saphyr::from_str(text).map_err(|error| YamlError {
        line: error.location().map(|location| location.line()),
        message: plain(&error.to_string()),
    })?;
    let Node::Map(sections) = root else {
        return Err(YamlError {
            line: None,
            message: "the file must be a map of sections".to_owned(),
        });
    };
    let mut entries = Vec::new();
    for (section, inner) in sections {
        let line = inner.referenced.line();
        match inner.value {
            Node::Map(settings) if settings.is_empty() && !is_section(&section) => {
                return Err(unknown_section(&section, line));
            }
            Node::Map(settings) => {
                for (name, value) in settings {
                    let line = value.referenced.line();
                    let given = match value.value {
                        Node::RawValue(given) => given,
                        Node::Map(_) => {
                            return Err(YamlError {
                                line: Some(line),
                                message: format!("{section}.{name}: expected a value, not a map"),
                            });
                        }
                    };
                    entries.push(YamlEntry {
                        section: section.clone(),
                        name,
                        given,
                        line,
                    });
                }
            }
            // All settings of the section are commented out.
            Node::RawValue(RawValue::Text(text)) if text.is_empty() && is_section(&section) => (),
            Node::RawValue(RawValue::Text(text)) if text.is_empty() => {
                return Err(unknown_section(&section, line));
            }
            Node::RawValue(_) => {
                return Err(YamlError {
                    line: Some(line),
                    message: format!("{section}: expected a map of settings"),
                });
            }
        }
    }
    Ok(entries)
}

fn unknown_section(section: &str, line: u64) -> YamlError {
    YamlError {
        line: Some(line),
        message: format!("unknown section {section}"),
    }
}

fn is_section(name: &str) -> bool {
    SETTINGS.iter().any(|setting| setting.section == name)
}

/// Returns the first line of the parser's message, without the source excerpt that follows and without the position,
/// which the caller prints.
fn plain(message: &str) -> String {
    let first = message.lines().next().unwrap_or("not valid YAML");
    let first = first.strip_prefix("error: ").unwrap_or(first);
    match first.split_once(": ") {
        Some((position, rest)) if position.starts_with("line ") => rest.to_owned(),
        _ => first.to_owned(),
    }
}

enum Node {
    RawValue(RawValue),
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
        Node::RawValue(RawValue::Text(value.to_string()))
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
        // Read as strings, so that a key made of digits keeps its leading zeros.
        let mut texts = Vec::new();
        while let Some(text) = seq.next_element::<String>()? {
            texts.push(text);
        }
        Ok(Node::RawValue(RawValue::List(texts)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Map(entries))
    }
}
