//! `keys`: creates, lists and revokes API keys. A key is printed once; the store holds only its hash.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Context, bail};
use crawler_service::api::rfc3339;
use crawler_service::config::Config;
use crawler_store::{ApiKey, KeyHash, KeyRole, Owner, Store, StoreError};
use crawler_store_sqlite::{SqliteOptions, SqliteStore};
use uuid::Uuid;

use crate::serve_args::{KeysArgs, KeysCommand, SettingArgs};
use crate::{config, console, exit, postgres};

pub(crate) fn keys(args: &KeysArgs) -> ExitCode {
    let settings = SettingArgs {
        config: args.config.clone(),
        addr: None,
        workers: None,
        store: args.store.clone(),
    };
    let config = match config::load(&settings) {
        Ok(loaded) => loaded.config,
        Err(error) => return config::print_errors(&error, false),
    };
    match run(&config, &args.command) {
        Ok(text) => config::print(&text),
        Err(error) => {
            console::print_error(&format!("{error:#}"), false);
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
            return postgres::keys(url.reveal(), command).await;
        }
        let path = &config.store.path;
        if !matches!(command, KeysCommand::Add { .. }) && !path.exists() {
            bail!(
                "no store at {}; use --store or --config, or set DATABASE_URL",
                path.display()
            );
        }
        let is_new = !path.exists();
        let store = SqliteStore::open(path, SqliteOptions::default())
            .await
            .with_context(|| format!("cannot open store.path {}", path.display()))?;
        if is_new {
            // The service must use the same file, or it will not know the key.
            console::print_note(&format!("created the store {}", path.display()));
        }
        let output = run_on(&store, command).await;
        store.close().await;
        output
    })
}

/// Runs the command on an open store.
pub(crate) async fn run_on<S: Store>(store: &S, command: &KeysCommand) -> anyhow::Result<String> {
    match command {
        KeysCommand::Add { name } => add(store, name).await,
        KeysCommand::List => {
            let keys = store.keys().await?;
            Ok(keys.iter().map(line).collect())
        }
        KeysCommand::Revoke { key } => {
            let all = store.keys().await?;
            let id = Uuid::try_parse(key).ok();
            let matches = |one: &&ApiKey| Some(one.id) == id || one.name.as_str() == key;
            let Some(found) = all.iter().find(matches) else {
                bail!("no key {key:?}; `crawler keys list` shows all keys");
            };
            if !store.revoke_key(found.id).await? {
                bail!("{key:?} is already revoked");
            }
            Ok(format!("revoked {}\t{}\n", found.id, found.name))
        }
    }
}

async fn add<S: Store>(store: &S, name: &str) -> anyhow::Result<String> {
    let Some(owner) = Owner::parse(name) else {
        bail!(
            "a key name must be 1 to {} characters on one line",
            Owner::MAX_LENGTH
        );
    };
    let key = new_key()?;
    match store
        .add_key(&owner, KeyRole::User, KeyHash::of(&key))
        .await
    {
        Ok(_) => Ok(format!("{key}\n")),
        Err(StoreError::Conflict(_)) => {
            bail!(
                "a key named {name:?} already exists; choose another name (the name of a revoked key cannot be reused)"
            )
        }
        Err(error) => Err(error.into()),
    }
}

/// A new key with 256 random bits.
fn new_key() -> anyhow::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("cannot get random numbers from the system")?;
    let mut key = "crawler_".to_owned();
    for byte in bytes {
        write!(key, "{byte:02x}")?;
    }
    Ok(key)
}

fn line(key: &ApiKey) -> String {
    let revoked = key.revoked_at.map_or_else(|| "-".to_owned(), rfc3339);
    let created = rfc3339(key.created_at);
    format!("{}\t{}\t{created}\t{revoked}\n", key.id, key.name)
}
