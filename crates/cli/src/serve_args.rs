//! The flags of `serve`, `config` and `keys`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use crate::args::MessageArgs;
use crate::values::{self, whole_number};

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// What this process runs
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: ModeChoice,

    #[command(flatten)]
    pub(crate) settings: SettingArgs,

    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(flatten)]
    pub(crate) settings: SettingArgs,

    /// Print the commented example configuration instead
    #[arg(long, conflicts_with = "openapi")]
    pub(crate) example: bool,

    /// Print the OpenAPI description instead
    #[arg(long, hide = true)]
    pub(crate) openapi: bool,
}

/// The configuration file and the flags that override it.
#[derive(Debug, Args)]
pub(crate) struct SettingArgs {
    /// Configuration file [default: CONFIG_PATH, else config.yaml if it exists]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Address of the API, overrides server.addr [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) addr: Option<SocketAddr>,

    /// Number of tasks run at the same time, overrides worker.pool_size [default: 8]
    #[arg(long, value_name = "N", value_parser = whole_number::<usize>, allow_negative_numbers = true)]
    pub(crate) workers: Option<usize>,

    /// SQLite file, overrides store.path [default: ./crawler.db]
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,

    /// Configuration file [default: CONFIG_PATH, else config.yaml if it exists]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,

    /// SQLite file, overrides store.path [default: ./crawler.db]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) store: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Create a key and print it; it cannot be shown again
    Add {
        /// Name of the key, such as its user or purpose; the owner of the jobs that are created with it
        name: String,
        /// Let the key see and cancel the jobs of all owners
        #[arg(long)]
        admin: bool,
        /// Time until the key expires, such as 90d; 1s to 3650d [default: never]
        #[arg(long, value_name = "DURATION", value_parser = values::key_lifetime)]
        expires: Option<Duration>,
        /// Quota of the key instead of the configured one, such as open_jobs=10 (0: no limit); repeatable
        #[arg(long, value_name = "NAME=VALUE")]
        quota: Vec<String>,
    },
    /// Change the quota of a key
    Set {
        /// Id or name of the key
        key: String,
        /// Quota to set, such as open_jobs=10 (0: no limit) or open_jobs=default; repeatable
        #[arg(long, value_name = "NAME=VALUE", required = true)]
        quota: Vec<String>,
    },
    /// Replace the secret of a key and print the new one; name, jobs and quota stay
    Rotate {
        /// Id or name of the key
        key: String,
        /// How long the old secret stays valid, at most 30d [default: not at all]
        #[arg(long, value_name = "DURATION", value_parser = values::grace_period)]
        grace: Option<Duration>,
        /// Time until the key expires, such as 90d; 1s to 3650d [default: unchanged]
        #[arg(long, value_name = "DURATION", value_parser = values::key_lifetime)]
        expires: Option<Duration>,
    },
    /// List all keys, below a line that names the columns
    List,
    /// Revoke a key; requests with it are rejected from then on
    Revoke {
        /// Id or name of the key
        key: String,
    },
}

/// Values of `--mode`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum ModeChoice {
    /// the API and a worker
    #[default]
    All,
    /// the API only
    Api,
    /// a worker only
    Worker,
    /// only the browser, for processes with the same browser.socket; needs no database
    Render,
}

impl ModeChoice {
    pub(crate) fn has_api(self) -> bool {
        matches!(self, Self::All | Self::Api)
    }

    pub(crate) fn has_worker(self) -> bool {
        matches!(self, Self::All | Self::Worker)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Api => "api",
            Self::Worker => "worker",
            Self::Render => "render",
        }
    }
}
