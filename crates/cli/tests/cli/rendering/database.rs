//! A separate Postgres database for one test, in the cluster of `TEST_DATABASE_URL`.

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

pub(crate) struct Database {
    cluster: String,
    name: String,
}

impl Database {
    pub(crate) fn fresh() -> Self {
        let cluster = std::env::var("TEST_DATABASE_URL").unwrap_or_else(|_| {
            panic!("run `cargo xtask test`, which starts a Postgres, or set TEST_DATABASE_URL")
        });
        let name = format!(
            "rendering_test_{}",
            crawler_store::JobId::fresh().0.simple()
        );
        let database = Self { cluster, name };
        database.execute("CREATE");
        database
    }

    pub(crate) fn url(&self) -> String {
        let (before, after) = self.cluster.rsplit_once('/').unwrap();
        let query = after.find('?').map_or("", |at| &after[at..]);
        format!("{before}/{}{query}", self.name)
    }

    fn execute(&self, verb: &str) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let force = if verb == "DROP" { " WITH (FORCE)" } else { "" };
        runtime.block_on(async {
            let mut admin = PgConnection::connect(&self.cluster).await.unwrap();
            let sql = format!("{verb} DATABASE {}{force}", self.name);
            admin.execute(AssertSqlSafe(sql)).await.unwrap();
        });
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.execute("DROP");
        }
    }
}
