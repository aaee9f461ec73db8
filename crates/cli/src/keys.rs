//! `keys`: makes, lists and revokes the keys of callers. A key is printed once; the store has its hash alone.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use service::api::rfc3339;
use service::config::Config;
use store::{ApiKey, KeyHash, Store, StoreError};
use store_postgres::{PostgresOptions, PostgresStore};
use store_sqlite::{SqliteOptions, SqliteStore};
use uuid::Uuid;

use crate::serve_args::SettingArgs;
use crate::{config, exit, talk};

#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,

    /// The configuration [default: CONFIG_PATH, else config.yaml if there is one]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,

    /// The SQLite file: store.path [default: ./crawler.db]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) store: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Make a key and print it; it cannot be printed again
    Add {
        /// Whose it is, or what for
        name: String,
    },
    /// List keys: id, name, when it was made, when it was revoked
    List,
    /// Revoke a key: it is refused from then on
    Revoke {
        /// Its id or its name
        key: String,
    },
}

/// Longer names are pasted keys, most likely.
const LONGEST_NAME: usize = 100;

pub(crate) fn keys(args: &KeysArgs) -> ExitCode {
    let settings = SettingArgs {
        config: args.config.clone(),
        addr: None,
        workers: None,
        store: args.store.clone(),
    };
    let config = match config::load(&settings) {
        Ok(loaded) => loaded.config,
        Err(error) => return config::refuse(&error, false),
    };
    match run(&config, &args.command) {
        Ok(text) => config::print(&text),
        Err(error) => {
            talk::refuse(&format!("{error:#}"), false);
            ExitCode::from(exit::FAILED)
        }
    }
}

fn run(config: &Config, command: &KeysCommand) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    runtime.block_on(async {
        if let Some(url) = &config.store.database_url {
            let store = PostgresStore::open(url.reveal(), PostgresOptions::default())
                .await
                .context("cannot open the store")?;
            let told = run_on(&store, command).await;
            store.close().await;
            return told;
        }
        let path = &config.store.path;
        if !matches!(command, KeysCommand::Add { .. }) && !path.exists() {
            bail!(
                "there is no store at {}: give --store or --config, or set DATABASE_URL",
                path.display()
            );
        }
        let store = SqliteStore::open(path, SqliteOptions::default())
            .await
            .with_context(|| format!("cannot open store.path {}", path.display()))?;
        let told = run_on(&store, command).await;
        store.close().await;
        told
    })
}

async fn run_on<S: Store>(store: &S, command: &KeysCommand) -> anyhow::Result<String> {
    match command {
        KeysCommand::Add { name } => add(store, name).await,
        KeysCommand::List => {
            let keys = store.keys().await?;
            Ok(keys.iter().map(line).collect())
        }
        KeysCommand::Revoke { key } => {
            let all = store.keys().await?;
            let id = Uuid::try_parse(key).ok();
            let named = |one: &&ApiKey| Some(one.id) == id || one.name == *key;
            let Some(found) = all.iter().find(named) else {
                bail!("there is no key {key:?}; `crawler keys list` shows them");
            };
            if !store.revoke_key(found.id).await? {
                bail!("{key:?} was revoked before");
            }
            Ok(format!("revoked {}\t{}\n", found.id, found.name))
        }
    }
}

async fn add<S: Store>(store: &S, name: &str) -> anyhow::Result<String> {
    let odd = name.chars().any(char::is_control);
    if odd || name.trim().is_empty() || name.len() > LONGEST_NAME {
        bail!("a key's name is 1 to {LONGEST_NAME} characters on one line");
    }
    let key = fresh()?;
    match store.add_key(name, KeyHash::of(&key)).await {
        Ok(_) => Ok(format!("{key}\n")),
        Err(StoreError::Conflict(_)) => {
            bail!("there is a key {name:?} already, or was one: a revoked key keeps its name")
        }
        Err(error) => Err(error.into()),
    }
}

/// 256 random bits.
fn fresh() -> anyhow::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("the system gives no random numbers")?;
    let mut key = "crawler_".to_owned();
    for byte in bytes {
        write!(key, "{byte:02x}")?;
    }
    Ok(key)
}

fn line(key: &ApiKey) -> String {
    let revoked = key.revoked_at.map_or_else(|| "-".to_owned(), rfc3339);
    let made = rfc3339(key.created_at);
    format!("{}\t{}\t{made}\t{revoked}\n", key.id, key.name)
}
