//! File, then environment, then flags; each value with its source.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::given::Given;
use super::setting::Wrong;
use super::{Config, SETTINGS, Setting, UseJs, yaml};

/// The file that is read when none is named and it is there.
const USUAL_FILE: &str = "config.yaml";

/// A flag and what it says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flag {
    /// As it was typed: `--addr`.
    pub name: &'static str,
    /// The setting's key: `server.addr`.
    pub key: &'static str,
    /// Its value.
    pub value: String,
}

/// Everything the configuration is made of.
pub struct Inputs<'a> {
    /// `--config`.
    pub file: Option<PathBuf>,
    /// The environment.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// The flags that were given.
    pub flags: Vec<Flag>,
}

impl fmt::Debug for Inputs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inputs")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

/// Where a value came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// Nobody said anything.
    Default,
    /// A line of the file.
    File {
        /// The file.
        path: PathBuf,
        /// Its line.
        line: u64,
    },
    /// A variable.
    Env(&'static str),
    /// A flag.
    Flag(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Env(name) => write!(f, "environment {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// Why there is no configuration: every problem there is, one a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ConfigError(pub Vec<String>);

/// A configuration, and where each of its values came from.
#[derive(Clone, PartialEq, Debug)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// The file that was read.
    pub file: Option<PathBuf>,
    sources: BTreeMap<String, Source>,
}

impl Loaded {
    /// Puts a configuration together, or says everything that is wrong with it.
    pub fn load(inputs: &Inputs<'_>) -> Result<Self, ConfigError> {
        let mut loaded = Self {
            config: Config::default(),
            file: None,
            sources: BTreeMap::new(),
        };
        let mut wrong = Vec::new();
        loaded.read_file(inputs, &mut wrong);
        for setting in &SETTINGS {
            let Some(name) = setting.env else { continue };
            if let Some(text) = (inputs.env)(name).filter(|text| !text.is_empty()) {
                loaded.set(setting, &Given::Text(text), Source::Env(name), &mut wrong);
            }
        }
        for flag in &inputs.flags {
            let found = SETTINGS.iter().find(|setting| setting.key() == flag.key);
            if let Some(setting) = found {
                let given = Given::Text(flag.value.clone());
                loaded.set(setting, &given, Source::Flag(flag.name), &mut wrong);
            }
        }
        loaded.check_pairs(&mut wrong);
        if wrong.is_empty() {
            Ok(loaded)
        } else {
            Err(ConfigError(wrong))
        }
    }

    /// Where a setting's value came from.
    pub fn source(&self, setting: &Setting) -> &Source {
        self.source_of(&setting.key())
    }

    /// The whole configuration as text: each value under its section, with its source. Secrets are hidden.
    pub fn text(&self) -> String {
        let mut lines = vec![match &self.file {
            Some(path) => format!("# file: {}", path.display()),
            None => "# file: none".to_owned(),
        }];
        let mut section = "";
        for setting in &SETTINGS {
            if section != setting.section {
                section = setting.section;
                lines.push(format!("{section}:"));
            }
            let value = format!("  {}: {}", setting.name, setting.shown(&self.config));
            lines.push(format!("{value:<44} # {}", self.source(setting)));
        }
        lines.push(String::new());
        lines.join("\n")
    }

    fn read_file(&mut self, inputs: &Inputs<'_>, wrong: &mut Vec<String>) {
        let named = inputs.file.clone().or_else(|| {
            let path = (inputs.env)("CONFIG_PATH").filter(|path| !path.is_empty());
            path.map(PathBuf::from)
        });
        let path = named
            .clone()
            .unwrap_or_else(|| Path::new(USUAL_FILE).to_owned());
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => {
                wrong.push(format!("{}: cannot be read: {error}", path.display()));
                return;
            }
        };
        self.file = Some(path.clone());
        let entries = match yaml::entries(&text) {
            Ok(entries) => entries,
            Err(unreadable) => {
                let line = unreadable.line.map(|line| format!(":{line}"));
                let line = line.unwrap_or_default();
                wrong.push(format!("{}{line}: {}", path.display(), unreadable.words));
                return;
            }
        };
        for entry in entries {
            let known = SETTINGS
                .iter()
                .find(|setting| setting.section == entry.section && setting.name == entry.name);
            let place = format!("{}:{}", path.display(), entry.line);
            match known {
                Some(setting) => {
                    let path = path.clone();
                    let line = entry.line;
                    self.set(setting, &entry.given, Source::File { path, line }, wrong);
                }
                None => wrong.push(format!("{place}: {}", unknown(&entry.section, &entry.name))),
            }
        }
    }

    fn set(&mut self, setting: &Setting, given: &Given, source: Source, wrong: &mut Vec<String>) {
        match (setting.write)(&mut self.config, given) {
            Ok(()) => {
                self.sources.insert(setting.key(), source);
            }
            Err(why) => {
                let shown = if setting.secret {
                    "the value".to_owned()
                } else {
                    given.to_string()
                };
                let place = match &source {
                    Source::File { path, line } => format!("{}:{line}", path.display()),
                    other => other.to_string(),
                };
                let why = match why {
                    Wrong::Type(wanted) => format!("{shown} is not {wanted}"),
                    Wrong::Range => format!("{shown} is not allowed"),
                };
                wrong.push(format!(
                    "{place}: {}: {why}; allowed: {}",
                    setting.key(),
                    setting.allowed
                ));
            }
        }
    }

    /// Values that must fit each other.
    fn check_pairs(&self, wrong: &mut Vec<String>) {
        let worker = &self.config.worker;
        if worker.heartbeat * 2 > worker.lease {
            wrong.push(self.pair(
                "worker.heartbeat",
                "worker.lease",
                "a heartbeat may be at most half a lease",
            ));
        }
        if worker.backoff_base > worker.backoff_max {
            wrong.push(self.pair(
                "worker.backoff_base",
                "worker.backoff_max",
                "the first pause may not be longer than the longest",
            ));
        }
        let browser = &self.config.browser;
        for (key, asked) in [
            ("browser.force", browser.force),
            (
                "browser.use_js_default",
                browser.use_js_default != UseJs::Never,
            ),
        ] {
            if asked && !browser.enabled {
                let rule = "nothing can be rendered without a browser";
                wrong.push(self.pair(key, "browser.enabled", rule));
            }
        }
    }

    /// What is allowed and most likely not meant: said at the start and by `crawler config`, one a line.
    pub fn notes(&self) -> Vec<String> {
        let Config {
            worker,
            browser,
            server,
            ..
        } = &self.config;
        let mut notes = Vec::new();
        if !browser.enabled {
            return notes;
        }
        if browser.nav_timeout >= server.request_timeout {
            notes.push(self.pair(
                "browser.nav_timeout",
                "server.request_timeout",
                "a slow page that is asked for by POST /v1/scrape ends with an error after the latter, before it is rendered",
            ));
        }
        // As they come they differ too, which the documents say; nobody who changed neither is told again and again.
        let is_default = |key| *self.source_of(key) == Source::Default;
        let are_defaults = is_default("worker.drain") && is_default("browser.nav_timeout");
        if worker.drain < browser.nav_timeout && !are_defaults {
            notes.push(self.pair(
                "worker.drain",
                "browser.nav_timeout",
                "a stop cuts off a POST /v1/scrape whose page takes longer to render than the drain",
            ));
        }
        notes
    }

    fn source_of(&self, key: &str) -> &Source {
        self.sources.get(key).unwrap_or(&Source::Default)
    }

    fn pair(&self, first: &str, second: &str, rule: &str) -> String {
        let told = |key: &str| {
            let setting = SETTINGS.iter().find(|setting| setting.key() == key);
            setting.map_or_else(String::new, |setting| {
                let value = setting.shown(&self.config);
                format!("{key} = {value} ({})", self.source(setting))
            })
        };
        format!("{}, {}: {rule}", told(first), told(second))
    }
}

/// A key that there is not, and those that there are.
fn unknown(section: &str, name: &str) -> String {
    let names: Vec<&str> = SETTINGS
        .iter()
        .filter(|setting| setting.section == section)
        .map(|setting| setting.name)
        .collect();
    if names.is_empty() {
        let mut sections: Vec<&str> = SETTINGS.iter().map(|setting| setting.section).collect();
        sections.dedup();
        return format!(
            "there is no section {section}; allowed: {}",
            sections.join(", ")
        );
    }
    format!(
        "there is no setting {section}.{name}; allowed: {}",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests;
