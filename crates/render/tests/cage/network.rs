//! A network of the test's own.

use std::process::Command;

/// Set in the child: the test runs in a network of its own.
const INSIDE: &str = "CAGE_NETWORK";
/// What it has besides loopback: the metadata service of clouds, and a card with private addresses and a way out, without
/// which WebRTC would not even try.
const ADDRESSES: &str = "ip link set lo up && ip addr add 169.254.169.254/32 dev lo \
    && ip link add card type veth peer name end && ip link set card up && ip link set end up \
    && ip addr add 10.0.0.5/24 dev card && ip route add default dev card \
    && ip -6 addr add fd00::5/64 dev card nodad && ip -6 route add default dev card \
    && { sed -n 's/^nameserver //p' /etc/resolv.conf | while read -r server; do ip addr add $server dev lo; done; true; }";

/// Where canaries are: what may never be dialled.
pub(crate) fn refused_addresses() -> Vec<&'static str> {
    let mut addresses = vec!["127.0.0.1", "::1"];
    if std::env::var_os(INSIDE).is_some() {
        addresses.extend(["169.254.169.254", "10.0.0.5", "fd00::5"]);
    }
    addresses
}

/// Where this machine asks for names; in a network of its own they are addresses of the test's.
pub(crate) fn name_servers() -> Vec<String> {
    if std::env::var_os(INSIDE).is_none() {
        return Vec::new();
    }
    let settings = std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    let servers = settings
        .lines()
        .filter_map(|line| line.strip_prefix("nameserver "));
    servers.map(|server| server.trim().to_owned()).collect()
}

/// Runs the calling test once more, in a process whose network is its own, and tells whether that was done. Without the
/// right to make one, the test goes on with what addresses there are, and says so.
pub(crate) fn ran_in_own() -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return false;
    }
    let may = Command::new("unshare")
        .args(["--net", "sh", "-c", ADDRESSES])
        .output()
        .is_ok_and(|output| output.status.success());
    if !may {
        eprintln!(
            "NO NETWORK OF ITS OWN (unshare --net and ip need root): link-local and private addresses are not tried"
        );
        return false;
    }
    let name = std::thread::current().name().unwrap().to_owned();
    let status = Command::new("unshare")
        .args(["--net", "sh", "-c"])
        .arg(format!("{ADDRESSES} && exec \"$@\""))
        .arg("sh")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &name, "--nocapture"])
        .env(INSIDE, "1")
        .status()
        .unwrap();
    assert!(status.success(), "in a network of its own: {status}");
    true
}
