//! `serve`: opens the store, starts the API and the worker, and drains them when asked to stop.
//!
//! The first SIGTERM or SIGINT begins the drain, the second ends the process at once. A drained service ends with 0.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use engine::{Stop, StopLevel};
use service::api::{self, App};
use service::config::{Config, UseJs};
use service::worker::{Worker, WorkerNumbers, WorkerSettings, http_fetch};
use service::{BrowserDesk, TimedStore};
use store::{HostDefaults, Store, StoreError};
use store_postgres::{PostgresOptions, PostgresStore};
use store_sqlite::{SqliteOptions, SqliteStore};
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

use crate::args::{LogWord, TalkArgs, When};
use crate::serve_args::{ModeWord, ServeArgs};
use crate::talk::Talk;
use crate::{config, exit, one_line::OneLine, open_files, signals, talk};

/// How long to wait for a database that is away at the start, at first and at most.
const STORE_AWAY: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(10)];
/// How often a worker's numbers are told.
const COUNT_EVERY: Duration = Duration::from_secs(5);
/// How often old jobs are looked for, and how many rows go at once.
const PRUNE_EVERY: Duration = Duration::from_mins(10);
const PRUNE_ROWS: u32 = 2_000;
/// How often a process without a worker looks for jobs whose time is up.
const RULES_EVERY: Duration = Duration::from_secs(5);
/// A host or a robots.txt that nobody asked for so long is forgotten; a robots.txt is asked for again after a day anyway.
const FORGET_AFTER: Duration = Duration::from_hours(48);

pub(crate) fn serve(args: &ServeArgs) -> ExitCode {
    let json = args.talk.log_format == LogWord::Json;
    let loaded = match config::load(&args.settings) {
        Ok(loaded) => loaded,
        Err(error) => return config::refuse(&error, json),
    };
    start_log(&args.talk, json);
    for note in loaded.notes() {
        tracing::warn!("{note}");
    }
    let config = loaded.config;
    let talk = Talk::new(&args.talk, When::Never);
    open_files::raise();
    match run(config, args.mode, talk) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            talk::refuse(&format!("{error:#}"), json);
            let refused = error.is::<Posture>();
            ExitCode::from(if refused {
                exit::BAD_USAGE
            } else {
                exit::FAILED
            })
        }
    }
}

/// An address that others can reach, and no key.
#[derive(Debug)]
struct Posture(String);

impl std::fmt::Display for Posture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Posture {}

