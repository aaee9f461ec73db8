//! Tests that measure memory or time run alone, the others together. The lock is a file, because some test runners give every
//! test its own process.

use std::fs::File;
use std::path::Path;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub(crate) struct MachineLock(#[expect(dead_code, reason = "the lock ends with the file")] File);

/// For tests that measure.
pub(crate) fn exclusive() -> MachineLock {
    let file = lock_file();
    file.lock().unwrap();
    MachineLock(file)
}

/// For tests that do not.
pub(crate) fn shared() -> MachineLock {
    let file = lock_file();
    file.lock_shared().unwrap();
    MachineLock(file)
}

fn lock_file() -> File {
    File::create(Path::new(env!("CARGO_TARGET_TMPDIR")).join("worlds.lock")).unwrap()
}
