//! The metadata that the stores' SQL is checked against (`.sqlx`): written by `cargo xtask sqlx`, compared in the tests.
//!
//! sqlx writes into one folder per cargo invocation, so each store is compiled in an invocation of its own:
//! everything is built first, then one store's sources are touched. Metadata in the wrong folder is an error.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::postgres::Postgres;
use crate::requirements::SQLITE3;
use crate::shell::{cargo, print, root, run};

struct CheckedStore {
    folder: &'static str,
    database: &'static str,
}

const STORES: [CheckedStore; 2] = [
    CheckedStore {
        folder: "store-postgres",
        database: "PostgreSQL",
    },
    CheckedStore {
        folder: "store-sqlite",
        database: "SQLite",
    },
];

/// Databases with the current schema, for the macros to query.
struct Schemas<'a> {
    postgres: &'a Postgres,
    name: String,
    folder: PathBuf,
}

impl<'a> Schemas<'a> {
    fn create(postgres: &'a Postgres) -> Result<Self> {
        let name = format!("crawler_sqlx_{}", std::process::id());
        let folder = std::env::temp_dir().join(&name);
        std::fs::create_dir_all(&folder)?;
        let schemas = Self {
            postgres,
            name,
            folder,
        };
        schemas.write_urls()?;
        postgres.psql(None, &["-c", &format!("CREATE DATABASE {}", schemas.name)])?;
        for file in migrations("store-postgres")? {
            postgres.psql(Some(&schemas.name), &["-f", &file.to_string_lossy()])?;
        }
        SQLITE3.ensure()?;
        for file in migrations("store-sqlite")? {
            run(Command::new("sqlite3")
                .arg("-bail")
                .arg(schemas.sqlite())
                .arg(format!(".read '{}'", file.display())))?;
        }
        Ok(schemas)
    }

    fn sqlite(&self) -> PathBuf {
        self.folder.join("schema.db")
    }

    /// Writes each store's database URL to a `.env` beside its Cargo.toml, where the macros look first. An environment
    /// variable could name only one database.
    fn write_urls(&self) -> Result<()> {
        let postgres = self.postgres.url_of(&self.name);
        let sqlite = format!("sqlite://{}", self.sqlite().display());
        for (store, url) in STORES.iter().zip([postgres, sqlite]) {
            std::fs::write(env_file(store), format!("DATABASE_URL='{url}'\n"))?;
        }
        Ok(())
    }

    /// Generates one folder of metadata per store.
    fn metadata(&self) -> Result<Vec<BTreeMap<String, String>>> {
        for store in &STORES {
            touch(store.folder)?;
        }
        compile(None)?;
        let mut all = Vec::new();
        for store in &STORES {
            let into = self.folder.join(store.folder);
            std::fs::create_dir_all(&into)?;
            touch(store.folder)?;
            compile(Some(&into))?;
            let files = read(&into)?;
            if files.is_empty() {
                bail!("{}: no query was checked", store.folder);
            }
            for (name, text) in &files {
                let parsed: Value = serde_json::from_str(text)?;
                if parsed["db_name"] != store.database {
                    bail!("{}: {name} is for {}", store.folder, parsed["db_name"]);
                }
            }
            all.push(files);
        }
        Ok(all)
    }
}

/// Compiles the stores against the databases and writes the metadata of the compiled queries to the folder, if one is given.
fn compile(metadata: Option<&Path>) -> Result<()> {
    let mut command = cargo();
    command
        .args(["check", "--quiet", "--all-targets"])
        .args(["--package", "crawler-store-postgres"])
        .args(["--package", "crawler-store-sqlite"])
        .env("SQLX_OFFLINE", "false")
        .env_remove("DATABASE_URL")
        .env_remove("SQLX_OFFLINE_DIR");
    if let Some(folder) = metadata {
        command.env("SQLX_OFFLINE_DIR", folder);
    }
    run(&mut command)
}

impl Drop for Schemas<'_> {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        if let Err(error) = self.postgres.psql(None, &["-c", &sql]) {
            print(&format!("{} could not be removed: {error}", self.name));
        }
        let _ = std::fs::remove_dir_all(&self.folder);
        for store in &STORES {
            let _ = std::fs::remove_file(env_file(store));
        }
    }
}

fn env_file(store: &CheckedStore) -> PathBuf {
    root().join("crates").join(store.folder).join(".env")
}

/// Writes `.sqlx` of both stores.
pub(crate) fn write() -> Result<()> {
    let postgres = Postgres::from_env_or_start()?;
    let schemas = Schemas::create(&postgres)?;
    for (store, files) in STORES.iter().zip(schemas.metadata()?) {
        let folder = metadata_folder(store);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        for (name, text) in files {
            std::fs::write(folder.join(name), text)?;
        }
    }
    Ok(())
}

/// Fails when `.sqlx` is not what [`write()`] would write.
pub(crate) fn check(postgres: &Postgres) -> Result<()> {
    let schemas = Schemas::create(postgres)?;
    for (store, files) in STORES.iter().zip(schemas.metadata()?) {
        let committed = read(&metadata_folder(store))?;
        let stale: Vec<&String> = committed
            .iter()
            .filter(|(name, text)| files.get(*name) != Some(text))
            .map(|(name, _)| name)
            .chain(files.keys().filter(|name| !committed.contains_key(*name)))
            .collect();
        if !stale.is_empty() {
            bail!(
                "{}: {} files in .sqlx are out of date; run `cargo xtask sqlx`: {stale:?}",
                store.folder,
                stale.len()
            );
        }
    }
    Ok(())
}

fn metadata_folder(store: &CheckedStore) -> PathBuf {
    root().join("crates").join(store.folder).join(".sqlx")
}

fn migrations(folder: &str) -> Result<Vec<PathBuf>> {
    let folder = root().join("crates").join(folder).join("migrations");
    let mut files = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

fn read(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        files.insert(name, std::fs::read_to_string(&path)?);
    }
    Ok(files)
}

/// Makes cargo recompile a store: touching each target's root file is enough.
fn touch(folder: &str) -> Result<()> {
    let home = root().join("crates").join(folder);
    let mut roots = vec![home.join("src/lib.rs")];
    for folder in ["tests", "examples"] {
        for entry in std::fs::read_dir(home.join(folder)).into_iter().flatten() {
            roots.push(entry?.path());
        }
    }
    for file in roots.iter().filter(|file| file.is_file()) {
        let opened = std::fs::File::options().append(true).open(file)?;
        opened.set_modified(std::time::SystemTime::now())?;
    }
    Ok(())
}
