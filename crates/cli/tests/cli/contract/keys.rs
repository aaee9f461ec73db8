//! `keys`: creating, listing and revoking API keys.

use std::path::Path;

use crate::api::{ANY_PORT, Api, isolated_run};
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::run::Finished;

fn keys(folder: &Path, args: &[&str]) -> Finished {
    isolated_run(folder, &[&["keys"], args].concat()).finish()
}

fn status(service: &Api, key: &str) -> u16 {
    let request = format!(
        "GET /v1/jobs HTTP/1.0\r\nhost: crawler.example\r\nauthorization: Bearer {key}\r\n\r\n"
    );
    service.send(&request).0
}

#[test]
fn a_key_is_accepted_until_it_is_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let serve_args = [&["serve"][..], &ANY_PORT].concat();
    let added = keys(folder.path(), &["add", "alice"]).success();
    added.stderr_contains("note: created the store");
    let key = added.stdout.trim();
    assert!(key.len() >= 64, "{key}");
    let service = Api::start(folder.path(), &serve_args);
    assert_eq!(service.get("/v1/jobs").0, 401);
    assert_eq!(status(&service, key), 200);
    // Created while the service runs, and rejected as soon as it is revoked.
    let second = keys(folder.path(), &["add", "bob"]).success().stdout;
    assert_eq!(status(&service, second.trim()), 200);
    let revoked = keys(folder.path(), &["revoke", "bob"]).success();
    assert!(revoked.stdout.contains("bob"), "{}", revoked.stdout);
    assert_eq!(status(&service, second.trim()), 401);
    assert_eq!(status(&service, key), 200);
    let list = keys(folder.path(), &["list"]).success().stdout;
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 3, "{list}");
    assert!(lines[0].starts_with("id\tname\trole\t"), "{list}");
    assert!(
        lines[1].contains("\talice\t") && lines[1].ends_with("\t-\tactive\t-"),
        "{list}"
    );
    assert!(
        lines[2].contains("\tbob\t") && lines[2].ends_with("Z\trevoked\t-"),
        "{list}"
    );
    assert!(!list.contains(key) && !list.contains(second.trim()));
    assert_eq!(service.terminate(), Some(0));
    // Only its hash is stored.
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let found = bytes.windows(key.len()).any(|part| part == key.as_bytes());
        assert!(!found, "the key is in the store");
    }
}

#[test]
fn with_a_key_in_the_store_the_service_may_listen_on_any_address() {
    let folder = tempfile::tempdir().unwrap();
    let serve_args = ["serve", "--addr", "0.0.0.0:0", "--log-format", "json"];
    let key = keys(folder.path(), &["add", "alice"]).success().stdout;
    let service = Api::start(folder.path(), &serve_args);
    assert_eq!(service.get("/v1/jobs").0, 401);
    assert_eq!(status(&service, key.trim()), 200);
}

/// Returns the keys that a service printed.
fn printed_keys(service: &Api) -> Vec<String> {
    let log = service.log();
    let words = log.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words
        .filter(|word| word.starts_with("crawler_") && word.len() > 60)
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_first_start_on_an_address_of_the_network_creates_one_key_and_prints_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "serve",
        "--mode",
        "api",
        "--addr",
        "0.0.0.0:0",
        "--log-format",
        "json",
    ];
    // Several processes start at once.
    let services: Vec<Api> = std::thread::scope(|scope| {
        let starting: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| Api::start(folder.path(), &args)))
            .collect();
        starting
            .into_iter()
            .map(|one| one.join().unwrap())
            .collect()
    });
    let printed: Vec<String> = services.iter().flat_map(printed_keys).collect();
    let [key] = &printed[..] else {
        panic!("not one key: {printed:?}")
    };
    for service in &services {
        assert_eq!(service.get("/v1/jobs").0, 401);
        assert_eq!(status(service, key), 200);
        // It is not part of a log entry.
        let entries = service.log();
        let is_entry = |line: &&str| line.starts_with('{') && line.contains(key.as_str());
        assert_eq!(entries.lines().find(is_entry), None);
    }
    let list = keys(folder.path(), &["list"]).success().stdout;
    assert_eq!(list.lines().count(), 2, "{list}");
    assert!(list.contains("\tadmin\t") && !list.contains(key), "{list}");
    for service in services {
        assert_eq!(service.terminate(), Some(0));
    }
    let again = Api::start(folder.path(), &args);
    assert_eq!(printed_keys(&again), [""; 0]);
    assert_eq!(status(&again, key), 200);
    assert_eq!(again.terminate(), Some(0));
    // No second first key: whoever revoked the only one wanted that.
    keys(folder.path(), &["revoke", "admin"]).success();
    let refused = isolated_run(folder.path(), &args).finish();
    refused.with_code(2).stderr_contains("no valid API key");
}

