//! `config`: what the service would run with, and why.

use std::io::Write;
use std::process::ExitCode;

use service::config::{ConfigError, Flag, Inputs, Loaded};

use crate::exit;
use crate::serve_args::{ConfigArgs, SettingArgs};
use crate::talk;

pub(crate) fn config(args: &ConfigArgs) -> ExitCode {
    if args.example {
        return print(&service::config::example());
    }
    if args.openapi {
        return print(&service::api::openapi_json());
    }
    match load(&args.settings) {
        Ok(loaded) => {
            for note in loaded.notes() {
                talk::warn(&note);
            }
            print(&loaded.text())
        }
        Err(error) => refuse(&error, false),
    }
}

/// The configuration of this process: file, environment, flags.
pub(crate) fn load(args: &SettingArgs) -> Result<Loaded, ConfigError> {
    let flag = |name, key, value: Option<String>| value.map(|value| Flag { name, key, value });
    let flags = [
        flag(
            "--addr",
            "server.addr",
            args.addr.map(|addr| addr.to_string()),
        ),
        flag(
            "--workers",
            "worker.pool_size",
            args.workers.map(|n| n.to_string()),
        ),
        flag(
            "--store",
            "store.path",
            args.store.as_ref().map(|path| path.display().to_string()),
        ),
    ];
    Loaded::load(&Inputs {
        file: args.config.clone(),
        env: &|name| std::env::var(name).ok(),
        flags: flags.into_iter().flatten().collect(),
    })
}

/// Says everything that is wrong with a configuration.
pub(crate) fn refuse(error: &ConfigError, json: bool) -> ExitCode {
    for words in &error.0 {
        talk::refuse(words, json);
    }
    ExitCode::from(exit::BAD_USAGE)
}

/// A closed pipe (`crawler config | head`) is a clean exit.
pub(crate) fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            talk::refuse(&format!("cannot write stdout: {error}"), false);
            ExitCode::from(exit::FAILED)
        }
        _ => ExitCode::SUCCESS,
    }
}
