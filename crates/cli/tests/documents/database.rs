//! A separate database for one test.

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

/// Calls `work` with the URL of a new database, and drops it.
pub(crate) fn with(work: impl FnOnce(&str)) {
    let cluster = std::env::var("TEST_DATABASE_URL").unwrap_or_else(|_| {
        panic!("run `cargo xtask test`, which starts a Postgres, or set TEST_DATABASE_URL")
    });
    let name = format!("documents_{}", std::process::id());
    let (before, after) = cluster.rsplit_once('/').unwrap();
    let query = after.find('?').map_or("", |at| &after[at..]);
    execute(&cluster, format!("CREATE DATABASE {name}"));
    work(&format!("{before}/{name}{query}"));
    execute(&cluster, format!("DROP DATABASE {name} WITH (FORCE)"));
}

fn execute(cluster: &str, sql: String) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut admin = PgConnection::connect(cluster).await.unwrap();
        admin.execute(AssertSqlSafe(sql)).await.unwrap();
    });
}
