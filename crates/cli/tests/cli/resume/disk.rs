//! A full disk ends the crawl, which resumes when there is space again.

use std::time::Duration;

use testsite::{Graph, Server};

use crate::harness::small_disk::SmallDisk;
use crate::resume::records::records;
use crate::run::crawler;

#[test]
fn an_output_or_state_file_fills_the_disk() {
    for (full, ballast_kb) in [("out", 900), ("state", 968)] {
        let disk = SmallDisk::mount("1m");
        let elsewhere = tempfile::tempdir().unwrap();
        let path = |name: &str| {
            let folder = if name == full {
                disk.path()
            } else {
                elsewhere.path()
            };
            folder.join(name).to_str().unwrap().to_owned()
        };
        let (out, state) = (path("out"), path("state"));
        let graph = Graph {
            latency: Duration::from_millis(20),
            ..Graph::new(600)
        };
        let server = Server::start(graph.site());
        let ballast = disk.path().join("ballast");
        let url = server.url("/");
        let args = [
            &url,
            "--max-pages",
            "0",
            "--format",
            "ndjson",
            "-o",
            &out,
            "--state",
            &state,
        ];
        std::fs::write(&ballast, vec![b'x'; ballast_kb << 10]).unwrap();
        let ended = crawler(&args).with_code(1);
        ended.stderr_contains(&disk.path().join(full).display().to_string());
        std::fs::remove_file(&ballast).unwrap();
        crawler(&args).with_code(0);
        let written = std::fs::read_to_string(&out).unwrap();
        assert_eq!(records("ndjson", &server, &written).len(), 600, "{full}");
    }
}
