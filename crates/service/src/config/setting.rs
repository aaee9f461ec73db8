//! A row of the table of settings.

use super::Config;
use super::raw_value::RawValue;
use super::value::SettingValue;

/// A row of the table: its key, description and allowed values, and a check of a value.
macro_rules! setting {
    ($section:ident.$name:ident, $about:literal, $allowed:expr, $fits:expr) => {
        Setting {
            section: stringify!($section),
            name: stringify!($name),
            about: $about,
            allowed: $allowed,
            env: None,
            secret: false,
            write: |config, given| put(&mut config.$section.$name, given, $fits),
            read: |config| SettingValue::print(&config.$section.$name),
        }
    };
}
pub(super) use setting;

/// Accepts every value of the type.
pub(super) fn any<T>(_: &T) -> bool {
    true
}

/// A setting: its key, allowed values, and access to its field of [`Config`].
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Name of its section.
    pub section: &'static str,
    /// Name within the section.
    pub name: &'static str,
    /// Description.
    pub about: &'static str,
    /// Description of the allowed values.
    pub allowed: &'static str,
    /// Environment variable that sets it.
    pub env: Option<&'static str>,
    /// Whether its value is hidden when printed.
    pub secret: bool,
    pub(super) write: fn(&mut Config, &RawValue) -> Result<(), ValueError>,
    pub(super) read: fn(&Config) -> RawValue,
}

/// Why a value was rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ValueError {
    /// It has the wrong type; the expected one.
    Type(&'static str),
    /// It is out of range.
    Range,
}

impl Setting {
    /// Returns `section.name`.
    pub fn key(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// Formats the value for `crawler config`.
    pub fn shown(&self, config: &Config) -> String {
        let given = (self.read)(config);
        match &given {
            RawValue::List(texts) if self.secret && !texts.is_empty() => {
                format!("({} hidden)", texts.len())
            }
            RawValue::Text(text) if self.secret && text != "none" => hidden(text),
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

/// Removes the password and the options from a database URL; hides any other value completely.
fn hidden(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return "(hidden)".to_owned();
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    match rest.rsplit_once('@') {
        Some((userinfo, host)) => {
            let user = userinfo.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}:(hidden)@{host}")
        }
        None => format!("{scheme}://{rest}"),
    }
}

/// Parses a value and stores it in its field if it is allowed.
pub(super) fn put<T: SettingValue>(
    field: &mut T,
    given: &RawValue,
    is_allowed: fn(&T) -> bool,
) -> Result<(), ValueError> {
    let value = T::parse(given).ok_or(ValueError::Type(T::EXPECTED))?;
    if !is_allowed(&value) {
        return Err(ValueError::Range);
    }
    *field = value;
    Ok(())
}
