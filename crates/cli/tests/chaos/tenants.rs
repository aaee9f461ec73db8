//! Two callers and an administrator of one service: no endpoint shows a caller anything of the other, whatever id, cursor or
//! name it is given. The requests are made from the description that the service itself serves.
//!
//! The tests of the API do the same inside their process; this one runs the program, with real jobs of every kind, and is run by
//! `cargo xtask tenants`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value, json};
use testsite::{Request, Server, SiteResponse};

use crate::described_endpoints::{Endpoint, ParameterValues, Variant, endpoints};
use crate::keyed_service::{Caller, KeyedService, StoreChoice};

const CONFIG: &str = "
http:
  timeout: 10m
worker:
  pool_size: 16
  per_host_concurrency: 64
  per_host_rps: 0
  max_attempts: 1
browser:
  enabled: false
egress:
  allow: [127.0.0.0/8]
";
const ENDED: [&str; 3] = ["completed", "completed_with_errors", "failed"];
/// Wrong responses of one endpoint, after which no more are looked for.
const ENOUGH: usize = 20;
const UNKNOWN: &str = "01900000-0000-7000-8000-000000000000";

#[test]
#[ignore = "run by cargo xtask tenants"]
fn tenants_on_sqlite() {
    check(StoreChoice::Sqlite);
}

#[test]
#[ignore = "run by cargo xtask tenants"]
fn tenants_on_postgres() {
    check(StoreChoice::Postgres);
}

/// A site whose pages repeat their path; slow pages never end.
fn site() -> Server {
    Server::start(|request: &Request| {
        let path = request.path();
        match path.rsplit_once('/') {
            _ if path == "/robots.txt" => SiteResponse::status(404),
            Some((_, "slow")) => SiteResponse::html("late").after(Duration::from_hours(1)),
            Some((folder, page)) => {
                let page: u32 = page.parse().unwrap_or_default();
                let links = [1, 2, 3]
                    .map(|step| format!("<a href='{folder}/{}'>next</a>", (page * 3 + step) % 12));
                let links = links.concat();
                SiteResponse::html(format!(
                    "<title>{path}</title><p>words of {path}</p>{links}"
                ))
            }
            None => SiteResponse::status(404),
        }
    })
}

/// A caller with jobs of every kind and state.
struct Tenant {
    caller: Caller,
    /// In the path and the text of all its pages, in its idempotency key, and nowhere else.
    mark: String,
    ended: Vec<String>,
    running: String,
    cancelled: String,
    /// Jobs that were created with an idempotency key.
    repeatable: Vec<String>,
}

impl Tenant {
    fn start(caller: Caller, server: &Server) -> Self {
        let mark = format!("mark-of-{}", caller.name);
        let url = |page: &str| server.url(&format!("/{mark}/{page}"));
        let pages: Vec<String> = (0..5).map(|page| url(&page.to_string())).collect();
        let site = json!({"url": url("0"), "max_depth": 3});
        let ended = [
            ("/v1/batch/scrape", json!({ "urls": pages })),
            (
                "/v1/batch/scrape",
                json!({"urls": [format!("http://127.0.0.1:1/{mark}")]}),
            ),
            ("/v1/crawl", site.clone()),
            ("/v1/map", site),
        ];
        let ended: Vec<String> = ended
            .iter()
            .map(|(path, body)| caller.create(path, body))
            .collect();
        let slow = json!({ "urls": [url("slow")] });
        let (running, cancelled) = (
            caller.create("/v1/batch/scrape", &slow),
            caller.create("/v1/batch/scrape", &slow),
        );
        for id in &ended {
            caller.wait_for_status(id, &ENDED);
        }
        caller.wait_for_status(&running, &["running"]);
        let target = format!("/v1/jobs/{cancelled}");
        caller.call("DELETE", &target, &[], None).unwrap();
        let body = json!({"url": url("0")});
        let (status, reply) = caller.call("POST", "/v1/scrape", &[], Some(&body)).unwrap();
        assert_eq!(status, 200, "{reply}");
        Self {
            caller,
            mark,
            ended,
            running,
            cancelled,
            repeatable: Vec::new(),
        }
    }

