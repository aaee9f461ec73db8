//! Files, variables and flags, and the messages for invalid ones.

use super::*;
use std::time::Duration;

fn no_env(_: &str) -> Option<String> {
    None
}

fn load(
    text: &str,
    env: &dyn Fn(&str) -> Option<String>,
    flags: Vec<ConfigFlag>,
) -> (String, Result<LoadedConfig, ConfigError>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yaml");
    std::fs::write(&path, text).unwrap();
    let loaded = LoadedConfig::load(&ConfigInputs {
        file: Some(path.clone()),
        env,
        flags,
    });
    (path.display().to_string(), loaded)
}

fn source_of(loaded: &LoadedConfig, key: &str) -> String {
    let setting = SETTINGS
        .iter()
        .find(|setting| setting.key() == key)
        .unwrap();
    loaded.source(setting).to_string()
}

#[test]
fn durations_and_sizes_are_written_as_in_flags() {
    let text = "http:\n  timeout: 5min\n  max_body_bytes: 500k\nworker:\n  lease: 20sec\n";
    let (_, loaded) = load(text, &no_env, Vec::new());
    let config = loaded.unwrap().config;
    assert_eq!(config.http.timeout, Duration::from_mins(5));
    assert_eq!(config.http.max_body_bytes, 500_000);
    assert_eq!(config.worker.lease, Duration::from_secs(20));
}

#[test]
fn flags_override_the_environment_which_overrides_the_file() {
    let text = "# a comment\nworker:\n  pool_size: 3\n  per_host_rps: 0.5\nserver:\n  addr: 127.0.0.1:1\nhttp:\n";
    let env = |name: &str| match name {
        "WORKER_CONCURRENCY" => Some("4".to_owned()),
        "HTTP_ADDR" => Some("127.0.0.1:2".to_owned()),
        "BROWSER_TIMEOUT" => Some("45".to_owned()),
        "USE_JS_DEFAULT" => Some("auto".to_owned()),
        "BROWSER_HEADLESS" => Some("false".to_owned()),
        "BROWSER_SANDBOX" => Some("off".to_owned()),
        "CHROME" => Some("/opt/chromium".to_owned()),
        _ => None,
    };
    let flags = vec![ConfigFlag {
        name: "--addr",
        key: "server.addr",
        value: "127.0.0.1:3".to_owned(),
    }];
    let (path, loaded) = load(text, &env, flags);
    let loaded = loaded.unwrap();
    assert_eq!(loaded.config.worker.pool_size, 4);
    assert!((loaded.config.worker.per_host_rps - 0.5).abs() < f64::EPSILON);
    assert_eq!(loaded.config.server.addr.port(), 3);
    assert_eq!(loaded.config.browser.nav_timeout, Duration::from_secs(45));
    assert_eq!(loaded.config.browser.use_js_default, JsPolicy::Auto);
    assert!(!loaded.config.browser.headless);
    assert!(!loaded.config.browser.sandbox);
    let program = loaded.config.browser.program.as_deref();
    assert_eq!(program, Some(std::path::Path::new("/opt/chromium")));
    for (key, source) in [
        ("worker.per_host_rps", format!("{path}:4")),
        (
            "worker.pool_size",
            "environment WORKER_CONCURRENCY".to_owned(),
        ),
        ("server.addr", "flag --addr".to_owned()),
        ("http.timeout", "default".to_owned()),
    ] {
        assert_eq!(source_of(&loaded, key), source, "{key}");
        assert!(loaded.text().contains(&source), "{}", loaded.text());
    }
}

#[test]
fn an_invalid_file_is_rejected_with_the_line_and_the_allowed_values() {
    for (text, line, message) in [
        (
            "worker:\n  pool_size: 0\n",
            2,
            "worker.pool_size: 0 is not allowed; allowed: 1 to 1024",
        ),
        (
            "worker:\n  pool_size: many\n",
            2,
            "many is not a whole number; allowed: 1 to 1024",
        ),
        (
            "http:\n  timeout: 10s\n  timout: 5s\n",
            3,
            "unknown setting http.timout; allowed: timeout, max_redirects",
        ),
        (
            "htp:\n  timeout: 10s\n",
            2,
            "unknown section htp; allowed: http, worker",
        ),
        (
            "http:\n  timeout: 10 parsecs\n",
            2,
            "is not a duration like 500ms, 10s, 5m or 1h30m",
        ),
        (
            "http:\n  max_body_bytes: [1]\n",
            2,
            "is not a size like 500KB",
        ),
        (
            "crawl:\n  respect_robots: maybe\n",
            2,
            "maybe is not true or false",
        ),
        ("server:\n  addr: localhost\n", 2, "an address and port"),
        (
            "server:\n  api_keys: [short]\n",
            2,
            "server.api_keys: the value is not allowed",
        ),
        (
            "egress:\n  allow: [10.0.0.0/33]\n",
            2,
            "egress.allow: [10.0.0.0/33] is not allowed",
        ),
        (
            "store:\n  database_url: mysql://root:hunter2@a/b\n",
            2,
            "store.database_url: the value is not allowed",
        ),
        (
            "store:\n  database_url: sqlite:crawler.db\n",
            2,
            "for SQLite, set store.path instead",
        ),
        ("browser:\n  viewport: 10x10\n", 2, "100x100 to 8192x8192"),
        ("http: 5\n", 1, "expected a map of settings"),
        ("tenants: {}\n", 1, "unknown section tenants"),
        ("http:\ntenants:\n", 2, "unknown section tenants"),
        ("tenants: 5\n", 1, "expected a map of settings"),
        ("http:\n  timeout: {a: 1}\n", 2, "expected a value"),
        ("http:\n  timeout: 10s\n  timeout: 11s\n", 3, "timeout"),
        ("http: [\n", 1, ""),
    ] {
        let (path, loaded) = load(text, &no_env, Vec::new());
        let reported = loaded.unwrap_err().to_string();
        assert!(
            reported.starts_with(&format!("{path}:{line}: ")) || message.is_empty(),
            "{reported}"
        );
        assert!(reported.contains(message), "{reported}");
        assert!(!reported.contains("hunter2"), "{reported}");
    }
}

