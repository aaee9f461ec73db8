//! A value as it was given: text, or a list of texts.

use std::fmt;

/// What a file, a variable or a flag says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Given {
    /// One value; empty means none.
    Text(String),
    /// Several.
    List(Vec<String>),
}

impl Given {
    /// A value for people and for YAML.
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

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.yaml())
    }
}

/// A YAML scalar that is read back as the same text.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._/-:".contains(c);
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphanumeric() || "./".contains(c));
    if starts_well && text.chars().all(plain) && !text.ends_with(':') {
        return text.to_owned();
    }
    serde_json::Value::from(text).to_string()
}