    /// Creates a job with an idempotency key at each endpoint that accepts one.
    fn create_with_keys(&mut self, description: &Value, server: &Server) {
        let values = ParameterValues {
            owner: "",
            cursors: &[],
            idempotency_key: "",
        };
        for endpoint in endpoints(description, &values) {
            let has_key = |variant: &&Variant| !variant.headers.is_empty();
            if endpoint.method != "POST" {
                continue;
            }
            for variant in endpoint.variants.iter().filter(has_key) {
                let headers = key_headers(self, &endpoint.path, variant);
                let body = body_of(&endpoint.path, server);
                let sent = self
                    .caller
                    .call("POST", &endpoint.path, &headers, Some(&body));
                let (status, text) = sent.unwrap();
                assert_eq!(status, 202, "{text}");
                let job: Value = serde_json::from_str(&text).unwrap();
                self.repeatable.push(job["id"].as_str().unwrap().to_owned());
            }
        }
        assert!(self.repeatable.len() >= 3, "{:?}", self.repeatable);
    }

    fn ids(&self) -> Vec<&str> {
        let others = [self.running.as_str(), self.cancelled.as_str()];
        self.ended
            .iter()
            .map(String::as_str)
            .chain(others)
            .collect()
    }

    /// A cursor into each of its lists that has one.
    fn cursors(&self) -> Vec<String> {
        let lists = self.ids().into_iter().flat_map(|id| {
            ["documents", "map", "tasks"].map(|list| format!("/v1/jobs/{id}/{list}"))
        });
        let all = std::iter::once("/v1/jobs".to_owned()).chain(lists);
        all.filter_map(|list| {
            let page = self.caller.get(&format!("{list}?limit=1"));
            page["next_cursor"].as_str().map(str::to_owned)
        })
        .collect()
    }

    /// What of this caller is in a response.
    fn found_in(&self, body: &str) -> Option<&str> {
        let name = format!("\"{}\"", self.caller.name);
        if body.contains(&name) {
            return Some(&self.caller.name);
        }
        let repeatable = self.repeatable.iter().map(String::as_str);
        let own = self.ids().into_iter().chain(repeatable);
        let mut marks = own.chain([self.mark.as_str()]);
        marks.find(|mark| body.contains(mark))
    }
}

/// Requests to one endpoint with the key of another caller, and what was wrong with the responses.
#[derive(Default)]
struct Tally {
    statuses: BTreeMap<u16, usize>,
    leaks: usize,
}

/// The attempts of one caller to see something of another.
struct Attempt<'a> {
    victim: &'a Tenant,
    attacker: &'a Caller,
    tallies: BTreeMap<String, Tally>,
    wrong: Vec<String>,
}

impl Attempt<'_> {
    /// Sends a request and looks for anything of the victim in the response.
    fn send(
        &mut self,
        endpoint: &Endpoint,
        target: &str,
        variant: &Variant,
        body: Option<&Value>,
    ) -> (u16, String) {
        let method = endpoint.method.as_str();
        let sent = self.attacker.call(method, target, &variant.headers, body);
        // Such as the events of a job that has not ended.
        let (status, text) = sent.unwrap_or_else(|error| (0, error.to_string()));
        let name = format!("{method} {}", endpoint.path);
        let tally = self.tallies.entry(name).or_default();
        *tally.statuses.entry(status).or_default() += 1;
        if let Some(mark) = self.victim.found_in(&text) {
            tally.leaks += 1;
            self.wrong
                .push(format!("{method} {target} shows {mark}: {text:.300}"));
        }
        (status, text)
    }

    /// Every job of the victim is answered like one that does not exist.
    fn by_id(&mut self, endpoint: &Endpoint) {
        let before = self.wrong.len();
        for variant in &endpoint.variants {
            let target = endpoint.target(UNKNOWN, variant);
            let unknown = self.send(endpoint, &target, variant, None);
            if unknown.0 != 404 {
                self.wrong.push(format!("{target}: {unknown:?}"));
            }
            for id in self.victim.ids() {
                if self.wrong.len() >= before + ENOUGH {
                    return;
                }
                for id in [id.to_owned(), id.to_uppercase(), id.replace('-', "")] {
                    let target = endpoint.target(&id, variant);
                    let foreign = self.send(endpoint, &target, variant, None);
                    if foreign != unknown {
                        self.wrong
                            .push(format!("{} {target}: {foreign:?}", endpoint.method));
                    }
                }
            }
        }
    }

    /// Lists show nothing of the victim.
    fn lists(&mut self, endpoint: &Endpoint) {
        for variant in &endpoint.variants {
            let target = endpoint.target("", variant);
            self.send(endpoint, &target, variant, None);
        }
    }

    /// The victim's request, repeated with its idempotency key, finds no job of the victim.
    fn creates(&mut self, endpoint: &Endpoint, server: &Server) {
        let body = body_of(&endpoint.path, server);
        for variant in &endpoint.variants {
            let variant = Variant {
                headers: key_headers(self.victim, &endpoint.path, variant),
                ..variant.clone()
            };
            let (status, text) = self.send(endpoint, &endpoint.path, &variant, Some(&body));
            if status >= 300 {
                let wrong = format!("POST {}: {status} {text}", endpoint.path);
                self.wrong.push(wrong);
            }
        }
    }
}

