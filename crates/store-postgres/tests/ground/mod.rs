//! A database of each test's own, in the cluster of `TEST_DATABASE_URL`.
//!
//! It is dropped when the test is over, failed or not; a test without a cluster fails and says what to run.

use std::str::FromStr;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection, Executor};
use store::HostDefaults;
use store::testing::Ground;
use store_postgres::{PostgresOptions, PostgresStore};

/// A fresh database.
#[derive(Debug)]
pub(crate) struct PostgresGround {
    pub(crate) name: String,
    pub(crate) url: String,
}

fn cluster() -> String {
    std::env::var("TEST_DATABASE_URL").unwrap_or_else(|_| {
        panic!(
            "these tests need Postgres: run `cargo xtask test`, which starts one, \
             or set TEST_DATABASE_URL to a cluster in which databases may be made"
        )
    })
}

async fn admin() -> PgConnection {
    let options = PgConnectOptions::from_str(&cluster()).expect("TEST_DATABASE_URL is a URL");
    PgConnection::connect_with(&options)
        .await
        .expect("the cluster of TEST_DATABASE_URL answers")
}

impl PostgresGround {
    pub(crate) async fn fresh() -> Self {
        let name = format!("store_test_{}", store::JobId::fresh().0.simple());
        let mut admin = admin().await;
        let sql = AssertSqlSafe(format!("CREATE DATABASE {name}"));
        admin.execute(sql).await.expect("a database is made");
        let url = cluster();
        let (before, after) = url.rsplit_once('/').expect("a URL with a path");
        let query = after.find('?').map_or("", |at| &after[at..]);
        Self {
            url: format!("{before}/{name}{query}"),
            name,
        }
    }

    pub(crate) async fn open_with(&self, options: PostgresOptions) -> PostgresStore {
        PostgresStore::open(&self.url, options)
            .await
            .expect("the store opens")
    }

    /// A connection past the store, for what only a test may do.
    pub(crate) async fn connect(&self) -> PgConnection {
        PgConnection::connect(&self.url)
            .await
            .expect("a connection")
    }
}

impl Ground for PostgresGround {
    type Store = PostgresStore;

    async fn open(&self, hosts: HostDefaults) -> PostgresStore {
        let options = PostgresOptions {
            connections: 2,
            hosts,
            ..PostgresOptions::default()
        };
        self.open_with(options).await
    }
}

impl Drop for PostgresGround {
    fn drop(&mut self) {
        let name = self.name.clone();
        // The test's runtime may be on its way out: a thread with one of its own drops the database.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let sql = AssertSqlSafe(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
                admin().await.execute(sql).await.map(drop)
            })
        });
        let _ = dropped.join();
    }
}
