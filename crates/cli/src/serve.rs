//! `serve`: opens the store, starts the API and the worker, and drains them on a signal.
//!
//! The first SIGTERM or SIGINT starts the drain, the second ends the process immediately. A drained service exits with 0.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use crawler_engine::{Stop, StopLevel};
use crawler_model::JsPolicy;
use crawler_model::site_rules::ROBOTS_MEMORY;
use crawler_service::api::{self, App, Exposure};
use crawler_service::config::Config;
use crawler_service::worker::{Worker, WorkerSettings, WorkerTotals, http_fetch};
use crawler_service::{AddressLimits, CallMetrics, OutageDetector, SharedBrowser, TimedStore};
use crawler_store::{HostDefaults, Store, StoreError, StoreLimits, WrappedStore};
use crawler_store_sqlite::{SqliteOptions, SqliteStore};
use tokio::net::TcpListener;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::args::{LogChoice, MessageArgs, When};
use crate::console::Console;
use crate::postgres::AnyStore;
use crate::serve_args::{ModeChoice, ServeArgs};
use crate::{
    config, console, exit, keys, listener, one_line::OneLine, open_files, postgres, private_file,
    render_role, signals,
};

/// Interval between updates of a worker's metrics.
const METRICS_INTERVAL: Duration = Duration::from_secs(5);
/// Interval between deletions of old jobs. Looking for one is cheap.
const PRUNE_INTERVAL: Duration = Duration::from_secs(15);
/// Interval between deletions of unused hosts, each of which reads all hosts.
const HOST_PRUNE_INTERVAL: Duration = Duration::from_mins(10);
/// Maximum number of rows deleted at once.
const PRUNE_BATCH: u32 = 2_000;
/// Interval at which a process without a worker looks for jobs past their deadline.
const RECONCILE_INTERVAL: Duration = Duration::from_secs(5);
/// Hosts unused for this long are deleted.
const HOST_RETENTION: Duration = Duration::from_hours(48);

pub(crate) fn serve(args: &ServeArgs) -> ExitCode {
    let json = args.messages.log_format == LogChoice::Json;
    let is_render = args.mode == ModeChoice::Render;
    if is_render && let Err(message) = render_role::check_environment() {
        console::print_error(&message, json);
        return ExitCode::from(exit::BAD_USAGE);
    }
    let loaded = match config::load(&args.settings) {
        Ok(loaded) => loaded,
        Err(error) => return config::print_errors(&error, json),
    };
    if is_render && let Err(message) = render_role::check(&loaded) {
        console::print_error(&message, json);
        return ExitCode::from(exit::BAD_USAGE);
    }
    start_log(&args.messages, json);
    for note in loaded.notes() {
        tracing::warn!("{note}");
    }
    let config = loaded.config;
    let console = Console::new(&args.messages, When::Never);
    open_files::raise();
    let ended = match args.mode {
        ModeChoice::Render => render_role::run(&config, console),
        mode => run(config, mode, console),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::print_error(&format!("{error:#}"), json);
            let refused = error.is::<UnsafeExposure>();
            ExitCode::from(if refused {
                exit::BAD_USAGE
            } else {
                exit::FAILED
            })
        }
    }
}

/// The API would be reachable by others without a key.
#[derive(Debug)]
struct UnsafeExposure(String);

impl std::fmt::Display for UnsafeExposure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnsafeExposure {}

/// Starts the log on stderr; `RUST_LOG` overrides `-v` and `-q`.
fn start_log(args: &MessageArgs, json: bool) {
    let level = match (args.quiet, args.verbose) {
        (true, _) => "error",
        (false, 0) => "info,sqlx=warn",
        (false, 1) => "debug,sqlx=warn,hyper=info,h2=info,rustls=info",
        (false, _) => "trace",
    };
    let directives = std::env::var("RUST_LOG").ok();
    let filter = directives.and_then(|directives| directives.parse::<Targets>().ok());
    let filter = filter.unwrap_or_else(|| level.parse().unwrap_or_default());
    let lines = tracing_subscriber::fmt::layer().with_writer(OneLine);
    let log = tracing_subscriber::registry();
    // Fails only if there already is a log.
    let _ = if json {
        let lines = lines.json().flatten_event(true);
        log.with(lines.with_filter(filter)).try_init().is_ok()
    } else {
        let color =
            args.color != When::Never && std::io::IsTerminal::is_terminal(&std::io::stderr());
        let lines = lines.with_ansi(color);
        log.with(lines.with_filter(filter)).try_init().is_ok()
    };
}

