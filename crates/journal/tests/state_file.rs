//! The state file: after it is reopened, a commit is there completely or not at all.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]

use std::path::Path;

use crawler_journal::{RecordedSetting, StateFile, StateHeader, StateProblem};

fn about() -> StateHeader {
    StateHeader {
        version: "1.2.3".into(),
        rng_seed: u64::MAX,
        started: 1_790_000_000_000,
        config_line: "Crawling “all” of it".into(),
    }
}

async fn new_state_file(path: &Path) -> StateFile {
    assert!(StateFile::open(path).await.unwrap().is_none());
    let mut file = StateFile::create(path).await.unwrap();
    let settings = [
        RecordedSetting::new("--a", "1"),
        RecordedSetting::new("--b", "ü"),
    ];
    file.begin(&about(), &settings).await.unwrap();
    file
}

#[tokio::test]
async fn commits_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let mut file = new_state_file(&path).await;
    let long = vec![b'x'; 1 << 20];
    file.commit(b"first", &[10, 0]).await.unwrap();
    file.commit(&long, &[20, 5]).await.unwrap();
    file.close().await.unwrap();
    let (mut file, saved) = StateFile::open(&path).await.unwrap().unwrap();
    assert_eq!(saved.about, about());
    assert_eq!(saved.settings[1], RecordedSetting::new("--b", "ü"));
    assert_eq!((saved.lengths, saved.finished), (vec![20, 5], None));
    let first = file.batch_after(0).await.unwrap().unwrap();
    assert_eq!(first, (1, b"first".to_vec()));
    assert_eq!(file.batch_after(1).await.unwrap().unwrap(), (2, long));
    assert_eq!(file.batch_after(2).await.unwrap(), None);
    file.finish(1, &[30, 6]).await.unwrap();
    file.close().await.unwrap();
    let (_file, saved) = StateFile::open(&path).await.unwrap().unwrap();
    assert_eq!((saved.lengths, saved.finished), (vec![30, 6], Some(1)));
}

#[tokio::test]
async fn an_empty_file_is_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    assert!(StateFile::open(&path).await.unwrap().is_none());
    assert!(!path.exists(), "looking for a crawl creates no file");
    // Without `begin`, the file stays empty.
    let file = StateFile::create(&path).await.unwrap();
    file.close().await.unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
    new_state_file(&path).await.close().await.unwrap();
}

#[tokio::test]
async fn a_file_has_one_owner() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    for initialized in [false, true] {
        let first = if initialized {
            new_state_file(&path).await
        } else {
            StateFile::create(&path).await.unwrap()
        };
        let refused = StateFile::create(&path).await.unwrap_err();
        assert_eq!(refused.problem, StateProblem::InUse);
        if initialized {
            let refused = StateFile::open(&path).await.unwrap_err();
            assert_eq!(refused.problem, StateProblem::InUse);
        }
        first.close().await.unwrap();
    }
    assert!(StateFile::open(&path).await.unwrap().is_some());
}

/// The crawl of another process, begun after this one had found none, is not overwritten.
#[tokio::test]
async fn a_crawl_that_was_begun_meanwhile_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    new_state_file(&path).await.close().await.unwrap();
    let refused = StateFile::create(&path).await.unwrap_err();
    assert_eq!(refused.problem, StateProblem::InUse);
    let (_file, saved) = StateFile::open(&path).await.unwrap().unwrap();
    assert_eq!(saved.about, about());
}
