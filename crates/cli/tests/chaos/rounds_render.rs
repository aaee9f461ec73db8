//! An API, two workers, a Postgres, and a render process whose pages are empty without its browser: workers, the render process,
//! the browser and the browser's own processes are killed at random moments.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use testsite::{Request, Server, SiteResponse};

use crate::client;
use crate::cluster::Cluster;
use crate::harness::process::isolated_program;
use crate::harness::random::Random;
use crate::harness::service::Service;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::process;
use crate::process_tree::{RunningProcess, descendants, kill_one, wait_for_ends};
use crate::rounds::{CONFIG, Fault, MAX_LEASED_TASKS, SystemUnderTest, run};
use crate::site::Site;
use crate::write_audit::WriteAudit;

/// A page that was being rendered when its browser was killed has used one of its attempts: there are enough for a page that is
/// rendered whenever a browser is killed. Retries follow soon, so that a round does not wait for them.
const PATIENT_CONFIG: &str = "
  max_attempts: 20
  backoff_base: 100ms
  backoff_max: 1s";
/// Configuration of the render process.
const RENDER_CONFIG: &str = "
browser:
  pool_size: 4
egress:
  allow: [127.0.0.0/8]
";

struct Rendering {
    render: Service,
    workers: Vec<Service>,
    api: Service,
    cluster: Cluster,
    write_audit: WriteAudit,
    old_logs: String,
    /// A page that is requested to start a browser.
    site: Server,
    /// Browsers that were left without their render process.
    orphans: Vec<RunningProcess>,
    folder: TempDir,
}

impl Rendering {
    fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("cr-").tempdir().unwrap();
        // For root, the browser runs as another user, which needs access to its profile.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let write = |name: &str, config: &str| {
            std::fs::write(folder.path().join(name), config).unwrap();
        };
        let socket = folder.path().join("render.sock");
        let browser = format!("{CONFIG}browser:\n  socket: {}\n", socket.display());
        write(
            "config.yaml",
            &browser.replace("worker:", &format!("worker:{PATIENT_CONFIG}")),
        );
        write("render.yaml", RENDER_CONFIG);
        let render = start_render(&folder);
        let cluster = Cluster::start();
        let url = cluster.url();
        let start = |mode| process::start_ready(folder.path(), mode, Some(&url));
        let api = start("api");
        let write_audit = WriteAudit::Postgres(cluster.url()).install();
        Self {
            render,
            workers: vec![start("worker"), start("worker")],
            api,
            cluster,
            write_audit,
            old_logs: String::new(),
            site: Server::start(|_: &Request| SiteResponse::html("<p>words")),
            orphans: Vec::new(),
            folder,
        }
    }

    /// Kills a process of the browser: the main one, or a random other one.
    fn kill_in_browser(&self, is_main: bool, random: &mut Random) {
        let body = json!({ "url": self.site.url("/"), "use_js": true });
        wait_until("a process of the browser is killed", TIMEOUT, || {
            let mut processes = descendants(self.render.id());
            processes.retain(|process| process.has("--user-data-dir=") || process.has("--type="));
            processes.retain(|process| process.has("--type=") != is_main);
            let is_killed = kill_one(&processes, random).is_some();
            if !is_killed {
                // If the jobs are done, nothing else starts a browser. This fails if the browser has to wait after a crash.
                let _ = client::post(&self.api.addr(), "/v1/scrape", &body);
            }
            is_killed
        });
    }
}

/// Starts a render process, the only one that can find a browser, and waits until it listens.
fn start_render(folder: &TempDir) -> Service {
    let socket: PathBuf = folder.path().join("render.sock");
    let mut command = isolated_program(folder.path(), &["serve", "--mode", "render"]);
    command.args(["--config", "render.yaml", "--log-format", "json"]);
    command.env("BROWSER_SOCKET", socket);
    command.env("TMPDIR", folder.path());
    for name in ["PATH", "HOME", "CHROME"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    let service = Service::start(command);
    service.wait_for_log("rendering");
    service
}

impl SystemUnderTest for Rendering {
    fn faults(&self) -> Vec<Fault> {
        vec![
            Fault::Worker,
            Fault::Worker,
            Fault::RenderProcess,
            Fault::RenderProcess,
            Fault::Browser,
            Fault::BrowserChild,
        ]
    }

    fn inject(&mut self, fault: Fault, random: &mut Random) -> u64 {
        let index = usize::try_from(random.below(self.workers.len() as u64)).unwrap();
        match fault {
            Fault::Worker => {
                self.workers[index].kill();
                self.old_logs += &self.workers[index].log();
                let url = self.cluster.url();
                self.workers[index] =
                    process::start_ready(self.folder.path(), "worker", Some(&url));
                return MAX_LEASED_TASKS;
            }
            Fault::RenderProcess => {
                self.orphans.extend(descendants(self.render.id()));
                self.render.kill();
                self.old_logs += &self.render.log();
                self.render = start_render(&self.folder);
            }
            Fault::Browser => self.kill_in_browser(true, random),
            Fault::BrowserChild => self.kill_in_browser(false, random),
            other => unreachable!("{other:?} is not among the faults"),
        }
        MAX_LEASED_TASKS * self.workers.len() as u64
    }

    fn site(&self) -> Site {
        Site {
            // Far fewer than in the other rounds: it takes long to render one.
            pages: 20,
            latency: Duration::from_millis(40),
            is_scripted: true,
        }
    }

    fn write_audit(&self) -> &WriteAudit {
        &self.write_audit
    }

    fn addr(&self) -> String {
        self.api.addr()
    }

    fn logs(&self) -> String {
        let running = [&self.api, &self.render];
        let logs = running.into_iter().chain(&self.workers).map(Service::log);
        logs.chain([self.old_logs.clone()])
            .collect::<Vec<_>>()
            .join("\n")
    }
}

#[test]
fn pages_are_rendered_though_browsers_and_render_processes_are_killed() {
    let mut system = Rendering::start();
    run("render", 1, &mut system);
    wait_for_ends("the browsers of killed processes end", &system.orphans);
    for worker in &mut system.workers {
        assert!(worker.is_running(), "{}", worker.log());
    }
}
