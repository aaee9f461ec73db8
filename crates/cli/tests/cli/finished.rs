//! A run of the program that ended, and its output.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use serde_json::Value;
use testsite::Server;

/// A run that ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    /// Exit code; `None` after a signal that was not handled.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Time just before the start: every request is later.
    pub(crate) started_at: Instant,
    pub(crate) took: Duration,
}

impl Finished {
    /// Asserts exit code 0.
    #[track_caller]
    pub(crate) fn success(self) -> Self {
        self.with_code(0)
    }

    /// Asserts an exit code.
    #[track_caller]
    pub(crate) fn with_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.output());
        self
    }

    /// Asserts that stderr contains this text.
    #[track_caller]
    pub(crate) fn stderr_contains(&self, text: &str) -> &Self {
        assert!(
            self.stderr.contains(text),
            "stderr does not contain {text:?}\n{}",
            self.output()
        );
        self
    }

    /// Asserts that stderr does not contain this text.
    #[track_caller]
    pub(crate) fn stderr_lacks(&self, text: &str) -> &Self {
        assert!(
            !self.stderr.contains(text),
            "stderr contains {text:?}\n{}",
            self.output()
        );
        self
    }

    /// The lines of stderr that start with this text.
    pub(crate) fn stderr_lines(&self, start: &str) -> Vec<&str> {
        let lines = self.stderr.lines();
        lines.filter(|line| line.starts_with(start)).collect()
    }

    /// The event that `--log-format json` logs under this name.
    #[track_caller]
    pub(crate) fn event(&self, name: &str) -> Value {
        let lines = self.stderr.lines().map(serde_json::from_str::<Value>);
        let mut events = lines.filter_map(Result::ok);
        events
            .find(|line| line["event"] == name)
            .unwrap_or_else(|| panic!("no event {name}\n{}", self.output()))
    }

    /// The page URLs of `--format text`.
    pub(crate) fn visited(&self) -> Vec<&str> {
        let lines = self.stdout.lines();
        lines
            .filter_map(|line| line.strip_prefix("Visited: "))
            .collect()
    }

    /// The same without the server's origin, sorted.
    pub(crate) fn visited_paths(&self, server: &Server) -> Vec<String> {
        let origin = server.origin();
        let visited = self.visited().into_iter();
        let mut paths: Vec<String> = visited
            .map(|url| url.strip_prefix(&origin).unwrap_or(url).to_owned())
            .collect();
        paths.sort();
        paths
    }

    /// The links of a page in `--format text`, without the server's origin, in order.
    pub(crate) fn links(&self, server: &Server, path: &str) -> Vec<String> {
        let head = format!("Visited: {}", server.url(path));
        let origin = server.origin();
        self.stdout
            .lines()
            .skip_while(|line| *line != head)
            .skip(2)
            .take_while(|line| !line.starts_with("Visited: "))
            .map(|url| url.strip_prefix(&origin).unwrap_or(url).to_owned())
            .collect()
    }

    /// Stdout as JSON objects, one per line.
    #[track_caller]
    pub(crate) fn objects(&self) -> Vec<Value> {
        objects(&self.stdout)
    }

    /// The one object whose URL ends with this text.
    #[track_caller]
    pub(crate) fn object(&self, url_end: &str) -> Value {
        let mut found = self.objects();
        found.retain(|object| object["url"].as_str().unwrap().ends_with(url_end));
        assert_eq!(found.len(), 1, "{url_end} in {}", self.output());
        found.remove(0)
    }

    /// Everything the run printed, for the message of a failed assertion.
    pub(crate) fn output(&self) -> String {
        format!(
            "{} (signal {:?})\nstdout:\n{}\nstderr:\n{}",
            self.status,
            self.status.signal(),
            self.stdout,
            self.stderr
        )
    }
}

/// JSON objects, one per line.
#[track_caller]
pub(crate) fn objects(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() => value,
            _ => panic!("not a JSON object: {line:?}"),
        })
        .collect()
}