#[cfg(unix)]
#[test]
fn the_store_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let mode = |name: &str| {
        let found = std::fs::metadata(folder.path().join(name)).unwrap();
        found.permissions().mode() & 0o777
    };
    let args = [&["serve"][..], &ANY_PORT].concat();
    let service = Api::start(folder.path(), &args);
    for name in ["crawler.db", "crawler.db-wal", "crawler.db-shm"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    assert!(!service.log().contains("chmod"), "{}", service.log());
    assert_eq!(service.terminate(), Some(0));
    // An existing file keeps its mode.
    let file = folder.path().join("crawler.db");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let service = Api::start(folder.path(), &args);
    assert_eq!(mode("crawler.db"), 0o644);
    assert!(service.log().contains("chmod 600"), "{}", service.log());
}

#[test]
fn errors_name_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    keys(folder.path(), &["add", "alice"]).success();
    for (args, code, expected) in [
        (
            &["add", "alice"][..],
            1,
            "a key named \"alice\" already exists",
        ),
        (&["add", ""], 1, "1 to 100 characters"),
        (&["add", "a\nb"], 1, "1 to 100 characters"),
        (&["revoke", "nobody"], 1, "no key \"nobody\""),
        (&["revoke"], 2, "KEY"),
        (&["sell"], 2, "sell"),
        (
            &["list", "--store", "/nowhere/at/all.db"],
            1,
            "no store at /nowhere/at/all.db",
        ),
        (
            &["add", "bob", "--store", "/nowhere/at/all.db"],
            1,
            "cannot open store.path",
        ),
    ] {
        let failed = keys(folder.path(), args).with_code(code);
        failed.stderr_contains(expected);
        assert_eq!(failed.stdout, "");
    }
    keys(folder.path(), &["revoke", "alice"]).success();
    let failed = keys(folder.path(), &["revoke", "alice"]).with_code(1);
    failed.stderr_contains("is already revoked");
    // A revoked key cannot be rotated.
    let failed = keys(folder.path(), &["add", "alice"]).with_code(1);
    failed.stderr_contains("\"alice\" was revoked, and its name cannot be reused");
    assert!(!failed.stderr.contains("rotate"), "{}", failed.stderr);
}

