//! Runs a test in its own network namespace.

use std::process::Command;

/// Set in the child process, which runs in its own network namespace.
const IN_OWN_NETWORK: &str = "ISOLATION_NETWORK";
/// Runs its arguments in such a namespace. `cargo xtask test` runs it too, to find out whether it can.
const NETWORK_SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/isolation/network.sh");

/// Addresses of the canaries, which must never be dialed. `network.sh` adds all but the first two.
pub(crate) const REFUSED_ADDRESSES: [&str; 5] =
    ["127.0.0.1", "::1", "169.254.169.254", "10.0.0.5", "fd00::5"];

/// Returns the configured name servers, whose addresses belong to the test in its own namespace.
pub(crate) fn name_servers() -> Vec<String> {
    let settings = std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    let servers = settings
        .lines()
        .filter_map(|line| line.strip_prefix("nameserver "));
    servers.map(|server| server.trim().to_owned()).collect()
}

/// Reruns the calling test in a child process with its own network namespace. Returns false in that process, where the test
/// is to continue.
pub(crate) fn reran_in_own_network() -> bool {
    if std::env::var_os(IN_OWN_NETWORK).is_some() {
        return false;
    }
    let in_own_network = || {
        let mut command = Command::new("sh");
        command.arg(NETWORK_SCRIPT);
        command
    };
    let permitted = in_own_network().arg("true").output().unwrap();
    assert!(
        permitted.status.success(),
        "cannot create a network namespace, which needs root, unshare and ip; `cargo xtask test` leaves out such tests: {}",
        String::from_utf8_lossy(&permitted.stderr)
    );
    let name = std::thread::current().name().unwrap().to_owned();
    let status = in_own_network()
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &name, "--nocapture"])
        .env(IN_OWN_NETWORK, "1")
        .status()
        .unwrap();
    assert!(status.success(), "in its own network namespace: {status}");
    true
}
