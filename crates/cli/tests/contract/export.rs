//! A long export: the built binary streams it, and does not hold it.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;

use store::testing::{LEASE, fast, pages};
use store::{
    JobId, JobKind, JobLimits, NewJob, NewMappedUrl, Settlement, Store, Verdict, WorkerId,
};
use store_sqlite::{SqliteOptions, SqliteStore};

use crate::serve::{HERE, Service};

const PAGES: usize = 50;
const LINKS_OF_EACH: usize = 1_000;
/// Of one link: all of them together are many times what the process may grow by.
const LINK_BYTES: usize = 1_000;
const MOST_GROWTH: u64 = 20 << 20;

fn link(number: usize) -> String {
    let url = format!("https://a.test/{number}/");
    format!("{url:x<LINK_BYTES$}")
}

/// A map job of fifty thousand links, as a worker would have left it.
async fn filled(file: &Path) -> JobId {
    let options = SqliteOptions {
        hosts: fast(),
        ..SqliteOptions::default()
    };
    let store = SqliteStore::open(file, options).await.unwrap();
    let job = NewJob {
        id: JobId::fresh(),
        kind: JobKind::Map,
        params: serde_json::json!({"url": "https://a.test/"}),
        limits: JobLimits::default(),
        seeds: pages("a.test", PAGES),
    };
    store.create_job(job.clone()).await.unwrap();
    let tasks = store.claim(&WorkerId::fresh(), PAGES, LEASE).await.unwrap();
    for (place, task) in tasks.iter().enumerate() {
        let mapped = (0..LINKS_OF_EACH)
            .map(|number| NewMappedUrl {
                source_url: task.url.clone(),
                target_url: link(place * LINKS_OF_EACH + number),
                depth: 1,
            })
            .collect();
        let settlement = Settlement {
            lease: task.lease,
            job: job.id,
            verdict: Verdict::Done {
                document: None,
                mapped,
                bytes: 0,
            },
            found: Vec::new(),
        };
        store.settle(vec![settlement], None).await.unwrap();
    }
    store.close().await;
    job.id
}

/// Bytes of memory a process has now.
fn resident(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    kilobytes * 1_024
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "a process's memory is read from /proc"
)]
fn fifty_megabytes_are_streamed_and_not_held() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let job = runtime.block_on(filled(&folder.path().join("crawler.db")));
    let service = Service::start(folder.path(), &[&["serve"][..], &HERE].concat());
    // What the first look at a table costs is not the export's.
    let (status, _) = service.get(&format!("/v1/jobs/{job}/map?limit=10"));
    assert_eq!(status, 200);
    let before = resident(service.id());
    let mut stream = TcpStream::connect(service.addr()).unwrap();
    write!(
        stream,
        "GET /v1/jobs/{job}/export?type=map HTTP/1.0\r\nhost: localhost\r\n\r\n"
    )
    .unwrap();
    let mut peak = before;
    let mut rows = 0;
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        if !line.starts_with('{') {
            continue;
        }
        assert!(
            line.contains(&format!("\"https://a.test/{rows}/x")),
            "{line}"
        );
        rows += 1;
        if rows % 500 == 0 {
            peak = peak.max(resident(service.id()));
        }
    }
    assert_eq!(rows, PAGES * LINKS_OF_EACH);
    let grown = peak - before;
    assert!(
        grown < MOST_GROWTH,
        "memory grew by {grown} bytes, from {before}"
    );
    assert_eq!(service.terminate(), Some(0));
}