/// A request that both callers make.
fn body_of(path: &str, server: &Server) -> Value {
    let url = server.url("/mark-of-nobody/0");
    match path {
        "/v1/batch/scrape" => json!({ "urls": [url] }),
        "/v1/scrape" => json!({ "url": url }),
        _ => json!({"url": url, "max_depth": 0}),
    }
}

/// The headers of a variant, with a value for each path: a key is good for one request.
fn key_headers(owner: &Tenant, path: &str, variant: &Variant) -> Vec<(String, String)> {
    let headers = variant.headers.iter();
    headers
        .map(|(name, _)| (name.clone(), format!("key-of-{}-{path}", owner.mark)))
        .collect()
}

/// The owner and the administrator see the jobs, so that what must not be found elsewhere is found here.
fn is_shown_to_its_owner(endpoints: &[Endpoint], tenant: &Tenant, root: &Caller) {
    let with_id = endpoints.iter().filter(|one| one.has_id());
    for endpoint in with_id.filter(|one| one.method == "GET") {
        for caller in [&tenant.caller, root] {
            let found = tenant.ended.iter().any(|id| {
                let target = endpoint.target(id, &Variant::default());
                let (status, body) = caller.call("GET", &target, &[], None).unwrap();
                assert_eq!(status, 200, "{target}: {body}");
                tenant.found_in(&body).is_some()
            });
            assert!(found, "{} shows {} nothing", endpoint.path, caller.name);
        }
    }
}

fn check(store: StoreChoice) {
    let server = site();
    let service = KeyedService::start(CONFIG, store);
    let mut tenants = ["alice", "bob"].map(|name| {
        let caller = service.add_caller(&format!("tenant-{name}"), &[]);
        Tenant::start(caller, &server)
    });
    let root = service.add_caller("root", &["--admin"]);
    let description = root.get("/openapi.json");
    for tenant in &mut tenants {
        tenant.create_with_keys(&description, &server);
    }
    let mut wrong = Vec::new();
    for (victim, attacker) in [(0, 1), (1, 0)].map(|(a, b)| (&tenants[a], &tenants[b].caller)) {
        let cursors = victim.cursors();
        assert!(cursors.len() >= 5, "{cursors:?}");
        let values = ParameterValues {
            owner: &victim.caller.name,
            cursors: &cursors,
            // Replaced by one for each endpoint.
            idempotency_key: "key",
        };
        let endpoints = endpoints(&description, &values);
        let mut attempt = Attempt {
            victim,
            attacker,
            tallies: BTreeMap::new(),
            wrong: Vec::new(),
        };
        for endpoint in &endpoints {
            match (endpoint.has_id(), endpoint.method.as_str()) {
                (true, _) => attempt.by_id(endpoint),
                (false, "POST") => attempt.creates(endpoint, &server),
                (false, _) => attempt.lists(endpoint),
            }
        }
        // Also that nothing was cancelled.
        victim.caller.wait_for_status(&victim.running, &["running"]);
        is_shown_to_its_owner(&endpoints, victim, &root);
        print_table(store, &attempt);
        wrong.extend(attempt.wrong);
    }
    let shown: Vec<&str> = wrong.iter().take(ENOUGH).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        shown.join("\n")
    );
}

fn print_table(store: StoreChoice, attempt: &Attempt<'_>) {
    let mut table = format!(
        "\n{store:?}: {} asks for what {} owns\n{:<32}{:>9}{:>7}   statuses\n",
        attempt.attacker.name, attempt.victim.caller.name, "endpoint", "requests", "leaks"
    );
    for (endpoint, tally) in &attempt.tallies {
        let requests: usize = tally.statuses.values().sum();
        let statuses: Vec<String> = tally
            .statuses
            .iter()
            .map(|(status, count)| format!("{status}: {count}"))
            .collect();
        writeln!(
            table,
            "{endpoint:<32}{requests:>9}{:>7}   {}",
            tally.leaks,
            statuses.join(", ")
        )
        .unwrap();
    }
    // Nothing can be done if stderr is closed.
    let _ = std::io::stderr().write_all(table.as_bytes());
}