fn run(config: Config, mode: ModeChoice, console: Console) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let ended = runtime.block_on(async {
        let stop = Stop::new();
        let signals = tokio::spawn(signals::listen(stop.clone(), console));
        let limits = StoreLimits {
            hosts: HostDefaults {
                in_flight: config.worker.per_host_concurrency,
                interval: config.host_interval(),
            },
            fixed_interval: config.crawl.crawl_delay.is_some(),
            max_crashes: config.worker.max_crashes,
            quota: config.quotas.quota(),
        };
        let ended = if let Some(url) = config.store.database_url.clone() {
            let listener = listener::bind(&config, mode).await?;
            postgres::serve(url.reveal(), limits, config, mode, listener, &stop).await
        } else {
            let options = SqliteOptions {
                readers: config.store.connections.saturating_sub(1).max(1),
                limits,
                ..SqliteOptions::default()
            };
            // First: if the address is in use, no database is created.
            let listener = listener::bind(&config, mode).await?;
            let path = config.store.path.clone();
            private_file::warn_if_readable_by_others(&path);
            let _lock = mode.has_worker().then(|| lock_worker(&path)).transpose()?;
            let store = SqliteStore::open(&path, options)
                .await
                .with_context(|| format!("cannot open store.path {}", path.display()))?;
            if mode != ModeChoice::All {
                tracing::warn!(
                    mode = mode.as_str(),
                    "a SQLite file supports one machine and one worker; set DATABASE_URL to use more"
                );
            }
            let any = postgres::sqlite(store.clone());
            let ended = run_on(any, config, mode, listener, &stop, "sqlite").await;
            store.close().await;
            ended
        };
        signals.abort();
        ended
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended
}

/// Runs the service on an open store.
pub(crate) async fn run_on(
    store: AnyStore,
    config: Config,
    mode: ModeChoice,
    listener: Option<TcpListener>,
    stop: &Stop,
    kind: &'static str,
) -> anyhow::Result<()> {
    // A request to the API does not wait for an unreachable database. A worker does.
    let detector = OutageDetector::new(store.clone(), config.store.connect_timeout);
    let api_store = TimedStore::new(WrappedStore::new(store.clone(), detector), CallMetrics);
    let store = TimedStore::new(store, CallMetrics);
    match api::check_exposure(&config, &store, mode.has_api()).await? {
        Exposure::Safe => (),
        Exposure::NeedsFirstKey => keys::create_first(&store).await?,
        Exposure::Refused(message) => return Err(UnsafeExposure(message).into()),
    }
    let drain = config.worker.drain;
    // Shared by the API and the worker; started by the first page that needs it.
    let browser = SharedBrowser::open(&config)?;
    log_browser(&browser, &config);
    let api = async {
        let app = App::new(api_store, config.clone(), browser.clone())?;
        let listener = match listener {
            Some(listener) if mode.has_api() => listener,
            listener => return Box::pin(serve_metrics(app, &config, listener, stop)).await,
        };
        let addr = listener.local_addr().unwrap_or(config.server.addr);
        tracing::info!(%addr, mode = mode.as_str(), store = kind, "listening");
        Box::pin(api::serve(
            app,
            listener,
            stop.reached(StopLevel::Drain),
            drain,
        ))
        .await;
        anyhow::Ok(())
    };
    let worker = async {
        if !mode.has_worker() {
            return Ok(());
        }
        // The lock file allows only one worker on a SQLite file.
        let sole_owner = kind == "sqlite";
        let settings = WorkerSettings::of(&config, sole_owner);
        let fetch = http_fetch(&settings.jobs, config.worker.pool_size, api::guard(&config))?;
        let http = Arc::new(fetch.with_name_resolution(config.http.resolver.into()));
        let limits = AddressLimits::new(store.clone(), &config, Arc::clone(&http));
        let fetch = browser.fetch(Arc::clone(&http));
        let worker = Worker::new(store.clone(), Arc::new(fetch), settings)?
            .resolving_names(http)
            .limiting_addresses(limits);
        tracing::info!(tasks = config.worker.pool_size, store = kind, "working");
        let counts = worker.counts();
        let final_counts = Arc::clone(&counts);
        let metrics_task = tokio::spawn(async move {
            loop {
                api::record_worker_metrics(&counts.numbers());
                tokio::time::sleep(METRICS_INTERVAL).await;
            }
        });
        let ended = worker.run(stop.clone()).await;
        metrics_task.abort();
        log_counts(&final_counts.numbers());
        ended?;
        anyhow::Ok(())
    };
    // If one of the two fails, the other is drained too.
    let drain_on_error = async |part: &mut (dyn Future<Output = anyhow::Result<()>> + Unpin)| {
        let ended = part.await;
        if ended.is_err() && stop.level() == StopLevel::Run {
            stop.request();
        }
        ended
    };
    let reconciling = (!mode.has_worker()).then(|| tokio::spawn(reconcile(store.clone())));
    let pruning = tokio::spawn(prune(store.clone(), config.jobs.retention));
    let (mut api, mut worker) = (Box::pin(api), Box::pin(worker));
    let (api, worker) = tokio::join!(drain_on_error(&mut api), drain_on_error(&mut worker));
    browser.close().await;
    pruning.abort();
    if let Some(reconciling) = reconciling {
        reconciling.abort();
    }
    tracing::info!("stopped");
    api.and(worker)
}

/// Logs at the start if pages cannot be rendered or the sandbox is off.
fn log_browser(browser: &SharedBrowser, config: &Config) {
    let rendering_expected =
        config.browser.force || config.browser.use_js_default != JsPolicy::Never;
    if let Some(message) = browser.missing() {
        if rendering_expected {
            tracing::warn!(reason = message, "pages cannot be rendered");
        } else {
            tracing::info!(reason = message, "pages cannot be rendered");
        }
        return;
    }
    if let Some(socket) = &config.browser.socket {
        tracing::info!(socket = %socket.display(), "pages are rendered by the render process");
    }
    if browser.renderer().is_some() && !config.browser.sandbox {
        tracing::warn!(
            "browser.sandbox is off: a page that exploits the browser gains the privileges of this process"
        );
    }
}

/// Serves a worker's metrics, if worker.metrics_addr is set.
async fn serve_metrics<S: Store>(
    app: App<S>,
    config: &Config,
    listener: Option<TcpListener>,
    stop: &Stop,
) -> anyhow::Result<()> {
    let Some(addr) = config.worker.metrics_addr else {
        return Ok(());
    };
    let listener = if let Some(listener) = listener {
        listener
    } else {
        tokio::select! {
            listener = listener::bind_when_free(addr) => listener,
            () = stop.reached(StopLevel::Drain) => return Ok(()),
        }
    };
    let addr = listener.local_addr().unwrap_or(addr);
    tracing::info!(%addr, "serving metrics");
    let stopped = stop.reached(StopLevel::Drain);
    api::serve_metrics(app, listener, stopped, config.worker.drain).await;
    Ok(())
}

/// Logs a worker's final counts: its metrics are no longer served.
fn log_counts(numbers: &WorkerTotals) {
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
        "worker finished"
    );
}

