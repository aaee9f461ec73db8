//! Who may run beside whom: a test that measures memory or time has the machine to itself, the others
//! share it. A file is locked, because some test runners give every test a process of its own.

use std::fs::File;
use std::path::Path;

/// Holds the machine until it is dropped.
#[derive(Debug)]
pub(crate) struct Room(#[expect(dead_code, reason = "the lock ends with the file")] File);

/// For tests that measure.
pub(crate) fn alone() -> Room {
    let file = door();
    file.lock().unwrap();
    Room(file)
}

/// For tests that do not.
pub(crate) fn shared() -> Room {
    let file = door();
    file.lock_shared().unwrap();
    Room(file)
}

fn door() -> File {
    File::create(Path::new(env!("CARGO_TARGET_TMPDIR")).join("worlds.lock")).unwrap()
}
