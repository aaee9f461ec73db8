//! Runs the built binary with a deadline.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use testsite::Server;

/// No run of ours takes a tenth of this; a crawl that hangs is ended here.
const DEADLINE: Duration = Duration::from_secs(40);

/// What was left when the command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: Option<i32>,
    /// Before anything of it ran: nothing can have been asked earlier.
    pub(crate) began: Instant,
}

/// Runs `crawler` with these words.
pub(crate) fn crawler(words: &[&str]) -> Ended {
    finish(command(words), DEADLINE)
}

/// Runs `crawler` with these words in that folder.
pub(crate) fn crawler_in(folder: &Path, words: &[&str]) -> Ended {
    let mut command = command(words);
    command.current_dir(folder);
    finish(command, DEADLINE)
}

/// The command, to be changed before it is finished.
pub(crate) fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crawler"));
    command.args(words);
    if std::env::var_os("CRAWL_WITH_STATE").is_some() && is_crawl(words) {
        command.arg("--state").arg(new_state());
    }
    command
}

/// With `CRAWL_WITH_STATE` every crawl of this suite is a kept one: the whole contract holds all the same.
fn is_crawl(words: &[&str]) -> bool {
    let others = ["scrape", "serve", "config", "completions", "man", "help"];
    let asks = |word: &&str| ["--help", "-h", "--version", "-V", "--"].contains(word);
    words.iter().any(|word| word.contains("://"))
        && !words.first().is_some_and(|first| others.contains(first))
        && !words.iter().any(asks)
}

/// A name that no file has.
fn new_state() -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("state-{}-{number}", std::process::id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::remove_file(&path).ok();
    path
}

/// Runs `crawler` with these words and that on its stdin.
pub(crate) fn crawler_fed(words: &[&str], stdin: &[u8]) -> Ended {
    let mut command = command(words);
    command.stdin(Stdio::piped());
    run(command, DEADLINE, stdin)
}

/// Runs a command to its end, or ends it at the deadline and the test with it.
pub(crate) fn finish(mut command: Command, deadline: Duration) -> Ended {
    command.stdin(Stdio::null());
    run(command, deadline, b"")
}

fn run(mut command: Command, deadline: Duration, stdin: &[u8]) -> Ended {
    let began = Instant::now();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(stdin).unwrap();
    }
    let out = gathered(child.stdout.take().unwrap());
    let err = gathered(child.stderr.take().unwrap());
    let both = (
        out.recv_timeout(deadline),
        err.recv_timeout(deadline.saturating_sub(began.elapsed())),
    );
    let (Ok(out), Ok(err)) = both else {
        child.kill().unwrap();
        child.wait().unwrap();
        panic!("{command:?} did not end within {deadline:?}");
    };
    Ended {
        out,
        err,
        code: child.wait().unwrap().code(),
        began,
    }
}

/// Everything from a pipe, once its other side is closed.
fn gathered(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        // Nobody waits any more when the deadline was passed.
        send.send(String::from_utf8(bytes).unwrap()).ok();
    });
    receive
}

/// Crawls a server from `/`; the crawl must end well.
pub(crate) fn crawl(server: &Server, flags: &[&str]) -> Ended {
    crawl_from(server, "/", flags)
}

/// Crawls a server from a path; the crawl must end well.
pub(crate) fn crawl_from(server: &Server, path: &str, flags: &[&str]) -> Ended {
    let url = server.url(path);
    let mut words = vec![url.as_str()];
    words.extend(flags);
    crawler(&words).well()
}

/// The paths that a crawl from `/` visits, sorted.
pub(crate) fn visited(server: &Server, flags: &[&str]) -> Vec<String> {
    crawl(server, flags).visited(server)
}

/// The objects of a crawl from `/` in the order they came.
pub(crate) fn objects(server: &Server, flags: &[&str]) -> Vec<Value> {
    let mut words = flags.to_vec();
    words.extend(["--format", "ndjson"]);
    crawl(server, &words).objects()
}

impl Ended {
    /// Asserts exit code 0.
    pub(crate) fn well(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self
    }

    /// The URLs after `Visited: `, the server's origin taken off, sorted.
    pub(crate) fn visited(&self, server: &Server) -> Vec<String> {
        let origin = server.origin();
        let mut urls: Vec<String> = self
            .out
            .lines()
            .filter_map(|line| line.strip_prefix("Visited: "))
            .map(|url| url.strip_prefix(&origin).unwrap_or(url).to_owned())
            .collect();
        urls.sort();
        urls
    }

    /// The links below a page, the server's origin taken off, in their order.
    pub(crate) fn links(&self, server: &Server, path: &str) -> Vec<String> {
        let head = format!("Visited: {}", server.url(path));
        let origin = server.origin();
        self.out
            .lines()
            .skip_while(|line| *line != head)
            .skip(2)
            .take_while(|line| !line.starts_with("Visited: "))
            .map(|url| url.strip_prefix(&origin).unwrap_or(url).to_owned())
            .collect()
    }

    /// stdout as one object a line.
    pub(crate) fn objects(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The summary that `--log-format json` writes to stderr.
    pub(crate) fn summary(&self) -> Value {
        self.err
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .find(|said| said["event"] == "summary")
            .unwrap_or_else(|| panic!("no summary in {}", self.err))
    }
}

/// The object of a URL.
pub(crate) fn object<'a>(objects: &'a [Value], url: &str) -> &'a Value {
    objects
        .iter()
        .find(|object| object["url"] == url)
        .unwrap_or_else(|| panic!("no {url} in {objects:?}"))
}
