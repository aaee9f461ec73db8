//! A running `crawler serve`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::thread;

use serde_json::Value;

use crate::ground::{Ground, PATIENCE, until};

pub(crate) const CONFIG: &str = "egress:
  allow: [127.0.0.1]
worker:
  per_host_rps: 0
  per_host_concurrency: 8
browser:
  pool_size: 2
";

pub(crate) struct Service {
    child: Child,
    addr: String,
}

impl Service {
    /// Starts it with this configuration and waits until it says where it listens.
    pub(crate) fn start(ground: &Ground, config: &str, change: impl FnOnce(&mut Command)) -> Self {
        std::fs::write(ground.path().join("config.yaml"), config).unwrap();
        let here = ["serve", "--addr", "127.0.0.1:0", "--log-format", "json"];
        let mut command = ground.command(&here);
        command.stdout(std::process::Stdio::null());
        command.env_remove("DATABASE_URL");
        change(&mut command);
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let addr = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let line: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
            let listens = line["message"] == "listening";
            listens.then(|| line["addr"].as_str().unwrap().to_owned())
        });
        // Its log must not fill its pipe.
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self {
            child,
            addr: addr.unwrap(),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, body) = self.call(&format!("GET {path} HTTP/1.0\r\nhost: localhost\r\n\r\n"));
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap_or(Value::String(body))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let (status, answer) = self.call(&format!(
            "POST {path} HTTP/1.0\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ));
        (status, serde_json::from_str(&answer).unwrap())
    }

    /// Makes a job and waits for its end; where it is.
    pub(crate) fn job(&self, path: &str, body: &Value) -> String {
        let place = self.begun(path, body);
        until("the job ends", || {
            let status = self.get(&place)["status"].clone();
            ["queued", "running"].iter().all(|open| status != *open)
        });
        place
    }

    /// Makes a job; where it is.
    pub(crate) fn begun(&self, path: &str, body: &Value) -> String {
        let (status, made) = self.post(path, body);
        assert_eq!(status, 202, "{made}");
        made["url"].as_str().unwrap().to_owned()
    }

    fn call(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.addr).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status.unwrap_or_default(), body.to_owned())
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// No signal that could be heard: it is gone.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends SIGTERM; the exit code.
    pub(crate) fn terminate(mut self) -> Option<i32> {
        signal(self.id(), "TERM");
        self.child.wait().unwrap().code()
    }
}

/// Sends a signal by its name.
pub(crate) fn signal(process: u32, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &process.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

impl Drop for Service {
    fn drop(&mut self) {
        // Gone already in a test that went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
