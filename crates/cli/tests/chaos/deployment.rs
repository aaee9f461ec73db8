//! An API, worker processes and their Postgres.

use serde_json::json;
use tempfile::TempDir;
use testsite::Server;

use crate::cluster::Cluster;
use crate::drain::create_job;
use crate::harness::service::Service;
use crate::process;

/// Running processes with the configuration of one folder. Dropped from top to bottom.
pub(crate) struct Deployment {
    pub(crate) workers: Vec<Service>,
    pub(crate) api: Service,
    pub(crate) cluster: Cluster,
    pub(crate) folder: TempDir,
}

impl Deployment {
    /// Starts a Postgres, an API and this many workers, and waits until they are ready.
    #[track_caller]
    pub(crate) fn start(config: &str, workers: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.yaml"), config).unwrap();
        let cluster = Cluster::start();
        let url = cluster.url();
        let start = |mode| process::start_ready(folder.path(), mode, Some(&url));
        Self {
            api: start("api"),
            workers: (0..workers).map(|_| start("worker")).collect(),
            cluster,
            folder,
        }
    }

    /// Starts one more worker and waits until it is ready.
    #[track_caller]
    pub(crate) fn start_worker(&self) -> Service {
        process::start_ready(self.folder.path(), "worker", Some(&self.cluster.url()))
    }

    /// Creates a job that crawls the whole site, and returns its path.
    pub(crate) fn crawl(&self, server: &Server) -> String {
        let body = json!({ "url": server.url("/"), "max_depth": 20 });
        create_job(&self.api, "/v1/crawl", &body)
    }
}
