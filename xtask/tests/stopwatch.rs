//! The parent of a measured process, as a program.

use std::process::Command;

const XTASK: &str = env!("CARGO_BIN_EXE_xtask");

#[test]
fn a_process_is_measured_with_its_memory() {
    let folder = std::env::temp_dir().join(format!("stopwatch-{}", std::process::id()));
    let spin = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
    // dd holds a block of that size.
    let hold = "dd if=/dev/zero of=/dev/null bs=64M count=1 status=none";
    let status = Command::new(XTASK)
        .arg("stopwatch")
        .arg(&folder)
        .args(["sh", "-c", &format!("{spin}; {hold}")])
        .status()
        .unwrap();
    assert!(status.success());
    let told = std::fs::read_to_string(&folder).unwrap();
    std::fs::remove_file(&folder).unwrap();
    let numbers: Vec<u64> = told.split(' ').map(|word| word.parse().unwrap()).collect();
    let [time, processor, memory, 0] = numbers[..] else {
        panic!("{told}");
    };
    assert!(processor > 1_000 && time >= processor / 2, "{told}");
    assert!((64 << 20..100 << 20).contains(&memory), "{told}");
}

#[test]
fn how_a_process_ended_is_told_and_one_that_did_not_start_fails_the_run() {
    let told = std::env::temp_dir().join(format!("stopwatch-failed-{}", std::process::id()));
    let told_of = |words: &[&str]| {
        let status = Command::new(XTASK)
            .arg("stopwatch")
            .arg(&told)
            .args(words)
            .status();
        assert!(status.unwrap().success());
        std::fs::read_to_string(&told).unwrap()
    };
    assert!(told_of(&["sh", "-c", "exit 8"]).ends_with(" 8"));
    std::fs::remove_file(&told).unwrap();
    for words in [&["sh", "-c", "kill -9 $$"][..], &["/no/such/program"], &[]] {
        let status = Command::new(XTASK)
            .arg("stopwatch")
            .arg(&told)
            .args(words)
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert!(!status.success(), "{words:?}");
    }
    assert!(!told.exists());
}
