//! `sslmode` in `DATABASE_URL`, with a real server.

use std::process::Output;

use testsite::Tls;

use crate::cluster::Cluster;
use crate::harness::process::isolated_program;

/// Runs a command that opens the store.
fn list_keys(cluster: &Cluster, options: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = isolated_program(folder.path(), &["keys", "list"]);
    command.env("DATABASE_URL", format!("{}?{options}", cluster.url()));
    command.output().unwrap()
}

#[track_caller]
fn assert_connects(cluster: &Cluster, options: &str) {
    let output = list_keys(cluster, options);
    assert!(output.status.success(), "{options}: {output:?}");
}

#[track_caller]
fn assert_fails(cluster: &Cluster, options: &str, message: &str) {
    let output = list_keys(cluster, options);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{options}: {stderr}");
    assert!(stderr.contains(message), "{options}: {stderr}");
}

#[test]
fn sslmode_is_honored() {
    let cluster = Cluster::start();
    for mode in ["disable", "prefer"] {
        assert_connects(&cluster, &format!("sslmode={mode}"));
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        let message = format!("sslmode={mode}, but the server does not offer TLS");
        assert_fails(&cluster, &format!("sslmode={mode}"), &message);
    }
    assert_fails(&cluster, "sslmode=sometimes", "unknown value \"sometimes\"");

    let tls = Tls::generate().wrong_host();
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("authority.pem");
    tls.write_authority(&authority);
    let root = format!("sslrootcert={}", authority.display());
    cluster.require_tls(&tls);
    // The server accepts no connection without TLS.
    assert_fails(&cluster, "sslmode=disable", "no encryption");
    assert_connects(&cluster, "sslmode=prefer");
    assert_connects(&cluster, "sslmode=require");
    assert_connects(&cluster, "");
    let untrusted = "is not signed by a trusted authority";
    assert_fails(&cluster, "sslmode=verify-ca", untrusted);
    assert_connects(&cluster, &format!("sslmode=verify-ca&{root}"));
    let wrong_name = "is not valid for the host name in DATABASE_URL";
    assert_fails(&cluster, &format!("sslmode=verify-full&{root}"), wrong_name);
    let missing = "sslmode=verify-ca&sslrootcert=/nowhere/root.pem";
    assert_fails(&cluster, missing, "TLS");

    let valid = Tls::generate();
    valid.write_authority(&authority);
    cluster.require_tls(&valid);
    assert_connects(&cluster, &format!("sslmode=verify-full&{root}"));
    assert_fails(&cluster, "sslmode=verify-full", untrusted);
}