#[test]
fn a_rotated_key_keeps_its_name_expiry_and_quota() {
    let folder = tempfile::tempdir().unwrap();
    let add = ["add", "alice", "--quota", "open_jobs=3", "--expires", "90d"];
    let first = keys(folder.path(), &add).success().stdout;
    let serve_args = [&["serve"][..], &ANY_PORT].concat();
    let service = Api::start(folder.path(), &serve_args);
    assert_eq!(status(&service, first.trim()), 200);
    let second = keys(folder.path(), &["rotate", "alice"]).success().stdout;
    assert_eq!(status(&service, first.trim()), 401);
    wait_until("the refusal is logged", TIMEOUT, || {
        service.log().lines().any(|line| {
            line.contains("refused an API key")
                && line.contains(r#""owner":"alice","reason":"replaced""#)
        })
    });
    assert!(!service.log().contains(first.trim()));
    assert_eq!(status(&service, second.trim()), 200);
    let rotate = ["rotate", "alice", "--grace", "1h"];
    let third = keys(folder.path(), &rotate).success().stdout;
    assert_eq!(status(&service, second.trim()), 200);
    assert_eq!(status(&service, third.trim()), 200);
    keys(folder.path(), &["add", "root", "--admin"]).success();
    let list = keys(folder.path(), &["list"]).success().stdout;
    let columns: Vec<Vec<&str>> = list
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let [header, alice, root] = &columns[..] else {
        panic!("{list}")
    };
    assert_eq!(header[8..], ["state", "old_secret_until"]);
    assert_eq!(alice[1..3], ["alice", "user"]);
    assert!(alice[4].ends_with('Z'), "it expires: {list}");
    assert_eq!(alice[6..9], ["open_jobs=3", "-", "active"]);
    // The end of the grace period.
    assert!(alice[9] > alice[3] && alice[9].ends_with('Z'), "{list}");
    assert_eq!(root[1..3], ["root", "admin"]);
    assert_eq!(root[4..], ["-", "-", "-", "-", "active", "-"]);
    service.terminate();
}

#[test]
fn an_invalid_key_is_not_added() {
    let folder = tempfile::tempdir().unwrap();
    for (args, message) in [
        (&["add", "local"][..], "the key name \"local\" is reserved"),
        (&["add", "config-00000000"], "is reserved"),
        (&["add", " "], "1 to 100 characters"),
        (
            &["add", "a", "--quota", "jobs=1"],
            "there is no quota \"jobs\"",
        ),
        (
            &["add", "a", "--quota", "open_jobs=x"],
            "open_jobs: \"x\" is not a whole number",
        ),
        (
            &["set", "nobody", "--quota", "open_jobs=1"],
            "no key \"nobody\"",
        ),
        (&["set", "nobody"], "--quota"),
        (&["rotate", "nobody"], "no key \"nobody\""),
        (&["add", "a", "--expires", "0s"], "from 1s to 3650d"),
        (&["add", "a", "--expires", "9e99d"], "from 1s to 3650d"),
        (
            &["add", "a", "--expires", "99999999999d"],
            "from 1s to 3650d",
        ),
        (&["rotate", "a", "--expires", "0s"], "from 1s to 3650d"),
        (&["rotate", "a", "--grace", "31d"], "from 0s to 30d"),
    ] {
        // The store exists from the first attempt on.
        let failed = keys(folder.path(), args);
        failed.stderr_contains(message);
        assert_ne!(failed.code, Some(0), "{args:?}");
    }
}

/// What is set later is added to what was set before, and applies to the next request.
#[test]
fn the_quota_of_a_key_can_be_changed() {
    let folder = tempfile::tempdir().unwrap();
    let add = ["add", "alice", "--quota", "open_jobs=3"];
    let secret = keys(folder.path(), &add).success().stdout;
    let serve_args = [&["serve"][..], &ANY_PORT].concat();
    let service = Api::start(folder.path(), &serve_args);
    let limit_of = |name: &str| {
        let request = format!(
            "GET /v1/usage HTTP/1.0\r\nhost: crawler.example\r\nauthorization: Bearer {}\r\n\r\n",
            secret.trim()
        );
        let (status, body) = service.send(&request);
        assert_eq!(status, 200, "{body}");
        let usage: serde_json::Value = serde_json::from_str(&body).unwrap();
        let quotas = usage["quotas"].as_array().unwrap().clone();
        let quota = quotas.into_iter().find(|quota| quota["name"] == name);
        quota.unwrap()["limit"].clone()
    };
    assert_eq!(limit_of("open_jobs"), 3);
    assert_eq!(limit_of("event_streams"), 256, "as configured");
    let change = [
        "set",
        "alice",
        "--quota",
        "open_jobs=0",
        "--quota",
        "event_streams=2",
    ];
    let printed = keys(folder.path(), &change).success().stdout;
    assert!(
        printed.contains("\topen_jobs=0 event_streams=2\t"),
        "{printed}"
    );
    assert_eq!(limit_of("open_jobs"), serde_json::Value::Null, "no limit");
    assert_eq!(limit_of("event_streams"), 2);
    let change = ["set", "alice", "--quota", "stored_bytes=10GB"];
    keys(folder.path(), &change).success();
    assert_eq!(limit_of("stored_bytes"), 10_000_000_000_u64);
    assert_eq!(limit_of("weight"), 1);
    let change = ["set", "alice", "--quota", "open_jobs=default"];
    keys(folder.path(), &change).success();
    assert_eq!(limit_of("open_jobs"), 1_000);
    keys(folder.path(), &["revoke", "alice"]).success();
    let failed = keys(folder.path(), &change).with_code(1);
    failed.stderr_contains("is revoked");
    service.terminate();
}

#[test]
fn an_expired_key_is_marked_and_can_be_renewed() {
    let folder = tempfile::tempdir().unwrap();
    keys(folder.path(), &["add", "guest", "--expires", "1s"]).success();
    let state = || {
        let list = keys(folder.path(), &["list"]).success().stdout;
        let line = list.lines().nth(1).unwrap().to_owned();
        line.split('\t').nth(8).unwrap().to_owned()
    };
    wait_until("the key has expired", TIMEOUT, || state() == "expired");
    keys(folder.path(), &["rotate", "guest", "--expires", "1d"]).success();
    assert_eq!(state(), "active");
}
