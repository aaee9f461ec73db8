//! The program that serves a site from the command line.

use std::process::Command;

#[test]
fn help_is_printed_and_no_server_starts() {
    for args in [&["--help"][..], &["realistic", "--help"], &["graph", "-h"]] {
        let program = env!("CARGO_BIN_EXE_testsite");
        let output = Command::new(program).args(args).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{args:?}");
        assert!(text.starts_with("usage:"), "{text}");
    }
}
