//! What the checked queries were checked against: `.sqlx` of each store, written here and compared in the tests.
//!
//! The macros write into one folder for a whole cargo call, so each store gets a call in which only it is compiled:
//! first everything is made fresh, then one store's sources are touched. What lands in the wrong place is found out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::postgres::Postgres;
use crate::setup;
use crate::shell::{cargo, root, run, tell};

struct Checked {
    package: &'static str,
    database: &'static str,
}

const STORES: [Checked; 2] = [
    Checked {
        package: "store-postgres",
        database: "PostgreSQL",
    },
    Checked {
        package: "store-sqlite",
        database: "SQLite",
    },
];

/// Databases with the schema of today, for the macros to ask.
struct Schemas<'a> {
    postgres: &'a Postgres,
    name: String,
    folder: PathBuf,
}

impl<'a> Schemas<'a> {
    fn make(postgres: &'a Postgres) -> Result<Self> {
        let name = format!("crawler_sqlx_{}", std::process::id());
        let folder = std::env::temp_dir().join(&name);
        std::fs::create_dir_all(&folder)?;
        let made = Self {
            postgres,
            name,
            folder,
        };
        postgres.psql(None, &["-c", &format!("CREATE DATABASE {}", made.name)])?;
        for file in migrations("store-postgres")? {
            postgres.psql(Some(&made.name), &["-f", &file.to_string_lossy()])?;
        }
        setup::program(
            "sqlite3",
            "it makes the schema that queries are checked against",
        )?;
        for file in migrations("store-sqlite")? {
            run(Command::new("sqlite3")
                .arg("-bail")
                .arg(made.sqlite())
                .arg(format!(".read '{}'", file.display())))?;
        }
        Ok(made)
    }

    fn sqlite(&self) -> PathBuf {
        self.folder.join("schema.db")
    }

    fn check(&self, into: Option<&Path>) -> Result<()> {
        let mut command = cargo();
        command
            .args(["check", "--quiet", "--workspace", "--all-targets"])
            .env("SQLX_OFFLINE", "false")
            .env("POSTGRES_STORE_URL", self.postgres.url_of(&self.name))
            .env(
                "SQLITE_STORE_URL",
                format!("sqlite://{}", self.sqlite().display()),
            )
            .env_remove("SQLX_OFFLINE_DIR");
        if let Some(folder) = into {
            command.env("SQLX_OFFLINE_DIR", folder);
        }
        run(&mut command)
    }

    /// One folder of metadata for each store.
    fn metadata(&self) -> Result<Vec<BTreeMap<String, String>>> {
        for store in &STORES {
            touch(store.package)?;
        }
        self.check(None)?;
        let mut all = Vec::new();
        for store in &STORES {
            let into = self.folder.join(store.package);
            std::fs::create_dir_all(&into)?;
            touch(store.package)?;
            self.check(Some(&into))?;
            let files = read(&into)?;
            if files.is_empty() {
                bail!("{}: no query was checked", store.package);
            }
            for (name, text) in &files {
                let parsed: Value = serde_json::from_str(text)?;
                if parsed["db_name"] != store.database {
                    bail!("{}: {name} is of {}", store.package, parsed["db_name"]);
                }
            }
            all.push(files);
        }
        Ok(all)
    }
}

impl Drop for Schemas<'_> {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        if let Err(error) = self.postgres.psql(None, &["-c", &sql]) {
            tell(&format!("{} stays behind: {error}", self.name));
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Writes `.sqlx` of both stores.
pub(crate) fn write() -> Result<()> {
    let postgres = Postgres::at_hand()?;
    let schemas = Schemas::make(&postgres)?;
    for (store, files) in STORES.iter().zip(schemas.metadata()?) {
        let folder = place(store);
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
    let schemas = Schemas::make(postgres)?;
    for (store, files) in STORES.iter().zip(schemas.metadata()?) {
        let kept = read(&place(store))?;
        let stale: Vec<&String> = kept
            .iter()
            .filter(|(name, text)| files.get(*name) != Some(text))
            .map(|(name, _)| name)
            .chain(files.keys().filter(|name| !kept.contains_key(*name)))
            .collect();
        if !stale.is_empty() {
            bail!(
                "{}: {} files of .sqlx are not current; run `cargo xtask sqlx`: {stale:?}",
                store.package,
                stale.len()
            );
        }
    }
    Ok(())
}

fn place(store: &Checked) -> PathBuf {
    root().join("crates").join(store.package).join(".sqlx")
}

fn migrations(package: &str) -> Result<Vec<PathBuf>> {
    let folder = root().join("crates").join(package).join("migrations");
    let mut files = std::fs::read_dir(&folder)
        .with_context(|| format!("{} has migrations", folder.display()))?
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

/// Makes cargo compile a store again: each target's first file is enough.
fn touch(package: &str) -> Result<()> {
    let home = root().join("crates").join(package);
    let mut first = vec![home.join("src/lib.rs")];
    for folder in ["tests", "examples"] {
        for entry in std::fs::read_dir(home.join(folder)).into_iter().flatten() {
            first.push(entry?.path());
        }
    }
    for file in first.iter().filter(|file| file.is_file()) {
        let opened = std::fs::File::options().append(true).open(file)?;
        opened.set_modified(std::time::SystemTime::now())?;
    }
    Ok(())
}
