//! The contract, and what only a file can show: a writer that is killed in the middle, and several processes that open it at once.

mod conformance {
    store::conformance!(crate::ground::SqliteGround::fresh);
}
mod ground;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use futures_util::future::join_all;
use ground::SqliteGround;
use sqlx::{Connection, SqliteConnection};
use store::testing::{Ground, LEASE, crawl, done, fast, page, pages};
use store::{Checkpoint, JobFilter, JobLimits, Rescue, Store, WorkerId};
use store_sqlite::{SqliteOptions, SqliteStore};

const FILE: &str = "STORE_TEST_FILE";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_processes_may_migrate_at_once() {
    let ground = SqliteGround::fresh().await;
    let stores = join_all((0..6).map(|_| ground.open(fast()))).await;
    for store in &stores {
        store.ready().await.unwrap();
    }
}

#[tokio::test]
async fn a_schema_from_the_future_is_refused() {
    let ground = SqliteGround::fresh().await;
    ground.open(fast()).await.close().await;
    let url = format!("sqlite://{}", ground.path().display());
    let mut db = SqliteConnection::connect(&url).await.unwrap();
    sqlx::raw_sql("PRAGMA user_version = 99")
        .execute(&mut db)
        .await
        .unwrap();
    db.close().await.unwrap();
    let refused = SqliteStore::open(&ground.path(), SqliteOptions::default()).await;
    assert!(refused.is_err_and(|error| error.to_string().contains("version 99")));
}

fn open(path: &Path) -> impl Future<Output = SqliteStore> + use<> {
    let path = path.to_owned();
    let options = SqliteOptions {
        hosts: fast(),
        ..SqliteOptions::default()
    };
    async move {
        SqliteStore::open(&path, options)
            .await
            .expect("the store opens")
    }
}

/// The other process: claims and settles for ever, and tells each settlement after it was acknowledged.
#[tokio::test]
#[ignore = "run by a_writer_that_is_killed_leaves_a_whole_file, in a process of its own"]
async fn a_writer_that_never_stops() {
    let store = open(Path::new(&std::env::var(FILE).unwrap())).await;
    store.rescue(Rescue::Held { blame: false }).await.unwrap();
    let worker = WorkerId::fresh();
    loop {
        let mut tasks = store.claim(&worker, 5, LEASE).await.unwrap();
        if tasks.is_empty() {
            store
                .create_job(crawl(pages("a.test", 5), JobLimits::default()))
                .await
                .unwrap();
            tasks = store.claim(&worker, 5, LEASE).await.unwrap();
        }
        let batch: Vec<_> = tasks
            .iter()
            .map(|task| {
                let found = (0..3)
                    .map(|number| page("a.test", &format!("{}-{number}", task.lease.task.0), 1));
                done(
                    task,
                    if task.depth == 0 {
                        found.collect()
                    } else {
                        Vec::new()
                    },
                )
            })
            .collect();
        let told = store
            .checkpoint("told")
            .await
            .unwrap()
            .map_or(0, |bytes| count(&bytes));
        let told = told + batch.len() as u64;
        let checkpoint = Checkpoint {
            key: "told".to_owned(),
            bytes: told.to_be_bytes().to_vec(),
        };
        store.settle(batch, Some(checkpoint)).await.unwrap();
        writeln!(std::io::stdout(), "told {told}").unwrap();
    }
}

fn count(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(bytes.try_into().expect("eight bytes"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_writer_that_is_killed_leaves_a_whole_file() {
    let ground = SqliteGround::fresh().await;
    let mut acknowledged = 0;
    for round in 0..15_usize {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args([
                "--ignored",
                "--exact",
                "a_writer_that_never_stops",
                "--nocapture",
            ])
            .env(FILE, ground.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        let mut heard = 0;
        // Killed after a different number of settlements each time, wherever it then is.
        while heard < 3 + round * 2 {
            let line = lines.next().expect("the writer ended by itself").unwrap();
            if let Some((_, number)) = line.split_once("told ") {
                acknowledged = number.trim().parse().unwrap();
                heard += 1;
            }
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let store = open(&ground.path()).await;
        let told = count(&store.checkpoint("told").await.unwrap().unwrap());
        let (mut finished, mut documents) = (0, 0);
        let mut cursor = None;
        loop {
            let part = store.jobs(JobFilter::default(), 100, cursor).await.unwrap();
            for job in part.entries {
                assert_eq!(job.counts.done, job.documents);
                assert_eq!(
                    job.state.is_final(),
                    job.counts.queued + job.counts.processing == 0
                );
                finished += job.counts.done;
                documents += job.documents;
            }
            cursor = part.next;
            if cursor.is_none() {
                break;
            }
        }
        assert!(
            told >= acknowledged,
            "{acknowledged} were acknowledged and {told} are there"
        );
        assert_eq!(
            (finished, documents),
            (told, told),
            "the checkpoint speaks of another state"
        );
        store.close().await;
        let url = format!("sqlite://{}", ground.path().display());
        let mut db = SqliteConnection::connect(&url).await.unwrap();
        let health: String = sqlx::query_scalar("PRAGMA integrity_check")
            .fetch_one(&mut db)
            .await
            .unwrap();
        assert_eq!(health, "ok");
    }
}
