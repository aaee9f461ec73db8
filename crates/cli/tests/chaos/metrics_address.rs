//! Workers of one machine that share a configuration, and so the address of their metrics.

use std::net::TcpListener;

use crate::cluster::Cluster;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::rounds::CONFIG;
use crate::{client, process};

#[test]
fn a_worker_whose_metrics_address_is_in_use_works_and_serves_them_later() {
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let addr = free.local_addr().unwrap().to_string();
    drop(free);
    let folder = tempfile::tempdir().unwrap();
    let config = CONFIG.replace("worker:", &format!("worker:\n  metrics_addr: {addr}"));
    std::fs::write(folder.path().join("config.yaml"), config).unwrap();
    let cluster = Cluster::start();
    let url = cluster.url();
    let start = || process::start_ready(folder.path(), "worker", Some(&url));
    let mut first = start();
    first.wait_for_log("serving metrics");
    let mut second = start();
    let log = second.log();
    assert!(
        log.contains("WARN") && log.contains("worker.metrics_addr is in use"),
        "{log}"
    );
    first.kill();
    second.wait_for_log("serving metrics");
    wait_until("its metrics are served", TIMEOUT, || {
        let response = client::get(&addr, "/metrics");
        response.is_ok_and(|(status, body)| status == 200 && body.contains("crawler_worker_"))
    });
    assert!(second.is_running(), "{}", second.log());
}
