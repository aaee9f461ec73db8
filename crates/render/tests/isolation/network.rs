//! Runs a test in its own network namespace.

use std::process::Command;

/// Set in the child process, which runs in its own network namespace.
const IN_OWN_NETWORK: &str = "ISOLATION_NETWORK";
/// Sets up the namespace: the address of cloud metadata services, and an interface with private addresses and a default
/// route, without which WebRTC would not try anything.
const NETWORK_SETUP: &str = "ip link set lo up && ip addr add 169.254.169.254/32 dev lo \
    && ip link add card type veth peer name end && ip link set card up && ip link set end up \
    && ip addr add 10.0.0.5/24 dev card && ip route add default dev card \
    && ip -6 addr add fd00::5/64 dev card nodad && ip -6 route add default dev card \
    && { sed -n 's/^nameserver //p' /etc/resolv.conf | while read -r server; do ip addr add $server dev lo; done; true; }";

/// Returns the addresses of the canaries, which must never be dialed.
pub(crate) fn refused_addresses() -> Vec<&'static str> {
    let mut addresses = vec!["127.0.0.1", "::1"];
    if std::env::var_os(IN_OWN_NETWORK).is_some() {
        addresses.extend(["169.254.169.254", "10.0.0.5", "fd00::5"]);
    }
    addresses
}

/// Returns the configured name servers, whose addresses belong to the test in its own namespace.
pub(crate) fn name_servers() -> Vec<String> {
    if std::env::var_os(IN_OWN_NETWORK).is_none() {
        return Vec::new();
    }
    let settings = std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    let servers = settings
        .lines()
        .filter_map(|line| line.strip_prefix("nameserver "));
    servers.map(|server| server.trim().to_owned()).collect()
}

/// Reruns the calling test in a child process with its own network namespace. Returns false if that is not permitted;
/// the test then continues with the available addresses.
pub(crate) fn reran_in_own_network() -> bool {
    if std::env::var_os(IN_OWN_NETWORK).is_some() {
        return false;
    }
    let permitted = Command::new("unshare")
        .args(["--net", "sh", "-c", NETWORK_SETUP])
        .output()
        .is_ok_and(|output| output.status.success());
    if !permitted {
        eprintln!(
            "NO NETWORK NAMESPACE (unshare --net and ip need root): link-local and private addresses are not tried"
        );
        return false;
    }
    let name = std::thread::current().name().unwrap().to_owned();
    let status = Command::new("unshare")
        .args(["--net", "sh", "-c"])
        .arg(format!("{NETWORK_SETUP} && exec \"$@\""))
        .arg("sh")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &name, "--nocapture"])
        .env(IN_OWN_NETWORK, "1")
        .status()
        .unwrap();
    assert!(status.success(), "in its own network namespace: {status}");
    true
}
