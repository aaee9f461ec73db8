//! Whoever renders is killed without a word: its browser ends too, and its profile goes.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use testsite::{Pages, Server};

use crate::family::{browsers, family_of, signal};
use crate::stage::{Stage, markup};

const URL: &str = "SOAK_URL";
const RENDERED: &str = "the page is rendered";
/// Everything is gone within this.
const PATIENCE: Duration = Duration::from_secs(10);

/// The profiles of a process.
pub(crate) fn profiles(process: u32) -> Vec<PathBuf> {
    let ours = format!("crawler-br-{process}-");
    let entries = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&ours))
        .map(|entry| entry.path())
        .collect()
}

/// A process that renders a page and then waits to be killed.
struct Doomed {
    child: Child,
    _out: BufReader<ChildStdout>,
}

impl Doomed {
    fn start(url: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "left_behind::the_doomed",
                "--ignored",
                "--nocapture",
            ])
            .env(URL, url)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains(RENDERED) {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0, "it rendered nothing");
        }
        Self { child, _out: out }
    }

    /// Kills it and waits until all that belonged to it is gone.
    fn kill(mut self) {
        let id = self.child.id();
        let before = family_of(id);
        assert_eq!(browsers(family_of(id)).len(), 1, "{before:#?}");
        assert!(
            before.iter().any(crate::family::Process::renders),
            "{before:#?}"
        );
        assert_eq!(profiles(id).len(), 1);
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let begun = Instant::now();
        // The guardian too, which names no profile.
        let is_left = |process: &&crate::family::Process| {
            let command = std::fs::read_to_string(format!("/proc/{}/cmdline", process.id));
            command.is_ok_and(|command| {
                !command.is_empty() && command.replace('\0', " ") == process.command
            })
        };
        loop {
            let left: Vec<_> = before.iter().filter(is_left).collect();
            if left.is_empty() && family_of(id).is_empty() && profiles(id).is_empty() {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{left:#?} {:?}", profiles(id));
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Doomed {
    fn drop(&mut self) {
        // It is killed by now unless the test failed before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by the tests beside it, which kill it"]
async fn the_doomed() {
    let stage = Stage::new(|_| ());
    let page = stage.document(&std::env::var(URL).unwrap()).await.unwrap();
    assert!(markup(&page).contains("hello"));
    println!("{RENDERED}");
    std::future::pending::<()>().await;
}

fn site() -> Server {
    Server::start(Pages::new().html("/", "<p>hello"))
}

#[test]
fn a_renderer_that_is_killed_leaves_no_browser_behind() {
    let site = site();
    Doomed::start(&site.url("/")).kill();
}

#[test]
fn nor_does_one_whose_browser_was_stopped() {
    let site = site();
    let doomed = Doomed::start(&site.url("/"));
    for browser in browsers(family_of(doomed.child.id())) {
        assert!(signal("-STOP", browser.id));
    }
    doomed.kill();
}
