//! Loads the configuration from a file, the environment and flags, and records the source of each value.

use std::collections::BTreeMap;
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crawler_model::JsPolicy;

use super::raw_value::RawValue;
use super::setting::ValueError;
use super::{Config, SETTINGS, Setting, yaml};

/// File that is read if it exists and no other one is named.
const DEFAULT_FILE: &str = "config.yaml";

/// A command-line flag that sets a setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigFlag {
    /// Name of the flag, for example `--addr`.
    pub name: &'static str,
    /// Key of the setting, for example `server.addr`.
    pub key: &'static str,
    /// Value of the flag.
    pub value: String,
}

/// Inputs from which the configuration is loaded.
pub struct ConfigInputs<'a> {
    /// Path given with `--config`.
    pub file: Option<PathBuf>,
    /// Looks up an environment variable.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Flags on the command line.
    pub flags: Vec<ConfigFlag>,
}

impl fmt::Debug for ConfigInputs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigInputs")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

/// Source of a setting's value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SettingSource {
    /// The built-in default.
    Default,
    /// The configuration file.
    File {
        /// Path of the file.
        path: PathBuf,
        /// Line number.
        line: u64,
    },
    /// An environment variable.
    Env(&'static str),
    /// A command-line flag.
    Flag(&'static str),
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Env(name) => write!(f, "environment {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// All problems of an invalid configuration, one per line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ConfigError(pub Vec<String>);

/// A configuration, and the source of each of its values.
#[derive(Clone, PartialEq, Debug)]
pub struct LoadedConfig {
    /// The configuration.
    pub config: Config,
    /// The file that was read, if any.
    pub file: Option<PathBuf>,
    sources: BTreeMap<String, SettingSource>,
}

impl LoadedConfig {
    /// Loads the configuration, or returns every problem found.
    pub fn load(inputs: &ConfigInputs<'_>) -> Result<Self, ConfigError> {
        let mut loaded = Self {
            config: Config::default(),
            file: None,
            sources: BTreeMap::new(),
        };
        let mut problems = Vec::new();
        loaded.read_file(inputs, &mut problems);
        for setting in SETTINGS.iter() {
            let Some(name) = setting.env else { continue };
            if let Some(text) = (inputs.env)(name).filter(|text| !text.is_empty()) {
                loaded.set(
                    setting,
                    &RawValue::Text(text),
                    SettingSource::Env(name),
                    &mut problems,
                );
            }
        }
        for flag in &inputs.flags {
            let found = SETTINGS.iter().find(|setting| setting.key() == flag.key);
            if let Some(setting) = found {
                let given = RawValue::Text(flag.value.clone());
                loaded.set(
                    setting,
                    &given,
                    SettingSource::Flag(flag.name),
                    &mut problems,
                );
            }
        }
        loaded.check_pairs(&mut problems);
        if problems.is_empty() {
            Ok(loaded)
        } else {
            Err(ConfigError(problems))
        }
    }

    /// Returns the source of a setting's value.
    pub fn source(&self, setting: &Setting) -> &SettingSource {
        self.source_of(&setting.key())
    }

    /// Formats the configuration as YAML with the source of each value as a comment. Secrets are hidden.
    pub fn text(&self) -> String {
        let mut lines = vec![match &self.file {
            Some(path) => format!("# file: {}", path.display()),
            None => "# file: none".to_owned(),
        }];
        let mut section = "";
        for setting in SETTINGS.iter() {
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

    fn read_file(&mut self, inputs: &ConfigInputs<'_>, problems: &mut Vec<String>) {
        let named = inputs.file.clone().or_else(|| {
            let path = (inputs.env)("CONFIG_PATH").filter(|path| !path.is_empty());
            path.map(PathBuf::from)
        });
        let path = named
            .clone()
            .unwrap_or_else(|| Path::new(DEFAULT_FILE).to_owned());
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if named.is_none() && error.kind() == ErrorKind::NotFound => return,
            Err(error) => {
                let reason = match error.kind() {
                    ErrorKind::NotFound => "no such file".to_owned(),
                    ErrorKind::PermissionDenied => "permission denied".to_owned(),
                    _ => error.to_string(),
                };
                problems.push(format!("{}: cannot read file: {reason}", path.display()));
                return;
            }
        };
        self.file = Some(path.clone());
        let entries = match yaml::entries(&text) {
            Ok(entries) => entries,
            Err(unreadable) => {
                let line = unreadable.line.map(|line| format!(":{line}"));
                let line = line.unwrap_or_default();
                problems.push(format!("{}{line}: {}", path.display(), unreadable.message));
                return;
            }
        };
        for entry in entries {
            let known = SETTINGS
                .iter()
                .find(|setting| setting.section == entry.section && setting.name == entry.name);
            let location = format!("{}:{}", path.display(), entry.line);
            match known {
                Some(setting) => {
                    let path = path.clone();
                    let line = entry.line;
                    self.set(
                        setting,
                        &entry.given,
                        SettingSource::File { path, line },
                        problems,
                    );
                }
                None => problems.push(format!(
                    "{location}: {}",
                    unknown(&entry.section, &entry.name)
                )),
            }
        }
    }

    fn set(
        &mut self,
        setting: &Setting,
        given: &RawValue,
        source: SettingSource,
        problems: &mut Vec<String>,
    ) {
        match (setting.write)(&mut self.config, given) {
            Ok(()) => {
                self.sources.insert(setting.key(), source);
            }
            Err(error) => {
                let shown = if setting.secret {
                    "the value".to_owned()
                } else {
                    given.to_string()
                };
                let location = match &source {
                    SettingSource::File { path, line } => format!("{}:{line}", path.display()),
                    other => other.to_string(),
                };
                let problem = match error {
                    ValueError::Type(expected) => format!("{shown} is not {expected}"),
                    ValueError::Range => format!("{shown} is not allowed"),
                };
                problems.push(format!(
                    "{location}: {}: {problem}; allowed: {}",
                    setting.key(),
                    setting.allowed
                ));
            }
        }
    }

    /// Checks settings that depend on each other.
    fn check_pairs(&self, problems: &mut Vec<String>) {
        let worker = &self.config.worker;
        if worker.heartbeat * 2 > worker.lease {
            problems.push(self.pair(
                "worker.heartbeat",
                "worker.lease",
                "the heartbeat must be at most half of the lease",
            ));
        }
        if worker.backoff_base > worker.backoff_max {
            problems.push(self.pair(
                "worker.backoff_base",
                "worker.backoff_max",
                "the first delay must not exceed the maximum",
            ));
        }
        let browser = &self.config.browser;
        for (key, renders) in [
            ("browser.force", browser.force),
            (
                "browser.use_js_default",
                browser.use_js_default != JsPolicy::Never,
            ),
        ] {
            if renders && !browser.enabled {
                let rule = "rendering requires browser.enabled: true";
                problems.push(self.pair(key, "browser.enabled", rule));
            }
        }
    }

    /// Returns warnings about values that are valid but probably not intended, one per line. They are printed at startup
    /// and by `crawler config`.
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
                "POST /v1/scrape of a slow page times out before the page is rendered",
            ));
        }
        // The defaults differ as well, which is documented; do not warn about them on every start.
        let is_default = |key| *self.source_of(key) == SettingSource::Default;
        let are_defaults = is_default("worker.drain") && is_default("browser.nav_timeout");
        if worker.drain < browser.nav_timeout && !are_defaults {
            notes.push(self.pair(
                "worker.drain",
                "browser.nav_timeout",
                "a shutdown interrupts a POST /v1/scrape whose page takes longer to render than worker.drain",
            ));
        }
        notes
    }

    fn source_of(&self, key: &str) -> &SettingSource {
        self.sources.get(key).unwrap_or(&SettingSource::Default)
    }

    fn pair(&self, first: &str, second: &str, rule: &str) -> String {
        let describe = |key: &str| {
            let setting = SETTINGS.iter().find(|setting| setting.key() == key);
            setting.map_or_else(String::new, |setting| {
                let value = setting.shown(&self.config);
                format!("{key} = {value} ({})", self.source(setting))
            })
        };
        format!("{}, {}: {rule}", describe(first), describe(second))
    }
}

/// Describes an unknown key and lists the known ones.
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
            "unknown section {section}; allowed: {}",
            sections.join(", ")
        );
    }
    format!(
        "unknown setting {section}.{name}; allowed: {}",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests;
