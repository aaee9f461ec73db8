//! Crawls of a test server that must succeed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use testsite::Server;

use crate::run::{Finished, Run};

/// Runs `crawler` with these arguments.
#[track_caller]
pub(crate) fn crawler(args: &[&str]) -> Finished {
    run(args).finish()
}

/// A run of `crawler`. With `CRAWL_WITH_STATE` set, every crawl has a state file: the whole contract holds with it too.
pub(crate) fn run(args: &[&str]) -> Run {
    let run = Run::new(args);
    if std::env::var_os("CRAWL_WITH_STATE").is_some() && is_crawl(args) {
        return run.args([Path::new("--state"), &new_state_file()]);
    }
    run
}

fn is_crawl(args: &[&str]) -> bool {
    let others = ["scrape", "serve", "config", "completions", "man", "help"];
    let no_crawl = |arg: &&str| ["--help", "-h", "--version", "-V", "--"].contains(arg);
    args.iter().any(|arg| arg.contains("://"))
        && !args.first().is_some_and(|first| others.contains(first))
        && !args.iter().any(no_crawl)
}

fn new_state_file() -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("state-{}-{number}", std::process::id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::remove_file(&path).ok();
    path
}

/// Crawls a server from `/`.
#[track_caller]
pub(crate) fn crawl(server: &Server, flags: &[&str]) -> Finished {
    crawl_from(server, "/", flags)
}

/// Crawls a server from a path.
#[track_caller]
pub(crate) fn crawl_from(server: &Server, path: &str, flags: &[&str]) -> Finished {
    let url = server.url(path);
    crawler(&[&[url.as_str()], flags].concat()).success()
}

/// The paths that a crawl from `/` visits, sorted.
#[track_caller]
pub(crate) fn visited(server: &Server, flags: &[&str]) -> Vec<String> {
    crawl(server, flags).visited_paths(server)
}

/// The objects of a crawl from `/` in the order they are printed.
#[track_caller]
pub(crate) fn objects(server: &Server, flags: &[&str]) -> Vec<Value> {
    crawl(server, &[flags, &["--format", "ndjson"]].concat()).objects()
}

/// The object of a URL.
#[track_caller]
pub(crate) fn object<'a>(objects: &'a [Value], url: &str) -> &'a Value {
    objects
        .iter()
        .find(|object| object["url"] == url)
        .unwrap_or_else(|| panic!("no {url} in {objects:?}"))
}
