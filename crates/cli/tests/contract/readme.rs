//! The README's lines about the service, run through bash as they are printed.
//!
//! Three things are replaced, because a test has neither the internet nor the usual port to itself: the site
//! (`https://example.org`), the port (`localhost:8080`) and the database's URL. `egress.allow` lets the service reach the
//! stand-in. Everything else is word for word.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use testsite::{Answer, Pages, Server};

use crate::run::finish;

const PATIENCE: Duration = Duration::from_mins(2);

/// The blocks of shell in the section about the service.
fn blocks() -> Vec<String> {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let section = readme.split("\n## As a service\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let blocks = section.split("```sh\n").skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap().to_owned())
        .collect()
}

fn site() -> Server {
    Server::start(
        Pages::new()
            .html(
                "/",
                "<title>Example Domain</title><h1>Example Domain</h1><p>Words enough to be read by somebody who came for \
                 them.</p><a href='/about'>about</a><a href='/gone'>gone</a>",
            )
            .html("/about", "<title>About</title><p>About this site, in a few words.")
            .page("/gone", Answer::status(404)),
    )
}

/// Runs the blocks; what they printed.
fn run(folder: &Path, blocks: &[&str], database: Option<&str>) -> String {
    let site = site();
    let port = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap().port()
    };
    let config = "egress:\n  allow: [127.0.0.1]\nworker:\n  per_host_rps: 0\n";
    std::fs::write(folder.join("config.yaml"), config).unwrap();
    let mut script = blocks.concat();
    assert!(script.contains("https://example.org") && script.contains("localhost:8080"));
    script = script
        .replace("https://example.org", &site.origin())
        .replace("localhost:8080", &format!("127.0.0.1:{port}"))
        .replace(
            "postgres://crawler:secret@localhost/crawler",
            database.unwrap_or("none is given"),
        );
    script = format!("trap 'kill $(jobs -p); wait' EXIT\n{script}");
    let program = Path::new(env!("CARGO_BIN_EXE_crawler")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("bash");
    command
        .args(["-e", "-o", "pipefail", "-c", &script])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", program.display()))
        .env("HTTP_ADDR", format!("127.0.0.1:{port}"))
        .env("RUST_LOG", "warn")
        .env_remove("DATABASE_URL")
        .stdin(Stdio::null());
    let ended = finish(command, PATIENCE);
    assert_eq!(ended.code, Some(0), "{}\n{}", ended.out, ended.err);
    ended.out
}

/// What the lines of the four jobs must have printed.
fn check(folder: &Path, printed: &str) {
    for words in [
        "\"title\":\"Example Domain\"",
        "event: page",
        "event: progress",
        "event: finished",
        "\"status\":\"completed\"",
        "\"type\":\"batch_scrape\"",
        "\"type\":\"crawl\"",
        "\"type\":\"map\"",
        "About this site, in a few words.",
        "\"target_url\":",
        "\"reason\":\"dead_link\"",
        "job_is_final",
    ] {
        assert!(printed.contains(words), "{words}:\n{printed}");
    }
    let pages = std::fs::read_to_string(folder.join("pages.ndjson")).unwrap();
    let mut urls: Vec<String> = pages
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|page| page["final_url"].as_str().unwrap().to_owned())
        .collect();
    urls.sort();
    assert_eq!(urls.len(), 2, "{urls:?}");
    assert!(urls[1].ends_with("/about"), "{urls:?}");
}

#[test]
fn the_four_jobs_work_as_printed_on_a_machine_with_no_database() {
    let blocks = blocks();
    let folder = tempfile::tempdir().unwrap();
    let printed = run(folder.path(), &[&blocks[0], &blocks[1]], None);
    check(folder.path(), &printed);
    assert!(folder.path().join("crawler.db").exists());
}

#[test]
fn the_same_lines_work_with_a_database_and_three_workers() {
    let blocks = blocks();
    assert!(blocks[2].contains("for n in 1 2 3"), "{}", blocks[2]);
    let cluster = std::env::var("TEST_DATABASE_URL").unwrap_or_else(|_| {
        panic!("run `cargo xtask test`, which starts a Postgres, or set TEST_DATABASE_URL")
    });
    let name = format!("readme_{}", std::process::id());
    let (before, after) = cluster.rsplit_once('/').unwrap();
    let query = after.find('?').map_or("", |at| &after[at..]);
    let url = format!("{before}/{name}{query}");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let ask = |sql: String| {
        runtime.block_on(async {
            let mut admin = PgConnection::connect(&cluster).await.unwrap();
            admin.execute(AssertSqlSafe(sql)).await.unwrap();
        });
    };
    ask(format!("CREATE DATABASE {name}"));
    let folder = tempfile::tempdir().unwrap();
    let printed = run(folder.path(), &[&blocks[2], &blocks[1]], Some(&url));
    ask(format!("DROP DATABASE {name} WITH (FORCE)"));
    check(folder.path(), &printed);
    assert!(!folder.path().join("crawler.db").exists());
}
