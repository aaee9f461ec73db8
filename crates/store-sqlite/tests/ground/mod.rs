//! A file of each test's own.

use std::path::PathBuf;

use store::HostDefaults;
use store::testing::Ground;
use store_sqlite::{SqliteOptions, SqliteStore};
use tempfile::TempDir;

/// A fresh folder for a file.
#[derive(Debug)]
pub(crate) struct SqliteGround {
    pub(crate) folder: TempDir,
}

impl SqliteGround {
    #[expect(clippy::unused_async, reason = "as the other grounds are made")]
    pub(crate) async fn fresh() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("store.db")
    }
}

impl Ground for SqliteGround {
    type Store = SqliteStore;

    async fn open(&self, hosts: HostDefaults) -> SqliteStore {
        let options = SqliteOptions {
            hosts,
            patience: std::time::Duration::from_mins(1),
            ..SqliteOptions::default()
        };
        SqliteStore::open(&self.path(), options)
            .await
            .expect("the store opens")
    }
}
