//! Configuration of the service: the resolved values, and where each of them came from.
//!
//! Environment variables override the file, and flags override both. Every setting is one row of the table in
//! `settings`: its key, allowed values, environment variable and description. The file is parsed, `crawler config`
//! printed and `config.example.yaml` generated from that table, so they cannot disagree. Nothing here opens the store
//! or the network.

mod example;
mod job_defaults;
mod limit_settings;
mod load;
mod raw_value;
mod secret;
mod sections;
mod setting;
mod settings;
mod unusable_setting;
mod value;
mod yaml;

pub use example::example;
pub use load::{ConfigError, ConfigFlag, ConfigInputs, LoadedConfig, SettingSource};
pub use secret::Secret;
pub use sections::{
    BrowserSection, Config, CrawlSection, EgressSection, HttpSection, JobsSection, QuotasSection,
    ResolverChoice, ServerSection, StoreSection, Viewport, WorkerSection,
};
pub use setting::Setting;
pub use settings::SETTINGS;
pub use unusable_setting::UnusableSetting;
