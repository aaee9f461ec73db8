//! `keys`: creates, changes, lists, rotates and revokes API keys. A key is printed once; the store holds only its hash.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use crawler_service::api::rfc3339;
use crawler_service::config::Config;
use crawler_store::{
    ApiKey, KeyHash, KeyRole, KeyRotation, KeyState, NewKey, Owner, Quota, Store, StoreError,
    UnixMillis,
};
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
        KeysCommand::Add {
            name,
            admin,
            expires,
            quota,
        } => {
            let role = if *admin {
                KeyRole::Admin
            } else {
                KeyRole::User
            };
            add(store, name, role, *expires, quota).await
        }
        KeysCommand::Set { key, quota } => set(store, key, quota).await,
        KeysCommand::Rotate {
            key,
            grace,
            expires,
        } => rotate(store, key, grace.unwrap_or_default(), *expires).await,
        KeysCommand::List => {
            let keys = store.keys().await?;
            let lines = keys.iter().map(line);
            Ok(std::iter::once(header()).chain(lines).collect())
        }
        KeysCommand::Revoke { key } => {
            let found = find(store, key).await?;
            if !store.revoke_key(found.id).await? {
                bail!("{key:?} is already revoked");
            }
            Ok(format!("revoked {}\t{}\n", found.id, found.name))
        }
    }
}

/// Returns the key with this id or name.
async fn find<S: Store>(store: &S, key: &str) -> anyhow::Result<ApiKey> {
    let all = store.keys().await?;
    let id = Uuid::try_parse(key).ok();
    let mut matches = all.into_iter();
    matches
        .find(|one| Some(one.id) == id || one.name.as_str() == key)
        .with_context(|| format!("no key {key:?}; `crawler keys list` shows all keys"))
}

async fn add<S: Store>(
    store: &S,
    name: &str,
    role: KeyRole,
    expires_in: Option<Duration>,
    quotas: &[String],
) -> anyhow::Result<String> {
    let Some(owner) = Owner::parse(name) else {
        let max = Owner::MAX_LENGTH;
        bail!("a key name must be 1 to {max} characters on one line");
    };
    if name.starts_with(Owner::CONFIGURED_PREFIX) || [Owner::LOCAL, Owner::OTHER].contains(&name) {
        bail!("the key name {name:?} is reserved; choose another name");
    }
    let mut quota = Quota::default();
    for written in quotas {
        quota.set(written).context("--quota")?;
    }
    let secret = new_secret()?;
    let key = NewKey {
        name: owner,
        hash: KeyHash::of(&secret),
        role,
        expires_in,
        quota,
    };
    match store.add_key(key).await {
        Ok(_) => Ok(format!("{secret}\n")),
        Err(StoreError::Conflict(_)) => {
            let existing = find(store, name).await?;
            if existing.state == KeyState::Revoked {
                bail!(
                    "a key named {name:?} was revoked, and its name cannot be reused: its jobs would belong to the new key; \
                     choose another name"
                );
            }
            bail!(
                "a key named {name:?} already exists; choose another name, or replace its secret with `crawler keys rotate`"
            )
        }
        Err(error) => Err(error.into()),
    }
}

async fn set<S: Store>(store: &S, key: &str, quotas: &[String]) -> anyhow::Result<String> {
    let found = find(store, key).await?;
    let mut quota = found.quota;
    for written in quotas {
        quota.set(written).context("--quota")?;
    }
    if !store.set_quota(found.id, quota).await? {
        bail!("{key:?} is revoked; add a key with another name");
    }
    Ok(line(&ApiKey { quota, ..found }))
}

async fn rotate<S: Store>(
    store: &S,
    key: &str,
    grace: Duration,
    expires_in: Option<Duration>,
) -> anyhow::Result<String> {
    let found = find(store, key).await?;
    if found.state == KeyState::Expired && expires_in.is_none() {
        bail!("{key:?} has expired; renew it with --expires DURATION");
    }
    let secret = new_secret()?;
    let rotation = KeyRotation {
        hash: KeyHash::of(&secret),
        grace,
        expires_in,
    };
    if !store.rotate_key(found.id, rotation).await? {
        bail!("{key:?} is revoked; add a key with another name");
    }
    Ok(format!("{secret}\n"))
}

/// Name of the key that is created when a service without keys starts on an address that other machines can reach.
const FIRST_KEY: &str = "admin";

/// Creates the first key of the store and prints it; the store holds only its hash. If several processes start at once, the
/// name lets only one of them create a key.
pub(crate) async fn create_first<S: Store>(store: &S) -> anyhow::Result<()> {
    let secret = new_secret()?;
    let key = NewKey {
        name: Owner::parse(FIRST_KEY).context("the name of the first API key")?,
        hash: KeyHash::of(&secret),
        role: KeyRole::Admin,
        expires_in: None,
        quota: Quota::default(),
    };
    match store.add_key(key).await {
        Ok(_) => {
            // Not through the log, which may be kept or sent elsewhere.
            console::print_block(&format!(
                "\nThe store had no API key, so a first one named {FIRST_KEY:?} was created. It is shown only once:\n\n    \
                 {secret}\n\nCallers send it as `Authorization: Bearer <key>`. Create more with `crawler keys add <NAME>`.\n\n"
            ));
            Ok(())
        }
        Err(StoreError::Conflict(_)) => Ok(()),
        Err(error) => Err(error).context("cannot store the first API key"),
    }
}

/// A new secret with 256 random bits.
fn new_secret() -> anyhow::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("cannot get random numbers from the system")?;
    let mut key = "crawler_".to_owned();
    for byte in bytes {
        write!(key, "{byte:02x}")?;
    }
    Ok(key)
}

const COLUMNS: [&str; 10] = [
    "id",
    "name",
    "role",
    "created",
    "expires",
    "last_used",
    "quota",
    "revoked",
    "state",
    "old_secret_until",
];

/// The first line of a list.
fn header() -> String {
    format!("{}\n", COLUMNS.join("\t"))
}

fn line(key: &ApiKey) -> String {
    let time = |at: Option<UnixMillis>| at.map_or_else(|| "-".to_owned(), rfc3339);
    let quota = match key.quota.spell() {
        none if none.is_empty() => "-".to_owned(),
        spelled => spelled,
    };
    let columns: [String; COLUMNS.len()] = [
        key.id.to_string(),
        key.name.to_string(),
        key.role.as_str().to_owned(),
        rfc3339(key.created_at),
        time(key.expires_at),
        time(key.last_used_at),
        quota,
        time(key.revoked_at),
        key.state.as_str().to_owned(),
        time(key.previous_until),
    ];
    format!("{}\n", columns.join("\t"))
}
