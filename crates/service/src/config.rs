//! What the service is told: one resolved type, and where each of its values came from.
//!
//! A file is weaker than the environment, the environment weaker than flags. Every setting is one row of the table in
//! `settings`: its key, its range, its variable and what it is for. The file is read by that table, `crawler config`
//! prints it and `config.example.yaml` is written from it, so none of them can lag behind. Nothing here opens the
//! store or the network.

mod example;
mod given;
mod job_defaults;
mod load;
mod secret;
mod sections;
mod setting;
mod settings;
mod units;
mod value;
mod yaml;

pub use example::example;
pub use load::{ConfigError, Flag, Inputs, Loaded, Source};
pub use secret::Secret;
pub use sections::{
    Browser, Config, Crawl, Egress, Http, Jobs, ResourceKind, Server, Storage, UseJs, Viewport,
    Worker,
};
pub use setting::Setting;
pub use settings::SETTINGS;
