//! Write errors name the file.

use std::io::{self, Write};
use std::path::Path;

use crawler_model::{LinkFilter, SinkError};
use crawler_output::{Format, MapFormat, Target, UniqueLinks, map_sink, sink};

use crate::fixture::{KEYS, about, reports, url};

fn error_of(sink: &mut dyn crawler_model::Sink) -> SinkError {
    reports()
        .iter()
        .try_for_each(|report| sink.page(report))
        .and_then(|()| sink.flush())
        .and_then(|()| sink.finish(&crawler_model::Summary::default()))
        .unwrap_err()
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_names_the_file() {
    let full = || Target::create(Path::new("/dev/full")).unwrap();
    for format in Format::ALL {
        let error = error_of(sink(format, full(), LinkFilter::default(), about()).as_mut());
        assert_eq!(error.target, "/dev/full", "{format:?}");
        assert_eq!(error.error.kind(), io::ErrorKind::StorageFull);
        assert!(!error.is_closed_pipe());
    }
    for format in MapFormat::ALL {
        let seed = url("https://example.org/");
        let error = error_of(map_sink(format, full(), KEYS, &seed).as_mut());
        assert_eq!(error.target, "/dev/full", "{format:?}");
    }
    let error = error_of(&mut UniqueLinks::new(full(), LinkFilter::default()));
    assert_eq!(error.target, "/dev/full");
}

#[test]
fn a_missing_folder_names_the_file() {
    let error = Target::create(Path::new("no/such/folder/out.json")).unwrap_err();
    assert_eq!(error.target, "no/such/folder/out.json");
    assert!(error.to_string().contains("no/such/folder/out.json"));
}

#[test]
fn a_file_is_truncated_when_the_target_is_created() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.txt");
    std::fs::write(&path, "from the last crawl").unwrap();
    let _target = Target::create(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"");
}

/// A pipe whose reader is gone.
struct ClosedPipe;

impl Write for ClosedPipe {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_reported_as_such() {
    let target = Target::writer("stdout", Box::new(ClosedPipe));
    let error = error_of(sink(Format::Text, target, LinkFilter::default(), about()).as_mut());
    assert!(error.is_closed_pipe());
    assert_eq!(error.target, "stdout");
}