/// Structured lines on stderr; `RUST_LOG` is stronger than `-v` and `-q`.
fn start_log(args: &TalkArgs, json: bool) {
    let level = match (args.quiet, args.verbose) {
        (true, _) => "error",
        (false, 0) => "info,sqlx=warn",
        (false, 1) => "debug,sqlx=warn,hyper=info,h2=info,rustls=info",
        (false, _) => "trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(OneLine);
    // Fails only if there is a log already, which is as good.
    let _ = if json {
        lines.json().flatten_event(true).try_init().is_ok()
    } else {
        let colour =
            args.color != When::Never && std::io::IsTerminal::is_terminal(&std::io::stderr());
        lines.with_ansi(colour).try_init().is_ok()
    };
}

fn run(config: Config, mode: ModeWord, talk: Talk) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let ended = runtime.block_on(async {
        let stop = Stop::new();
        let signals = tokio::spawn(signals::listen(stop.clone(), talk));
        let hosts = HostDefaults {
            in_flight: config.worker.per_host_concurrency,
            interval: config.host_interval(),
        };
        let ended = if let Some(url) = config.store.database_url.clone() {
            let options = PostgresOptions {
                connections: config.store.connections,
                hosts,
                most_crashes: config.worker.max_crashes,
                fixed_interval: config.crawl.crawl_delay.is_some(),
                ..PostgresOptions::default()
            };
            let open = || PostgresStore::open(url.reveal(), options.clone());
            match opened(open, &stop).await? {
                Some(store) => {
                    let ended = run_on(store.clone(), config, mode, &stop, "postgres").await;
                    store.close().await;
                    ended
                }
                None => Ok(()),
            }
        } else {
            let options = SqliteOptions {
                readers: config.store.connections.saturating_sub(1).max(1),
                hosts,
                most_crashes: config.worker.max_crashes,
                fixed_interval: config.crawl.crawl_delay.is_some(),
                ..SqliteOptions::default()
            };
            let path = config.store.path.clone();
            let _sole = mode.has_worker().then(|| sole_worker(&path)).transpose()?;
            let store = SqliteStore::open(&path, options)
                .await
                .with_context(|| format!("cannot open store.path {}", path.display()))?;
            if mode != ModeWord::All {
                tracing::warn!(
                    mode = mode.as_str(),
                    "a SQLite file is for the processes of one machine, one worker among them; set DATABASE_URL for more"
                );
            }
            let ended = run_on(store.clone(), config, mode, &stop, "sqlite").await;
            store.close().await;
            ended
        };
        signals.abort();
        ended
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended
}

/// A store that is away is waited for; `None` when we are asked to stop meanwhile.
async fn opened<S, F>(open: impl Fn() -> F, stop: &Stop) -> anyhow::Result<Option<S>>
where
    F: Future<Output = Result<S, StoreError>>,
{
    let [mut pause, most] = STORE_AWAY;
    loop {
        let open = tokio::select! {
            opened = open() => opened,
            () = stop.reached(StopLevel::Drain) => return Ok(None),
        };
        match open {
            Ok(store) => return Ok(Some(store)),
            Err(error) if error.retryable() => {
                tracing::warn!(%error, "waiting for the store");
            }
            Err(error) => bail!("cannot open the store: {error}"),
        }
        let stopped = stop.reached(StopLevel::Drain);
        if tokio::time::timeout(pause, stopped).await.is_ok() {
            return Ok(None);
        }
        pause = (pause * 2).min(most);
    }
}

async fn run_on<S: Store>(
    store: S,
    config: Config,
    mode: ModeWord,
    stop: &Stop,
    kind: &'static str,
) -> anyhow::Result<()> {
    let store = TimedStore::new(store);
    if let Err(words) = api::check_posture(&config, &store, mode.has_api()).await? {
        return Err(Posture(words).into());
    }
    let drain = config.worker.drain;
    // Before anything is worked on: a port that is taken is the likeliest way for a start to fail.
    let addr = config.server.addr;
    let listener = if mode.has_api() {
        let words = || format!("cannot listen on {addr}; --addr or server.addr names another");
        Some(TcpListener::bind(addr).await.with_context(words)?)
    } else {
        None
    };
    // One for the API and the worker; nothing starts before a page needs it.
    let browser = BrowserDesk::open(&config)?;
    tell_browser(&browser, &config);
    let api = async {
        let Some(listener) = listener else {
            return numbers(&store, &config, &browser, stop).await;
        };
        let app = App::new(store.clone(), config.clone(), browser.clone())?;
        let addr = listener.local_addr().unwrap_or(addr);
        tracing::info!(%addr, mode = mode.as_str(), store = kind, "listening");
        api::serve(app, listener, stop.reached(StopLevel::Drain), drain).await;
        anyhow::Ok(())
    };
    let worker = async {
        if !mode.has_worker() {
            return Ok(());
        }
        // No other worker is let near a SQLite file.
        let sole_owner = kind == "sqlite";
        let settings = WorkerSettings::of(&config, sole_owner);
        let fetch = http_fetch(&settings.jobs, config.worker.pool_size, api::guard(&config))?;
        let fetch = browser.fetch(Arc::new(fetch));
        let worker = Worker::new(store.clone(), Arc::new(fetch), settings)?;
        tracing::info!(tasks = config.worker.pool_size, store = kind, "working");
        let counts = worker.counts();
        let last = Arc::clone(&counts);
        let counting = tokio::spawn(async move {
            loop {
                api::keep_worker_numbers(&counts.numbers());
                tokio::time::sleep(COUNT_EVERY).await;
            }
        });
        let ended = worker.run(stop.clone()).await;
        counting.abort();
        tell_counts(&last.numbers());
        ended?;
        anyhow::Ok(())
    };
    // If one of the two cannot go on, the other is drained as well.
    let ended = async |part: &mut (dyn Future<Output = anyhow::Result<()>> + Unpin)| {
        let ended = part.await;
        if ended.is_err() && stop.level() == StopLevel::Run {
            stop.ask();
        }
        ended
    };
    let rules = (!mode.has_worker()).then(|| tokio::spawn(keep_rules(store.clone())));
    let pruning = tokio::spawn(prune(store.clone(), config.jobs.retention));
    let (mut api, mut worker) = (Box::pin(api), Box::pin(worker));
    let (api, worker) = tokio::join!(ended(&mut api), ended(&mut worker));
    browser.close().await;
    pruning.abort();
    if let Some(rules) = rules {
        rules.abort();
    }
    tracing::info!("stopped");
    api.and(worker)
}

/// What an operator should know about the browser before a page needs it.
fn tell_browser(browser: &BrowserDesk, config: &Config) {
    let asked = config.browser.force || config.browser.use_js_default != UseJs::Never;
    if let Some(words) = browser.missing() {
        if asked {
            tracing::warn!(reason = words, "pages cannot be rendered");
        } else {
            tracing::info!(reason = words, "pages cannot be rendered");
        }
        return;
    }
    if browser.renderer().is_some() && !config.browser.sandbox {
        tracing::warn!(
            "browser.sandbox is off: a page that breaks out of the browser has the rights of this process"
        );
    }
}

/// A worker's numbers, where somebody asked for them.
async fn numbers<S: Store>(
    store: &S,
    config: &Config,
    browser: &BrowserDesk,
    stop: &Stop,
) -> anyhow::Result<()> {
    let Some(addr) = config.worker.metrics_addr else {
        return Ok(());
    };
    let app = App::new(store.clone(), config.clone(), browser.clone())?;
    let listener = TcpListener::bind(addr)
        .await
        .with_context(|| format!("cannot listen on worker.metrics_addr {addr}"))?;
    let addr = listener.local_addr().unwrap_or(addr);
    tracing::info!(%addr, "telling numbers");
    let stopped = stop.reached(StopLevel::Drain);
    api::serve_numbers(app, listener, stopped, config.worker.drain).await;
    Ok(())
}

/// A worker's last words, for processes whose numbers nobody can ask for any more.
fn tell_counts(numbers: &WorkerNumbers) {
    tracing::info!(
        claimed = numbers.claimed,
        done = numbers.done,
        failed = numbers.failed,
        skipped = numbers.skipped,
        retried = numbers.retried,
        handed_back = numbers.handed_back,
        lost = numbers.lost,
        dropped = numbers.dropped,
        rescued = numbers.rescued,
        poisoned = numbers.poisoned,
        store_errors = numbers.store_errors,
        "worked"
    );
}

/// Jobs end when their time is up, also while no worker is there.
async fn keep_rules<S: Store>(store: S) {
    loop {
        tokio::time::sleep(RULES_EVERY).await;
        if let Err(error) = store.reconcile().await {
            tracing::warn!(%error, "the rules cannot be repeated now");
        }
    }
}

/// Holds a SQLite file for the one process that works on it, as long as it lives.
fn sole_worker(path: &Path) -> anyhow::Result<File> {
    let mut name = path.as_os_str().to_owned();
    name.push(".worker");
    let name = PathBuf::from(name);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&name)
        .with_context(|| {
            let store = path.display();
            format!(
                "cannot open store.path {store}: its lock {} is refused",
                name.display()
            )
        })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!(
            "another process works on {} already, and a SQLite file has one worker; --mode api may share it, \
             or set DATABASE_URL to have more workers",
            path.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", name.display()))
        }
    }
}

/// Deletes what was kept long enough, a little at a time.
async fn prune<S: Store>(store: S, retention: Option<Duration>) {
    loop {
        if let Err(error) = store.forget(FORGET_AFTER).await {
            tracing::warn!(%error, "old hosts cannot be forgotten now");
        }
        let Some(age) = retention else {
            tokio::time::sleep(PRUNE_EVERY).await;
            continue;
        };
        match store.prune(age, PRUNE_ROWS).await {
            Ok(0) => tokio::time::sleep(PRUNE_EVERY).await,
            Ok(rows) => {
                tracing::debug!(rows, "old jobs deleted");
                tokio::task::yield_now().await;
            }
            Err(error) => {
                tracing::warn!(%error, "old jobs cannot be deleted now");
                tokio::time::sleep(PRUNE_EVERY).await;
            }
        }
    }
}
