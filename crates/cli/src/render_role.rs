//! `serve --mode render`: the process that runs the browser, and nothing else.
//!
//! It executes what strangers wrote, so it has no access to the database and holds no keys: it refuses to start with any. Other
//! processes ask it for pages over a Unix socket.

use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use crawler_engine::{Stop, StopLevel};
use crawler_service::SharedBrowser;
use crawler_service::config::{Config, LoadedConfig, SETTINGS, SettingSource};
use tokio::net::UnixListener;

use crate::console::Console;
use crate::signals;

/// The environment variable with the URL of the database.
const DATABASE_URL: &str = "DATABASE_URL";
/// Mode of the socket: this user and its group.
const SOCKET_MODE: u32 = 0o660;

/// Checks that the environment has no credentials of the database, before any of it is read.
pub(crate) fn check_environment() -> Result<(), String> {
    if std::env::var_os(DATABASE_URL).is_none_or(|value| value.is_empty()) {
        return Ok(());
    }
    Err(format!(
        "{DATABASE_URL} is set, but --mode render runs the pages of strangers and must not be able to reach the database: \
         remove it from the environment of this process"
    ))
}

/// Checks that the configuration has no secrets, and a socket.
pub(crate) fn check(loaded: &LoadedConfig) -> Result<(), String> {
    let secrets = SETTINGS.iter().filter(|setting| setting.secret);
    for setting in secrets {
        let source = loaded.source(setting);
        if *source != SettingSource::Default {
            return Err(format!(
                "{} is set ({source}), but --mode render runs the pages of strangers and must not hold secrets: give it a \
                 configuration of its own",
                setting.key()
            ));
        }
    }
    let browser = &loaded.config.browser;
    if !browser.enabled {
        return Err("--mode render needs browser.enabled".to_owned());
    }
    if browser.socket.is_none() {
        return Err(
            "--mode render needs browser.socket (BROWSER_SOCKET): the path of the socket on which other processes ask for pages"
                .to_owned(),
        );
    }
    Ok(())
}

/// Serves pages until a signal, and then finishes those in flight.
pub(crate) fn run(config: &Config, console: Console) -> anyhow::Result<()> {
    let Some(socket) = config.browser.socket.clone() else {
        bail!("browser.socket is not set");
    };
    let mut own = config.clone();
    own.browser.socket = None;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let ended = runtime.block_on(async {
        let stop = Stop::new();
        let signals = tokio::spawn(signals::listen(stop.clone(), console));
        let browser = SharedBrowser::open(&own)?;
        if let Some(missing) = browser.missing() {
            bail!("{missing}");
        }
        if !config.browser.sandbox {
            tracing::warn!(
                "browser.sandbox is off: a page that exploits the browser gains the privileges of this process"
            );
        }
        let (listener, id) = listen(&socket)?;
        let tabs = config.browser.pool_size;
        tracing::info!(socket = %socket.display(), tabs, "rendering");
        let stopped = stop.reached(StopLevel::Drain);
        browser.serve(listener, stopped, config.worker.drain).await;
        // Unless the next process has replaced it.
        if std::fs::symlink_metadata(&socket).is_ok_and(|found| found.ino() == id) {
            let _ = std::fs::remove_file(&socket);
        }
        browser.close().await;
        signals.abort();
        tracing::info!("stopped");
        Ok(())
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended
}

/// Listens on a socket that this user and its group can use. Replaces the socket of a process that was killed. Also returns
/// the number of its file.
fn listen(path: &Path) -> anyhow::Result<(UnixListener, u64)> {
    let shown = path.display();
    let failed = || format!("cannot listen on browser.socket {shown}");
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => (),
        Err(error) => return Err(error).with_context(failed),
        Ok(found) if !found.file_type().is_socket() => {
            bail!("browser.socket {shown} exists and is not a socket");
        }
        Ok(_) if UnixStream::connect(path).is_ok() => {
            bail!("browser.socket {shown} is in use by another render process");
        }
        Ok(_) => (),
    }
    // Nobody else can connect before the mode is set: the socket is created in a folder that only this user can enter.
    let mut folder = path.as_os_str().to_owned();
    folder.push(".new");
    let folder = Path::new(&folder);
    let _ = std::fs::remove_dir_all(folder);
    let mut builder = std::fs::DirBuilder::new();
    builder.mode(0o700).create(folder).with_context(failed)?;
    let new = folder.join("s");
    let listener = UnixListener::bind(&new).with_context(failed)?;
    let mode = std::fs::Permissions::from_mode(SOCKET_MODE);
    std::fs::set_permissions(&new, mode).with_context(failed)?;
    std::fs::rename(&new, path).with_context(failed)?;
    std::fs::remove_dir(folder).with_context(failed)?;
    let id = std::fs::symlink_metadata(path).with_context(failed)?.ino();
    Ok((listener, id))
}