#[test]
fn every_problem_is_reported_at_once() {
    let text = "worker:\n  pool_size: 0\n  lease: 10s\n  heartbeat: 6s\nnothing:\n  at: all\n";
    let env = |name: &str| (name == "HTTP_ADDR").then(|| "here".to_owned());
    let (_, loaded) = load(text, &env, Vec::new());
    let reported = loaded.unwrap_err().0;
    assert_eq!(reported.len(), 4, "{reported:?}");
    assert!(
        reported
            .iter()
            .any(|line| line.starts_with("environment HTTP_ADDR: server.addr: here is not"))
    );
    assert!(
        reported
            .iter()
            .any(|line| line.contains("at most half of the lease"))
    );
}

#[test]
fn a_named_file_must_exist_but_the_default_one_need_not() {
    let missing = Some(PathBuf::from("/nowhere/config.yaml"));
    let by_flag = LoadedConfig::load(&ConfigInputs {
        file: missing,
        env: &no_env,
        flags: Vec::new(),
    });
    assert!(
        by_flag
            .unwrap_err()
            .to_string()
            .contains("cannot read file")
    );
    let env = |name: &str| (name == "CONFIG_PATH").then(|| "/nowhere/else.yaml".to_owned());
    let by_env = LoadedConfig::load(&ConfigInputs {
        file: None,
        env: &env,
        flags: Vec::new(),
    });
    assert!(
        by_env
            .unwrap_err()
            .to_string()
            .contains("/nowhere/else.yaml")
    );
    let default_file = LoadedConfig::load(&ConfigInputs {
        file: None,
        env: &no_env,
        flags: Vec::new(),
    });
    assert_eq!(default_file.unwrap().config, Config::default());
}

#[test]
fn secrets_are_not_shown() {
    let text = "server:\n  api_keys: [0123456789012345678, another-long-key-of-ours]\nstore:\n  database_url: postgres://me:hunter2@db.example/crawler?password=hunter2\n";
    let (_, loaded) = load(text, &no_env, Vec::new());
    let loaded = loaded.unwrap();
    assert_eq!(
        loaded.config.server.api_keys[0].reveal(),
        "0123456789012345678"
    );
    let shown = format!("{}{:?}", loaded.text(), loaded);
    assert!(
        !shown.contains("hunter2")
            && !shown.contains("another-long")
            && !shown.contains("0123456789"),
        "{shown}"
    );
    assert!(
        shown.contains("postgres://me:(hidden)@db.example/crawler"),
        "{shown}"
    );
    assert!(shown.contains("(2 hidden)"));
}

#[test]
fn timeouts_that_conflict_are_reported_with_their_sources() {
    let notes = |text: &str, env: &dyn Fn(&str) -> Option<String>| {
        let (path, loaded) = load(text, env, Vec::new());
        (path, loaded.unwrap().notes())
    };
    // No warning for the defaults, although rendering may take longer than the drain.
    assert_eq!(notes("worker:\n", &no_env).1, Vec::<String>::new());
    let short = "server:\n  request_timeout: 20s\n";
    let (path, reported) = notes(short, &no_env);
    let [reported] = reported.as_slice() else {
        panic!("{reported:?}");
    };
    let message = format!(
        "browser.nav_timeout = 30s (default), server.request_timeout = 20s ({path}:2): POST /v1/scrape"
    );
    assert!(reported.starts_with(&message), "{reported}");
    let slow = |name: &str| (name == "BROWSER_TIMEOUT").then(|| "2m".to_owned());
    let reported = notes("worker:\n", &slow).1;
    assert_eq!(reported.len(), 2, "{reported:?}");
    assert!(
        reported[1].starts_with("worker.drain = 25s (default), browser.nav_timeout = 2m (environment BROWSER_TIMEOUT): a shutdown interrupts"),
        "{reported:?}"
    );
    // Rendering is off, or the drain is long enough.
    for text in [
        "browser:\n  enabled: false\n  nav_timeout: 5m\n",
        "browser:\n  nav_timeout: 20s\n",
        "worker:\n  drain: 40s\n",
    ] {
        assert_eq!(notes(text, &no_env).1, Vec::<String>::new(), "{text}");
    }
}
