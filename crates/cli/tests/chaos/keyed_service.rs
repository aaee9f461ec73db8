//! A service with several API keys: one process on SQLite, or an API and two workers on Postgres.

use std::io::Result;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::cluster::Cluster;
use crate::harness::http;
use crate::harness::process::isolated_program;
use crate::harness::service::Service;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::process;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// The store of a [`KeyedService`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StoreChoice {
    Sqlite,
    Postgres,
}

/// Running processes. Dropped from top to bottom.
pub(crate) struct KeyedService {
    _workers: Vec<Service>,
    api: Service,
    cluster: Option<Cluster>,
    folder: TempDir,
}

impl KeyedService {
    /// Starts the service with this configuration and waits until it is ready.
    #[track_caller]
    pub(crate) fn start(config: &str, store: StoreChoice) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.yaml"), config).unwrap();
        let cluster = (store == StoreChoice::Postgres).then(Cluster::start);
        let url = cluster.as_ref().map(Cluster::url);
        let start = |mode| process::start_ready(folder.path(), mode, url.as_deref());
        let (api, workers) = match store {
            StoreChoice::Sqlite => (start("all"), Vec::new()),
            StoreChoice::Postgres => (start("api"), vec![start("worker"), start("worker")]),
        };
        Self {
            _workers: workers,
            api,
            cluster,
            folder,
        }
    }

    /// Adds a key with these arguments of `crawler keys add`, and returns its caller.
    #[track_caller]
    pub(crate) fn add_caller(&self, name: &str, args: &[&str]) -> Caller {
        let args = [&["keys", "add", name][..], args].concat();
        let mut command = isolated_program(self.folder.path(), &args);
        if let Some(cluster) = &self.cluster {
            command.env("DATABASE_URL", cluster.url());
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let key = String::from_utf8(output.stdout).unwrap();
        Caller {
            name: name.to_owned(),
            key: key.trim().to_owned(),
            addr: self.api.addr(),
        }
    }
}

/// A client of the API with a key.
#[derive(Clone)]
pub(crate) struct Caller {
    /// The name of the key, which is the owner of its jobs.
    pub(crate) name: String,
    key: String,
    addr: String,
}

impl Caller {
    /// Sends a request with these headers; returns status and body.
    pub(crate) fn call(
        &self,
        method: &str,
        target: &str,
        headers: &[(String, String)],
        body: Option<&Value>,
    ) -> Result<(u16, String)> {
        let body = body.map(Value::to_string).unwrap_or_default();
        let headers = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"));
        let headers = headers.collect::<Vec<_>>().concat();
        let request = format!(
            "{method} {target} HTTP/1.0\r\nhost: localhost\r\nauthorization: Bearer {}\r\n{headers}\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.key,
            body.len()
        );
        http::send(&self.addr, &request, REQUEST_TIMEOUT)
    }

    /// The JSON of a GET that must succeed.
    #[track_caller]
    pub(crate) fn get(&self, target: &str) -> Value {
        let (status, body) = self.call("GET", target, &[], None).unwrap();
        assert_eq!(status, 200, "{target}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Creates a job and returns its id.
    #[track_caller]
    pub(crate) fn create(&self, path: &str, body: &Value) -> String {
        let (status, reply) = self.call("POST", path, &[], Some(body)).unwrap();
        assert_eq!(status, 202, "{path}: {reply}");
        let reply: Value = serde_json::from_str(&reply).unwrap();
        reply["id"].as_str().unwrap().to_owned()
    }

    /// Waits until the job has this status.
    #[track_caller]
    pub(crate) fn wait_for_status(&self, id: &str, statuses: &[&str]) {
        wait_until("the job's status", TIMEOUT, || {
            let job = self.get(&format!("/v1/jobs/{id}"));
            statuses.iter().any(|status| job["status"] == *status)
        });
    }
}
