//! One row of the table of settings.

use super::Config;
use super::given::Given;
use super::value::Value;

/// A setting: its key, what it may be and how it reaches its field.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The section.
    pub section: &'static str,
    /// The key in its section.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// What is allowed, for people.
    pub allowed: &'static str,
    /// The variable that sets it.
    pub env: Option<&'static str>,
    /// Whether its value is hidden.
    pub secret: bool,
    pub(super) write: fn(&mut Config, &Given) -> Result<(), Wrong>,
    pub(super) read: fn(&Config) -> Given,
}

/// Why a value was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wrong {
    /// It is none of its type: what is wanted.
    Type(&'static str),
    /// It is out of range.
    Range,
}

impl Setting {
    /// `section.name`
    pub fn key(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// The value as `crawler config` shows it.
    pub fn shown(&self, config: &Config) -> String {
        let given = (self.read)(config);
        match &given {
            Given::List(texts) if self.secret && !texts.is_empty() => {
                format!("({} hidden)", texts.len())
            }
            Given::Text(text) if self.secret && text != "none" => hidden(text),
            given => given.yaml(),
        }
    }

    pub(super) const fn env(mut self, name: &'static str) -> Self {
        self.env = Some(name);
        self
    }

    pub(super) const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }
}

/// A database's URL without its password and options; anything else is hidden whole.
fn hidden(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return "(hidden)".to_owned();
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    match rest.rsplit_once('@') {
        Some((who, place)) => {
            let user = who.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}:(hidden)@{place}")
        }
        None => format!("{scheme}://{rest}"),
    }
}

/// Reads a value into its field, if it fits.
pub(super) fn put<T: Value>(
    field: &mut T,
    given: &Given,
    fits: fn(&T) -> bool,
) -> Result<(), Wrong> {
    let value = T::parse(given).ok_or(Wrong::Type(T::WANTED))?;
    if !fits(&value) {
        return Err(Wrong::Range);
    }
    *field = value;
    Ok(())
}
