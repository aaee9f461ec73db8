//! Runs `xtask stopwatch`, the parent of a measured process.

use std::process::Command;

const XTASK: &str = env!("CARGO_BIN_EXE_xtask");

#[test]
fn a_process_is_measured_with_its_memory() {
    let file = std::env::temp_dir().join(format!("stopwatch-{}", std::process::id()));
    let spin = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
    // dd allocates a block of this size.
    let hold = "dd if=/dev/zero of=/dev/null bs=64M count=1 status=none";
    let status = Command::new(XTASK)
        .arg("stopwatch")
        .arg(&file)
        .args(["sh", "-c", &format!("{spin}; {hold}")])
        .status()
        .unwrap();
    assert!(status.success());
    let output = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let numbers: Vec<u64> = output
        .split(' ')
        .map(|word| word.parse().unwrap())
        .collect();
    let [time, processor, memory, 0] = numbers[..] else {
        panic!("{output}");
    };
    assert!(processor > 1_000 && time >= processor / 2, "{output}");
    assert!((64 << 20..100 << 20).contains(&memory), "{output}");
}

#[test]
fn the_exit_code_is_reported_and_a_process_that_does_not_start_is_an_error() {
    let file = std::env::temp_dir().join(format!("stopwatch-failed-{}", std::process::id()));
    let output_of = |args: &[&str]| {
        let status = Command::new(XTASK)
            .arg("stopwatch")
            .arg(&file)
            .args(args)
            .status();
        assert!(status.unwrap().success());
        std::fs::read_to_string(&file).unwrap()
    };
    assert!(output_of(&["sh", "-c", "exit 8"]).ends_with(" 8"));
    std::fs::remove_file(&file).unwrap();
    for args in [&["sh", "-c", "kill -9 $$"][..], &["/no/such/program"], &[]] {
        let status = Command::new(XTASK)
            .arg("stopwatch")
            .arg(&file)
            .args(args)
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert!(!status.success(), "{args:?}");
    }
    assert!(!file.exists());
}
