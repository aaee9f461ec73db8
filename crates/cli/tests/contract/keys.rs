//! `keys`: an operator's way to let callers in, and out again.

use std::path::Path;
use std::process::Command;

use crate::serve::{HERE, Service};

fn keys(folder: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_crawler"))
        .arg("keys")
        .args(words)
        .current_dir(folder)
        .env_clear()
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn status(service: &Service, key: &str) -> u16 {
    let request = format!(
        "GET /v1/jobs HTTP/1.0\r\nhost: crawler.example\r\nauthorization: Bearer {key}\r\n\r\n"
    );
    service.call(&request).0
}

#[test]
fn a_key_lets_a_caller_in_until_it_is_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let words = [&["serve"][..], &HERE].concat();
    let (code, key, _) = keys(folder.path(), &["add", "alice"]);
    assert_eq!(code, Some(0));
    let key = key.trim();
    assert!(key.len() >= 64, "{key}");
    let service = Service::start(folder.path(), &words);
    assert_eq!(service.get("/v1/jobs").0, 401);
    assert_eq!(status(&service, key), 200);
    // Made while it runs, and refused as soon as it is revoked.
    let (_, second, _) = keys(folder.path(), &["add", "bob"]);
    assert_eq!(status(&service, second.trim()), 200);
    let (code, told, _) = keys(folder.path(), &["revoke", "bob"]);
    assert_eq!((code, told.contains("bob")), (Some(0), true), "{told}");
    assert_eq!(status(&service, second.trim()), 401);
    assert_eq!(status(&service, key), 200);
    let (_, list, _) = keys(folder.path(), &["list"]);
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 2, "{list}");
    assert!(
        lines[0].contains("\talice\t") && lines[0].ends_with("\t-"),
        "{list}"
    );
    assert!(
        lines[1].contains("\tbob\t") && lines[1].ends_with('Z'),
        "{list}"
    );
    assert!(!list.contains(key) && !list.contains(second.trim()));
    assert_eq!(service.terminate(), Some(0));
    // Only its hash is kept.
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let found = bytes.windows(key.len()).any(|part| part == key.as_bytes());
        assert!(!found, "the key is in the store");
    }
}

#[test]
fn with_a_key_of_the_store_the_service_may_listen_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["serve", "--addr", "0.0.0.0:0", "--log-format", "json"];
    let (_, key, _) = keys(folder.path(), &["add", "alice"]);
    let service = Service::start(folder.path(), &words);
    assert_eq!(service.get("/v1/jobs").0, 401);
    assert_eq!(status(&service, key.trim()), 200);
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(keys(folder.path(), &["add", "alice"]).0, Some(0));
    for (words, code, told) in [
        (&["add", "alice"][..], 1, "there is a key \"alice\" already"),
        (&["add", ""], 1, "1 to 100 characters"),
        (&["add", "a\nb"], 1, "1 to 100 characters"),
        (&["revoke", "nobody"], 1, "there is no key \"nobody\""),
        (&["revoke"], 2, "KEY"),
        (&["sell"], 2, "sell"),
        (
            &["list", "--store", "/nowhere/at/all.db"],
            1,
            "there is no store at /nowhere/at/all.db",
        ),
        (
            &["add", "bob", "--store", "/nowhere/at/all.db"],
            1,
            "cannot open store.path",
        ),
    ] {
        let (ended, out, err) = keys(folder.path(), words);
        assert_eq!(ended, Some(code), "{words:?}: {err}");
        assert!(err.contains(told), "{words:?}: {err}");
        assert_eq!(out, "");
    }
    assert_eq!(keys(folder.path(), &["revoke", "alice"]).0, Some(0));
    let (ended, _, err) = keys(folder.path(), &["revoke", "alice"]);
    assert_eq!(ended, Some(1));
    assert!(err.contains("was revoked before"), "{err}");
}
