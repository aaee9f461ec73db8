//! A value before it is parsed: a string, or a list of strings.

use std::fmt;

/// A value as written in a file, a variable or a flag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RawValue {
    /// A single value; an empty string means none.
    Text(String),
    /// A list.
    List(Vec<String>),
}

impl RawValue {
    /// Formats the value as YAML.
    pub(super) fn yaml(&self) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::List(texts) => {
                let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
                format!("[{}]", texts.join(", "))
            }
        }
    }
}

impl fmt::Display for RawValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.yaml())
    }
}

/// Formats a string as a YAML scalar, quoted if necessary.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._/-:".contains(c);
    let plain_start = text.starts_with(|c: char| c.is_ascii_alphanumeric() || "./".contains(c));
    if plain_start && text.chars().all(plain) && !text.ends_with(':') {
        return text.to_owned();
    }
    serde_json::Value::from(text).to_string()
}