/// Ends jobs past their deadline, even while no worker runs.
async fn reconcile<S: Store>(store: S) {
    loop {
        tokio::time::sleep(RECONCILE_INTERVAL).await;
        if let Err(error) = store.reconcile().await {
            tracing::warn!(%error, "cannot check job deadlines");
        }
    }
}

/// Locks a SQLite file for the one worker process allowed on it. The lock ends with the process.
fn lock_worker(path: &Path) -> anyhow::Result<File> {
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
                "cannot open store.path {store}: cannot create its lock file {}",
                name.display()
            )
        })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!(
            "another worker is using {}, and a SQLite file supports only one; use --mode api, or set \
             DATABASE_URL to run more workers",
            path.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", name.display()))
        }
    }
}

/// Deletes jobs past their retention and hosts that are no longer used, and shrinks the database file; all in small steps.
async fn prune<S: Store>(store: S, retention: Option<Duration>) {
    let mut hosts_due = Instant::now();
    loop {
        if hosts_due <= Instant::now() {
            hosts_due = Instant::now() + HOST_PRUNE_INTERVAL;
            if let Err(error) = store.prune_hosts(HOST_RETENTION, ROBOTS_MEMORY).await {
                tracing::warn!(%error, "cannot delete old hosts");
            }
        }
        if let Some(age) = retention
            && let Err(error) = in_steps(|| store.prune(age, PRUNE_BATCH)).await
        {
            tracing::warn!(%error, "cannot delete old jobs");
        }
        if let Err(error) = in_steps(|| store.shrink()).await {
            tracing::warn!(%error, "cannot shrink the database file");
        }
        tokio::time::sleep(PRUNE_INTERVAL).await;
    }
}

/// Repeats a step until nothing is left to do. Other writers get their turn in between.
async fn in_steps<F>(step: impl Fn() -> F) -> Result<(), StoreError>
where
    F: Future<Output = Result<u64, StoreError>>,
{
    while step().await? > 0 {
        tokio::task::yield_now().await;
    }
    Ok(())
}
