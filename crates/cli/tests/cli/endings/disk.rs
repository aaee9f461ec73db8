//! Files that cannot be written: exit 1, and the error names the file.

use std::fs::File;
use std::path::Path;

use testsite::{Graph, Pages, Server};

use crate::harness::small_disk::SmallDisk;
use crate::run::{Finished, Run, crawler};

fn site() -> Server {
    Server::start(Pages::new().links("/", &["/a"]).html("/a", "a"))
}

#[track_caller]
fn assert_names(ended: &Finished, file: &Path) {
    let errors = ended.stderr_lines("error: ");
    assert_eq!(errors.len(), 1, "{}", ended.output());
    let name = file.to_str().unwrap();
    assert!(errors[0].contains(name), "{}", ended.output());
}

/// Asserts that a file for `flag` that cannot be opened is an error, and that nothing is requested from the site.
#[track_caller]
fn assert_rejected(flag: &str, file: &Path, message: &str) {
    for format in ["text", "html"] {
        let server = site();
        let file_name = file.to_str().unwrap();
        let args = [&server.url("/"), flag, file_name, "--format", format];
        let ended = crawler(&args).with_code(1);
        assert_names(&ended, file);
        ended.stderr_contains(message);
        assert_eq!(ended.stdout, "", "{}", ended.output());
        assert_eq!(server.total(), 0, "nothing is crawled without an output");
    }
}

const FLAGS: [&str; 2] = ["-o", "--unique-links"];

#[test]
fn a_missing_folder() {
    let folder = tempfile::tempdir().unwrap();
    for flag in FLAGS {
        let file = folder.path().join("missing/pages.txt");
        assert_rejected(flag, &file, "No such file or directory");
    }
}

#[test]
fn a_folder_as_output() {
    let folder = tempfile::tempdir().unwrap();
    for flag in FLAGS {
        assert_rejected(flag, folder.path(), "directory");
    }
}

#[test]
fn a_file_as_a_folder() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for flag in FLAGS {
        assert_rejected(flag, &file.path().join("pages.txt"), "Not a directory");
    }
}

#[test]
fn a_file_without_write_permission() {
    // Not even root can create files in /proc.
    let nowhere = Path::new("/proc/crawler-pages.txt");
    if !Path::new("/proc/self").exists() {
        return;
    }
    for flag in FLAGS {
        assert_rejected(flag, nowhere, "error: ");
    }
}

fn has_full_device() -> bool {
    Path::new("/dev/full").exists()
}

#[test]
fn a_full_disk_from_the_start() {
    if !has_full_device() {
        return;
    }
    for format in ["text", "tree", "edges", "json", "ndjson", "csv", "html"] {
        let server = site();
        let args = [&server.url("/"), "--format", format, "-o", "/dev/full"];
        let ended = crawler(&args).with_code(1);
        assert_names(&ended, Path::new("/dev/full"));
        ended.stderr_contains("No space left on device");
    }
    let server = site();
    let args = [&server.url("/"), "--unique-links", "/dev/full"];
    let ended = crawler(&args).with_code(1);
    assert_names(&ended, Path::new("/dev/full"));
    let args = ["map", &server.url("/"), "-o", "/dev/full"];
    assert_names(&crawler(&args).with_code(1), Path::new("/dev/full"));
}

#[test]
fn stdout_on_a_full_disk() {
    if !has_full_device() {
        return;
    }
    let server = site();
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let run = Run::new(&[server.url("/")]).stdout_to(full()).start();
    assert_names(&run.finish().with_code(1), Path::new("stdout"));
    for args in [&["man"][..], &["completions", "bash"]] {
        let run = Run::new(args).stdout_to(full()).start();
        assert_names(&run.finish().with_code(1), Path::new("stdout"));
    }
}

#[test]
fn a_disk_that_fills_ends_the_crawl_early() {
    if !has_full_device() {
        return;
    }
    let pages = 20_000;
    let server = Server::start(Graph::new(pages).site());
    let args = [&server.url("/"), "--max-pages", "0", "-o", "/dev/full"];
    let ended = crawler(&args).with_code(1);
    assert_names(&ended, Path::new("/dev/full"));
    let requests = server.total();
    assert!(
        requests < u64::from(pages) / 2,
        "{requests} requests after the disk was full"
    );
}

#[test]
fn a_disk_that_fills_in_the_middle() {
    let disk = SmallDisk::mount("512k");
    for flag in FLAGS {
        let server = Server::start(Graph::new(3_000).site());
        let file = disk.path().join("pages.txt");
        let name = file.to_str().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("other.txt");
        let mut args = vec![server.url("/"), flag.to_owned(), name.to_owned()];
        args.extend(["--max-pages", "0", "--max-depth", "0"].map(str::to_owned));
        if flag != "-o" {
            // The pages go elsewhere, so that only the distinct links fill the disk.
            args.extend(["-o".to_owned(), other.to_str().unwrap().to_owned()]);
        }
        let full = std::fs::write(disk.path().join("ballast"), vec![b'x'; 450 << 10]);
        full.unwrap();
        let ended = crawler(&args).with_code(1);
        assert_names(&ended, &file);
        ended.stderr_contains("No space left on device");
        std::fs::remove_file(&file).unwrap();
    }
}
