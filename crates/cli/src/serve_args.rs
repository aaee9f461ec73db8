//! The flags of `serve` and `config`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::args::TalkArgs;
use crate::values::whole;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// What this process does
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: ModeWord,

    #[command(flatten)]
    pub(crate) settings: SettingArgs,

    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(flatten)]
    pub(crate) settings: SettingArgs,

    /// The commented example instead
    #[arg(long, conflicts_with = "openapi")]
    pub(crate) example: bool,

    /// The API's description instead
    #[arg(long, hide = true)]
    pub(crate) openapi: bool,
}

/// Where the configuration comes from, and what is stronger than it.
#[derive(Debug, Args)]
pub(crate) struct SettingArgs {
    /// The configuration [default: CONFIG_PATH, else config.yaml if there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Where the API listens: server.addr [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) addr: Option<SocketAddr>,

    /// Tasks at once in this process: worker.pool_size [default: 8]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub(crate) workers: Option<usize>,

    /// The SQLite file: store.path [default: ./crawler.db]
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
}

/// What a process of the service does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum ModeWord {
    /// answer requests and do the work
    #[default]
    All,
    /// answer requests; workers elsewhere do the work
    Api,
    /// do the work; somebody else answers requests
    Worker,
}

impl ModeWord {
    pub(crate) fn has_api(self) -> bool {
        self != Self::Worker
    }

    pub(crate) fn has_worker(self) -> bool {
        self != Self::Api
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Api => "api",
            Self::Worker => "worker",
        }
    }
}
