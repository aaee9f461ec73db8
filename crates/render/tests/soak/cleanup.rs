//! When the rendering process is killed, its browser ends and its profile is removed.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use testsite::{Pages, Server};

use crate::process_tree::{browsers, descendants_of, signal};
use crate::test_renderer::{TestRenderer, markup};

const URL: &str = "SOAK_URL";
const RENDERED: &str = "the page is rendered";
/// Time limit until everything is gone.
const WAIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the profile folders of a process.
pub(crate) fn profiles(process: u32) -> Vec<PathBuf> {
    let prefix = format!("crawler-br-{process}-");
    let entries = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
        .map(|entry| entry.path())
        .collect()
}

/// A child process that renders a page and then waits to be killed.
struct ChildRenderer {
    child: Child,
    _out: BufReader<ChildStdout>,
}

impl ChildRenderer {
    fn start(url: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "cleanup::child_that_is_killed",
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
            assert!(
                out.read_line(&mut line).unwrap() > 0,
                "the child rendered nothing"
            );
        }
        Self { child, _out: out }
    }

    /// Kills it and waits until its processes and profile are gone.
    fn kill(mut self) {
        let id = self.child.id();
        let before = descendants_of(id);
        assert_eq!(browsers(descendants_of(id)).len(), 1, "{before:#?}");
        assert!(
            before.iter().any(crate::process_tree::Process::renders),
            "{before:#?}"
        );
        assert_eq!(profiles(id).len(), 1);
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let start = Instant::now();
        let is_left = |process: &&crate::process_tree::Process| {
            let command = std::fs::read_to_string(format!("/proc/{}/cmdline", process.id));
            command.is_ok_and(|command| {
                !command.is_empty() && command.replace('\0', " ") == process.command
            })
        };
        loop {
            let left: Vec<_> = before.iter().filter(is_left).collect();
            if left.is_empty() && descendants_of(id).is_empty() && profiles(id).is_empty() {
                return;
            }
            assert!(
                start.elapsed() < WAIT_TIMEOUT,
                "{left:#?} {:?}",
                profiles(id)
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for ChildRenderer {
    fn drop(&mut self) {
        // It is killed by now unless the test failed before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by the other tests, which kill it"]
async fn child_that_is_killed() {
    let test = TestRenderer::new(|_| ());
    let page = test.document(&std::env::var(URL).unwrap()).await.unwrap();
    assert!(markup(&page).contains("hello"));
    println!("{RENDERED}");
    std::future::pending::<()>().await;
}

fn site() -> Server {
    Server::start(Pages::new().html("/", "<p>hello"))
}

#[test]
fn a_killed_renderer_leaves_no_browser() {
    let site = site();
    ChildRenderer::start(&site.url("/")).kill();
}

#[test]
fn a_killed_renderer_leaves_no_stopped_browser() {
    let site = site();
    let child = ChildRenderer::start(&site.url("/"));
    for browser in browsers(descendants_of(child.child.id())) {
        assert!(signal("-STOP", browser.id));
    }
    child.kill();
}
